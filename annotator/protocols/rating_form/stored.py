"""The rating forms that projects have stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db import transaction

from annotator.inputs.refusal import Refusal
from annotator.models import Adjudication, Batch, Event, Membership, Project, RatingForm, Reference
from scoring.protocol import Protocol
from scoring.rating_form.definition import FormDefinition, definition_of
from scoring.rating_form.protocol import protocol_of

MOST_FORMS: Final = 50


class FormRefused(Refusal, ValueError):
    """A form that cannot be stored; the message names the cause. `faults` are the messages by field."""

    def __init__(self, text: str, code: str, faults: Mapping[str, list[str]] | None = None) -> None:
        super().__init__(text, code)
        self.faults = faults or {"": [text]}


def load(slug: str) -> Protocol | None:
    """Return the protocol of a stored form; None if no project has it."""
    row = RatingForm.objects.filter(slug=slug).first()
    return protocol_of(definition_of(row.definition)) if row else None


def forms_of(project: Project) -> list[str]:
    """Return the slugs of a project's forms that new batches can use."""
    return list(project.rating_forms.filter(retired=False).values_list("slug", flat=True))


def uses_of(project: Project) -> dict[str, str]:
    """Return what uses each form, by slug: its first batch by name, or other work; not those without use."""
    use: dict[str, str] = {}
    for rows, title in (
        (Adjudication.objects.filter(image__project=project), "An adjudication"),
        (Reference.objects.filter(image__project=project), "A reference"),
    ):
        use |= dict.fromkeys(rows.order_by().values_list("protocol", flat=True).distinct(), title)
    batches = Batch.objects.filter(project=project).order_by("-pk").values_list("protocol", "name")
    return use | {slug: f"“{name}”" for slug, name in batches}


def save_form(
    project: Project, definition: FormDefinition, by: Membership | None, replaced: RatingForm | None = None
) -> RatingForm:
    """Store a checked form; an unused one that it replaces goes. Raises FormRefused.

    The same definition is stored once. Releases of batches lock the project, too, so none loses its form.
    """
    with transaction.atomic():
        Project.locked(project.pk)
        found = project.rating_forms.filter(slug=definition.slug).first()
        if found is not None and found.definition != definition.as_json():
            raise FormRefused("Another form has this slug. Change a word of its title.", "slug-taken")
        if replaced and replaced.slug not in {definition.slug, *uses_of(project)}:
            replaced.delete()
        if found is not None:
            return found
        if project.rating_forms.count() >= MOST_FORMS:
            raise FormRefused(f"A project has at most {MOST_FORMS} forms.", "too-many-forms")
        # Events outlive the definition.
        data, actor = {"protocol": definition.slug}, by.user if by else None
        Event.objects.create(project=project, actor=actor, verb="form_saved", data=data)
        return RatingForm.objects.create(
            project=project, slug=definition.slug, definition=definition.as_json(), made_by=by
        )
