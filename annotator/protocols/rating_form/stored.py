"""The rating forms that projects have stored."""

from __future__ import annotations

from typing import Final

from django.db import transaction

from annotator.inputs.refusal import Refusal
from annotator.models import Adjudication, Batch, Membership, Project, RatingForm, Reference
from scoring.protocol import Protocol
from scoring.rating_form.definition import FormDefinition, definition_of
from scoring.rating_form.protocol import protocol_of

MOST_FORMS: Final = 50


class FormRefused(Refusal, ValueError):
    """A form that cannot be stored; the message names the cause."""


def load(slug: str) -> Protocol | None:
    """Return the protocol of a stored form; None if no project has it."""
    row = RatingForm.objects.filter(slug=slug).first()
    return protocol_of(definition_of(row.definition)) if row else None


def forms_of(project: Project) -> list[str]:
    """Return the slugs of a project's forms that new batches can use."""
    return list(project.rating_forms.filter(retired=False).values_list("slug", flat=True))


def use_of(row: RatingForm) -> str:
    """Return the name of a batch that uses a form, or other work; empty if nothing does."""
    if name := Batch.objects.filter(project=row.project, protocol=row.slug).values_list("name").first():
        return f"“{name[0]}”"
    for other, title in ((Reference, "a reference"), (Adjudication, "an adjudication")):
        if other.objects.filter(image__project=row.project, protocol=row.slug).exists():
            return title
    return ""


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
        if replaced is not None and replaced.slug != definition.slug and not use_of(replaced):
            replaced.delete()
        if found is not None:
            return found
        if project.rating_forms.count() >= MOST_FORMS:
            raise FormRefused(f"A project has at most {MOST_FORMS} forms.", "too-many-forms")
        return RatingForm.objects.create(
            project=project, slug=definition.slug, definition=definition.as_json(), made_by=by
        )
