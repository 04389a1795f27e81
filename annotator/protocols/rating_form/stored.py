"""The rating forms that projects have stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.db.models import Case, Exists, OuterRef, Subquery, Value, When
from django.db.models.functions import Concat

from annotator.inputs.refusal import Refusal
from annotator.models import (
    Adjudication,
    Annotation,
    Batch,
    Event,
    Membership,
    Project,
    RatingForm,
    Reference,
)
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
    """Return what uses each form, by slug: a batch by its name, or other work; empty if nothing does."""
    own = {"protocol": OuterRef("slug")}
    batches = Batch.objects.filter(project=project, **own).order_by("pk")
    references, adjudications = (
        Exists(model.objects.filter(image__project=project, **own)) for model in (Reference, Adjudication)
    )
    use = Case(
        When(Exists(batches), then=Concat(Value("“"), Subquery(batches.values("name")[:1]), Value("”"))),
        When(references, then=Value("A reference")),
        When(adjudications, then=Value("An adjudication")),
        default=Value(""),
    )
    return dict(project.rating_forms.annotate(use=use).values_list("slug", "use"))


def annotations_of(row: RatingForm) -> int:
    """Return how many annotations have been submitted under a form."""
    done = Annotation.Status.SUBMITTED
    batches = Batch.objects.filter(project=row.project, protocol=row.slug)
    return Annotation.objects.filter(assignment__batch__in=batches, status=done).count()


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
        if (
            replaced is not None
            and replaced.slug != definition.slug
            and uses_of(project).get(replaced.slug) == ""
        ):
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
