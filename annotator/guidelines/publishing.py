"""The draft of a guideline, which leads edit against a named revision, its versions, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Final

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.guidelines.content import Content, Decision, Example, GuidelineRefused, checked, ours
from annotator.guidelines.examples import frozen, values_of, version_numbered
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.models import Event, Guideline, GuidelineVersion, Membership, Project, User
from annotator.people.members import acting_lead
from annotator.people.standings import lapse
from annotator.protocols.page import Guide
from annotator.protocols.registry import PAGES
from scoring.service import get_protocol

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
        lead = acting_lead(project.pk, actor)
        stored = draft_of(project, protocol)
        draft = _replaced(stored, lead, made, replaces)
        if draft.content != stored.content:
            before = {name: value for name, value in stored.content.items() if value != made[name]}
            data = {"protocol": protocol, "revision": draft.revision, "replaced": before}
            Event.objects.create(project=project, actor=actor, verb=GUIDELINE_CHANGED, data=data)
    return draft


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


GUIDELINE_PUBLISHED: Final = "guideline_published"
LONGEST_SUMMARY: Final = 400


def in_force(project: Project, protocol: str) -> GuidelineVersion | None:
    """Return the version in force; None if none is published. One query, none without a version."""
    number = project.guideline_versions.get(protocol)
    return None if number is None else version_numbered(project, protocol, number)


def versions_of(project: Project, protocol: str) -> QuerySet[GuidelineVersion]:
    """Return the published versions, the latest first."""
    held = GuidelineVersion.objects.filter(guideline__project=project, guideline__protocol=protocol)
    return held.select_related("published_by").order_by("-major", "-minor")


def before(version: GuidelineVersion) -> GuidelineVersion | None:
    """Return the version published before this one, if any."""
    earlier = GuidelineVersion.objects.filter(guideline=version.guideline_id, pk__lt=version.pk)
    return earlier.order_by("-pk").first()


def next_number(current: GuidelineVersion | None, *, major: bool) -> tuple[int, int]:
    """Return the number of the next version; the first is 1.0."""
    if current is None:
        return 1, 0
    return (current.major + 1, 0) if major else (current.major, current.minor + 1)


def resolved(project: Project, protocol: str, draft: Content) -> tuple[Content, list[int]]:
    """Return a draft as it would be published, its examples with their marks as they are now.

    Also returns the numbers, from 1, of examples whose images are deleted or have no value to show.
    """
    guide = guide_of(protocol)
    rows = values_of(project, protocol, draft.examples)
    examples = tuple(
        frozen(example, rows[example.image], guide) if example.image in rows else example
        for example in draft.examples
    )
    lost = [place for place, example in enumerate(draft.examples, 1) if example.image not in rows]
    return replace(draft, examples=examples), lost


def lost_words(protocol: str, lost: Sequence[int]) -> str:
    """Say which examples cannot be published, and what to do."""
    named = f"Example{'s' * (len(lost) > 1)} {', '.join(map(str, lost))}"
    if get_protocol(protocol).adjudicated:
        why, remedy = "or no longer adjudicated", ", or adjudicate it"
    else:
        why, remedy = "or lacks a reference or a decision on faces", ""
    return f"{named}: the image is deleted {why}. Remove the example{remedy}."


def publish(
    *, project: Project, protocol: str, actor: User, major: bool, summary: str, replaces: int
) -> GuidelineVersion:
    """Publish the draft, or ours without one, as the next version; submissions from now on name it.

    `replaces` is the revision of the draft on the page, 0 for ours. A repeated request returns the version it
    made. Raises GuidelineRefused, also if nothing has changed, and DraftChanged.
    """
    said = _summary(summary)
    with write_transaction():
        # The row also serialises concurrent publications, whatever their protocol.
        held = Project.locked(project.pk)
        lead = acting_lead(held.pk, actor)
        draft = draft_of(held, protocol)
        if draft.revision != replaces:
            raise DraftChanged(draft)
        content, lost = resolved(held, protocol, checked(Content.of(draft.content), guide_of(protocol)))
        if lost:
            raise GuidelineRefused(lost_words(protocol, lost), "not-adjudicated")
        current = in_force(held, protocol)
        if current is not None and current.content == content.as_json():
            if (current.published_by_id, current.summary) == (lead.pk, said):
                return current
            raise GuidelineRefused(f"Nothing has changed since version {current}.", "unchanged")
        if current is not None and not said:
            raise GuidelineRefused("Say in one sentence what has changed.", "no-summary")
        if not draft.revision:  # ours, unchanged
            draft.revision, draft.edited_by, draft.edited_at = 1, lead, timezone.now()
            draft.save(force_insert=True)
        numbers = next_number(current, major=major)
        made = GuidelineVersion.objects.create(
            guideline=draft,
            major=numbers[0],
            minor=numbers[1],
            content=content.as_json(),
            summary=said,
            published_by=lead,
            published_at=timezone.now(),
        )
        held.guideline_versions = {**held.guideline_versions, protocol: made.number}
        held.save(update_fields=["guideline_versions"])
        lapse(held, protocol)
        data = {"protocol": protocol, "version": made.number, "summary": said, "revision": draft.revision}
        Event.objects.create(project=held, actor=actor, verb=GUIDELINE_PUBLISHED, data=data)
    project.guideline_versions = held.guideline_versions
    return made


def _summary(text: str) -> str:
    said = " ".join(text.split())
    if len(said) > LONGEST_SUMMARY:
        raise GuidelineRefused(
            f"The summary has {len(said)} characters; the limit is {LONGEST_SUMMARY}.", "too-long"
        )
    if turns_text_round(said) or "\0" in said:
        raise GuidelineRefused(f"The summary: {TURNED}", "turned")
    return said


MOST_LINES: Final = 400
"""Comparing takes up to the cube of the number of lines if these repeat; longer texts are shown whole."""


def differences(earlier: Content, later: Content, guide: Guide) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what differs, in the order of the guide: texts, decisions, examples, drawings.

    Each is a title and pieces of lines: `same`, `removed` or `added`, and their text.
    """
    before, after = (_texts(content, guide) for content in (earlier, later))
    return [
        (title, _pieces(old, new)) for (title, old), (_, new) in zip(before, after, strict=True) if old != new
    ]


