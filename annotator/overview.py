"""What a lead sees of a project: counted in the database, never row by row in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Avg,
    Case,
    Count,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast, StrIndex, Substr

from annotator.counting import per_row
from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project

GENERATORS_SHOWN = 12


@dataclass(frozen=True)
class ProjectCounts:
    """How large a project is and how far it has come."""

    images: int
    assignments: int
    done: int


@dataclass(frozen=True)
class PromptRow:
    """One prompt's images by generator, in the order of the table's columns; `total` counts all of them."""

    prompt: str
    prompt_group: str
    counts: tuple[int, ...]
    total: int


def project_counts(project: Project) -> ProjectCounts:
    """Count a project's images and assignments, in two queries."""
    work = Assignment.objects.filter(batch__project=project).aggregate(
        total=Count("pk"), done=Count("pk", filter=~Q(status=Assignment.Status.OPEN))
    )
    return ProjectCounts(images=project.images.count(), assignments=work["total"], done=work["done"])


def generators_of(project: Project) -> list[tuple[str, int]]:
    """Return the generators with the most images and how many they have; at most GENERATORS_SHOWN."""
    counted = project.images.order_by().values_list("generator").annotate(count=Count("pk"))
    return sorted(counted.order_by("-count", "generator")[:GENERATORS_SHOWN])


def prompts_of(project: Project) -> QuerySet[Image, Any]:
    """Return prompt, prompt group and number of images, by prompt."""
    counted = project.images.order_by().values("prompt", "prompt_group").annotate(total=Count("pk"))
    return counted.order_by("prompt", "prompt_group")


def prompt_rows(
    project: Project, prompts: Sequence[Mapping[str, Any]], generators: Sequence[str]
) -> list[PromptRow]:
    """Return the rows of the table for the prompts of one page, in one query."""
    names = [row["prompt"] for row in prompts]
    counted = project.images.filter(prompt__in=names, generator__in=generators).order_by()
    counts = {
        (row["prompt"], row["prompt_group"], row["generator"]): row["count"]
        for row in counted.values("prompt", "prompt_group", "generator").annotate(count=Count("pk"))
    }
    return [
        PromptRow(
            prompt=row["prompt"],
            prompt_group=row["prompt_group"],
            counts=tuple(
                counts.get((row["prompt"], row["prompt_group"], generator), 0) for generator in generators
            ),
            total=row["total"],
        )
        for row in prompts
    ]


def people_of(project: Project) -> QuerySet[Membership]:
    """Return the project's people with `owed`, `done` and `begun` assignments each."""
    own = Assignment.objects.filter(annotator=OuterRef("pk")).order_by().values("annotator")
    done = Count("pk", filter=~Q(status=Assignment.Status.OPEN))
    begun = Count("annotation", filter=Q(status=Assignment.Status.OPEN))
    return (
        project.memberships.select_related("user")
        .order_by("role", "code")
        .annotate(owed=per_row(own, Count("pk")), done=per_row(own, done), begun=per_row(own, begun))
    )


def batches_of(project: Project) -> QuerySet[Batch]:
    """Return the project's batches, the latest first, with `owed`, `done`, `images` and `people`."""
    own = Assignment.objects.filter(batch=OuterRef("pk")).order_by().values("batch")
    done = Count("pk", filter=~Q(status=Assignment.Status.OPEN))
    return project.batches.order_by("-pk").annotate(
        owed=per_row(own, Count("pk")),
        done=per_row(own, done),
        image_count=per_row(own, Count("image", distinct=True)),
        people=per_row(own, Count("annotator", distinct=True)),
    )


def annotations_with_problems(project: Project) -> QuerySet[Annotation]:
    """Return the imported annotations whose source held something that could not be read."""
    imported = Annotation.objects.filter(assignment__batch__project=project, source__isnull=False)
    return (
        imported.exclude(source__problems=[])
        .filter(source__has_key="problems")
        .select_related("assignment__image", "assignment__annotator")
        .order_by("pk")
    )


def images_of(project: Project) -> QuerySet[Image]:
    """Return the project's images with `answers` (submitted ones) and `mean_score` (a float, or None)."""
    submitted = Annotation.objects.filter(
        assignment__image=OuterRef("pk"), status=Annotation.Status.SUBMITTED
    ).order_by()
    by_image = submitted.values("assignment__image")
    mean = by_image.annotate(mean=Avg(_cumulative_score())).values("mean")
    return project.images.annotate(
        answers=per_row(by_image, Count("pk")), mean_score=Subquery(mean, output_field=FloatField())
    )


def _cumulative_score() -> Case:
    """The first rating, `numerator/denominator`, as a float: for sorting and means in lists only."""
    written = Cast(KeyTextTransform(2, KeyTransform(0, "ratings")), TextField())
    slash = StrIndex(written, Value("/"))
    numerator = Cast(Substr(written, 1, slash - 1), FloatField())
    denominator = Cast(Substr(written, slash + 1), FloatField())
    return Case(
        When(Q(ratings__0__0="cumulative_score"), then=numerator / denominator),
        default=None,
        output_field=FloatField(),
    )


def distinct_values(project: Project, field: str, limit: int) -> list[str]:
    """Return the values of an image's field for a filter, sorted; at most `limit`, the empty one left out."""
    values = project.images.order_by(field).values_list(field, flat=True).distinct()
    return list(values.exclude(**{field: ""})[:limit])


def by_annotator(annotations: QuerySet[Annotation]) -> QuerySet[Annotation]:
    """Sort annotations by the annotator, for reading side by side."""
    return annotations.order_by("assignment__annotator__code", F("submitted_at").desc(nulls_last=True))
