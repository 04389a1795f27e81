"""Parts of the form of a batch: the inputs of protocols' settings, and what it offers and proposes."""

from __future__ import annotations

from collections.abc import Collection

from django import forms

from annotator.models import Membership, Project
from annotator.people.codes import waits_for_its_person
from annotator.projects.protocols import measured
from annotator.protocols.page import ALL_OF_THEM, COLUMNS, SUGGESTIONS, BatchSetting
from annotator.protocols.rating_form.stored import forms_of
from annotator.protocols.registry import page_of
from annotator.suggestions.runs import run_to_show
from scoring import service


def own_fields(slugs: Collection[str], *, after_release: bool = False) -> dict[str, forms.Field]:
    """Return the inputs of these protocols' settings that have no column, by name."""
    settings = (setting for slug in slugs for setting in page_of(slug).settings)
    return {
        setting.name: _field(setting)
        for setting in settings
        if setting.name not in COLUMNS and not (after_release and setting.is_fixed)
    }


def settings_for(slug: str, project: Project) -> list[BatchSetting]:
    """Return the settings that a new batch of a project can have: suggestions only where there are any."""
    page = page_of(slug)
    there = page.suggested and run_to_show(project, page.suggested.kind)
    return [setting for setting in page.settings if there or setting != SUGGESTIONS]


def _field(setting: BatchSetting) -> forms.Field:
    if setting.is_share:
        return forms.IntegerField(min_value=0, max_value=ALL_OF_THEM, required=False, initial=0)
    if not setting.choices:
        return forms.BooleanField(required=False)
    return forms.TypedChoiceField(
        choices=setting.choices,
        required=False,
        empty_value=str(setting.default),
        initial=setting.default,
        widget=forms.RadioSelect,
    )


def offered_protocols(project: Project) -> list[str]:
    """Return the slugs of the protocols available for release: what the project measures, else all."""
    known = (*service.PROTOCOLS, *forms_of(project)) if project.protocols is None else measured(project)
    return [slug for slug in known if slug in service.PROTOCOLS]


def is_proposed(member: Membership) -> bool:
    """Whether a new batch proposes a member: annotators who have an account, or an open invitation.

    Other places are left to the lead, because perhaps nobody ever takes them. Those of a recruitment link are
    proposed if its page asks.
    """
    invited = bool(getattr(member, "is_invited", False)) and member.recruitment_id is None
    return member.role == Membership.Role.ANNOTATOR and (invited or not waits_for_its_person(member))