def _pieces(earlier: str, later: str) -> list[tuple[str, str]]:
    before, after = earlier.splitlines(keepends=True), later.splitlines(keepends=True)
    if max(len(before), len(after)) > MOST_LINES:
        before, after = [earlier], [later]
    pieces: list[tuple[str, str]] = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after).get_opcodes():
        removed, added = "".join(before[start:end]), "".join(after[new_start:new_end])
        both = [("removed", removed), ("added", added)]
        pieces += [("same", removed)] if tag == "equal" else [piece for piece in both if piece[1]]
    return pieces


def _texts(content: Content, guide: Guide) -> list[tuple[str, str]]:
    return [
        *((block.title, content.texts.get(block.key, "")) for block in guide.blocks),
        ("Decisions", _listed(_decision(decision, guide.topics) for decision in content.decisions)),
        ("Examples", _listed(_example(example, guide) for example in content.examples)),
        ("Drawn examples", "Shown" if content.drawn else "Hidden"),
    ]


def _listed(entries: Iterable[str]) -> str:
    return "".join(f"{entry}\n" for entry in entries)


def _decision(one: Decision, topics: Mapping[str, str]) -> str:
    return f"{topics.get(one.about, 'Everything')}: {one.text}"


def _example(one: Example, guide: Guide) -> str:
    shown = ", ".join(guide.titles.get(name, name) for name in one.components)
    marks = ", ".join(str(mark["text"]) for mark in one.marks)
    about = f"Image {one.image[:8]}, {shown}" + (f" ({marks})" if marks else "")
    return f"{about}: {one.caption}" if one.caption else about
