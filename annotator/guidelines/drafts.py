"""The draft of a guideline: leads edit it, each change against a named revision, with an Event."""

from __future__ import annotations

from typing import Final

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.guidelines.content import Content, GuidelineRefused, checked, ours
from annotator.models import Event, Guideline, Membership, Project, User
from annotator.people.members import acting_lead
from annotator.protocols.page import Guide
from annotator.protocols.registry import PAGES

GUIDELINE_CHANGED: Final = "guideline_changed"


class DraftChanged(Exception):
    """Another lead has changed the draft in the meantime; `current` is the stored one. Nothing is lost."""

    def __init__(self, current: Guideline) -> None:
        super().__init__(str(self.__doc__))
        self.current = current


def guide_of(protocol: str) -> Guide:
    """Return the guide of a protocol; raises GuidelineRefused if it has none that a project can edit."""
    page = PAGES.get(protocol)
    if page is None or page.guide is None or not page.guide.blocks:
        raise GuidelineRefused(f"The protocol {protocol!r} has no guideline to edit.", "no-guide")
    return page.guide


def draft_of(project: Project, protocol: str) -> Guideline:
    """Return the draft; ours, as revision 0 and not stored, if the project has none. One query."""
    draft = Guideline.objects.filter(project=project, protocol=protocol).select_related("edited_by").first()
    if draft is not None:
        return draft
    return Guideline(
        project=project, protocol=protocol, content=ours(guide_of(protocol)).as_json(), revision=0
    )


def save_draft(*, project: Project, protocol: str, actor: User, content: Content, replaces: int) -> Guideline:
    """Store the draft and return it; unchanged content stores nothing.

    `replaces` is the revision on the page, 0 for none. Raises GuidelineRefused and DraftChanged.
    """
    made = checked(content, guide_of(protocol)).as_json()
    with write_transaction():
        lead = lead_of(project, actor)
        stored = draft_of(project, protocol)
        draft = _replaced(stored, lead, made, replaces)
        if draft.content != stored.content:
            before = {name: value for name, value in stored.content.items() if value != made[name]}
            data = {"protocol": protocol, "revision": draft.revision, "replaced": before}
            Event.objects.create(project=project, actor=actor, verb=GUIDELINE_CHANGED, data=data)
    return draft


def lead_of(project: Project, actor: User) -> Membership:
    """Return the acting lead's membership, reloaded; raises GuidelineRefused."""
    lead = acting_lead(project.pk, actor)
    if lead is None:
        raise GuidelineRefused("Only a lead of the project can change its guideline.", "no-lead")
    return lead


def _replaced(stored: Guideline, lead: Membership, content: object, replaces: int) -> Guideline:
    if stored.content == content and stored.revision:
        return stored  # also a repeated request
    if stored.revision != replaces:
        raise DraftChanged(stored)
    values = {"content": content, "edited_by": lead, "edited_at": timezone.now()}
    rows = Guideline.objects.filter(project=stored.project, protocol=stored.protocol)
    if not replaces:
        try:
            with transaction.atomic():
                return Guideline.objects.create(project=stored.project, protocol=stored.protocol, **values)
        except IntegrityError:
            raise DraftChanged(rows.get()) from None
    if rows.filter(revision=replaces).update(revision=replaces + 1, **values) != 1:
        raise DraftChanged(rows.get())
    return rows.get()
