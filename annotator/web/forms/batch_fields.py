"""Parts of the form of a batch: the inputs of protocols' settings, and links to invalid inputs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField

from annotator.models import Membership, Project
from annotator.people.codes import waits_for_its_person
from annotator.projects.protocols import measured
from annotator.protocols.page import ALL_OF_THEM, COLUMNS, SUGGESTIONS, BatchSetting
from annotator.protocols.rating_form.stored import forms_of
from annotator.protocols.registry import page_of
from annotator.suggestions.runs import run_to_show
from scoring import service

_PLACES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("which", "generators", "prompts", "draw", "leave_out"), "images"),
    **dict.fromkeys(("annotators", "waived"), "annotators"),
    "overlap_unit": "id_overlap",
    "protocol": "protocol",
}
"""Inputs without an id of their own, and what is shown with them."""
_SETTINGS: Final = "blinding"
_TITLES: Final[Mapping[str, str]] = {
    "which": "Images",
    "per_image": "Annotators per overlap image",
    "gap_days": "Days between two protocols",
    "real": "Real images",
    "draw": "Images",
    "draw_images": "Number of images",
}
"""Titles of inputs that differ from their names."""


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


def error_links(form: forms.Form) -> list[tuple[str, str, str]]:
    """Return the id of each invalid input, its title and its first error, in the order of the form."""
    invalid = [form[name] for name in form.fields if name in form.errors]
    return [
        (
            _PLACES.get(field.name) or field.id_for_label or _SETTINGS,
            _TITLES.get(field.name, str(field.label)),
            str(field.errors[0]),
        )
        for field in invalid
    ]


def options_in_words(
    form: forms.Form, settings: Sequence[tuple[BoundField, BatchSetting]], *, has_earlier: bool, limited: bool
) -> str:
    """Return what the folded options of a batch say now; `limited` tells that somebody has an image limit."""

    def said(name: str) -> Any:
        return form[name].value()

    shown = [name for name in ("prompt", "generator") if said(f"show_{name}")]
    hidden = [name for name in ("prompt", "generator") if name not in shown]
    parts = [
        f"{' and '.join(hidden)} hidden" if hidden else "",
        f"{' and '.join(shown)} shown" if shown else "",
        *(f"{one.short.lower()}: {one.in_words(said(one.name))}" for _, one in settings),
        *(
            f"no {share}" if str(said(share) or 0) == "0" else f"{said(share)}% {share}"
            for share in ("anchors", "repeats")
        ),
        "balanced with earlier batches" if has_earlier and said("top_up") else "",
        "only qualified annotators" if said("needs_standing") else "",
        "image limits" if limited else "",
        f"seed {said('seed')}",
    ]
    sentence = ", ".join(filter(None, parts))
    return f"{sentence[:1].upper()}{sentence[1:]}."


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
