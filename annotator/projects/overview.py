"""Counts for a lead's overview of a project, computed in the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Count,
    F,
    OuterRef,
    Q,
    QuerySet,
)

from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project
from annotator.models.counting import is_work, per_row

GENERATORS_SHOWN = 12


@dataclass(frozen=True)
class ProjectCounts:
    """Size and progress of a project."""

    images: int
    assignments: int
    done: int


@dataclass(frozen=True)
class PromptRow:
    """One prompt's image counts by generator, in the order of the columns; `total` is their sum."""

    prompt: str
    prompt_group: str
    counts: tuple[int, ...]
    total: int


def project_counts(project: Project) -> ProjectCounts:
    """Count a project's images and assignments, in two queries."""
    held = Assignment.objects.filter(is_work(), batch__project=project, position__isnull=False)
    work = held.aggregate(total=Count("pk"), done=Count("pk", filter=~Q(status=Assignment.Status.OPEN)))
    return ProjectCounts(images=project.images.count(), assignments=work["total"], done=work["done"])


def generators_of(project: Project) -> list[tuple[str, int]]:
    """Return the generators with most images and their counts; at most GENERATORS_SHOWN."""
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


def people_of(project: Project, *, apart: bool = True) -> QuerySet[Membership]:
    """Return the project's members with their `owed`, `done`, `begun` and `imported` assignments.

    `apart` counts those of imported batches, made elsewhere under this member's code, as `imported` only.
    """
    held = Assignment.objects.filter(is_work(), annotator=OuterRef("pk"), position__isnull=False)
    rows = held.order_by().values("annotator")
    # Few batches: as a list of keys they need no join with each assignment.
    here = Q(batch__in=project.batches.filter(prompt_seen__in=(Batch.Seen.AS_SET, Batch.Seen.VARIED)))
    own = rows.filter(here) if apart else rows
    done = Count("pk", filter=~Q(status=Assignment.Status.OPEN))
    # Few assignments are open, so only these are joined with annotations.
    still_open = own.filter(status=Assignment.Status.OPEN)
    return (
        project.memberships.select_related("user")
        .order_by("role", "code")
        .annotate(
            owed=per_row(own, Count("pk")),
            done=per_row(own, done),
            begun=per_row(still_open, Count("annotation")),
            imported=per_row(rows.filter(~here), Count("pk")),
        )
    )


def batches_of(project: Project) -> QuerySet[Batch]:
    """Return the project's batches, newest first, with `owed`, `done`, `images` and `people`."""
    held = Assignment.objects.filter(is_work(), batch=OuterRef("pk"), position__isnull=False)
    own = held.order_by().values("batch")
    done = Count("pk", filter=~Q(status=Assignment.Status.OPEN))
    return project.batches.order_by("-pk").annotate(
        owed=per_row(own, Count("pk")),
        done=per_row(own, done),
        image_count=per_row(own, Count("image", distinct=True)),
        people=per_row(own, Count("annotator", distinct=True)),
    )


def annotations_with_problems(project: Project) -> QuerySet[Annotation]:
    """Return unchanged imported annotations with unreadable terms in their source.

    Annotations changed since the import are considered repaired.
    """
    imported = Annotation.objects.filter(has_unread_terms=True, version=1, assignment__image__goes_at=None)
    return (
        imported.filter(assignment__batch__project=project)
        .select_related("assignment__image", "assignment__annotator__user")
        .order_by("pk")
    )


def distinct_values(project: Project, field: str, limit: int) -> list[str]:
    """Return the non-empty values of an image field for a filter, sorted; at most `limit`."""
    values = project.images.order_by(field).values_list(field, flat=True).distinct()
    return list(values.exclude(**{field: ""})[:limit])


def attribute_values(project: Project, most: int) -> dict[str, list[str]]:
    """Return the values of the images' attributes that have at most `most` of them, sorted; one query."""
    found: dict[str, set[str]] = {}
    described = project.images.exclude(attributes={}).order_by().values_list("attributes", flat=True)
    for attributes in described.distinct().iterator(chunk_size=2000):
        for name, value in attributes.items():
            if value and isinstance(value, str) and "=" not in name:
                found.setdefault(name, set()).add(value)
    return {name: sorted(values) for name, values in sorted(found.items()) if len(values) <= most}


def by_annotator(annotations: QuerySet[Annotation]) -> QuerySet[Annotation]:
    """Sort annotations by annotator, for display side by side."""
    return annotations.order_by("assignment__annotator__code", F("submitted_at").desc(nulls_last=True))
