"""Counts for a lead's overview of a project, computed in the database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, OuterRef, QuerySet

from annotator.models import Assignment, Membership, Project
from annotator.models.counting import WorkCount, is_work, per_row, work_counts
from annotator.models.images import IS_STUDIED


@dataclass(frozen=True)
class ProjectCounts:
    """Size and progress of a project."""

    images: int
    work: WorkCount


def project_counts(project: Project) -> ProjectCounts:
    """Count a project's images and assignments, in three queries."""
    held = Assignment.objects.filter(is_work(), batch__project=project, position__isnull=False)
    work = sum((count for _, _, count in work_counts(held)), WorkCount())
    return ProjectCounts(project.images.filter(IS_STUDIED).count(), work)


def people_of(project: Project) -> QuerySet[Membership]:
    """Return the project's members by role and code, with the number of images they have `begun`."""
    held = Assignment.objects.filter(is_work(), annotator=OuterRef("pk"), position__isnull=False)
    # Few assignments are open, so only these are joined with annotations.
    still_open = held.filter(status=Assignment.Status.OPEN).order_by().values("annotator")
    members = project.memberships.select_related("user").order_by("role", "code")
    return members.annotate(begun=per_row(still_open, Count("annotation")))


def counts_of_people(members: Sequence[Membership]) -> dict[int, WorkCount]:
    """Return member → count of their assignments that count; two queries."""
    counts: dict[int, WorkCount] = defaultdict(WorkCount)
    held = Assignment.objects.filter(is_work(), annotator__in=members, position__isnull=False)
    for annotator, _, count in work_counts(held):
        counts[annotator] += count
    return {member.pk: counts[member.pk] for member in members}


def distinct_values(project: Project, field: str, limit: int) -> list[str]:
    """Return the non-empty values of an image field for a filter, sorted; at most `limit`."""
    images = project.images.filter(IS_STUDIED)
    values = images.order_by(field).values_list(field, flat=True).distinct()
    return list(values.exclude(**{field: ""})[:limit])


def attribute_values(project: Project, most: int) -> dict[str, list[str]]:
    """Return the values of the images' attributes that have at most `most` of them, sorted; one query."""
    by_name: dict[str, set[str]] = {}
    described = project.images.exclude(attributes={}).order_by().values_list("attributes", flat=True)
    for attributes in described.distinct().iterator(chunk_size=2000):
        for name, value in attributes.items():
            if value and isinstance(value, str) and "=" not in name:
                by_name.setdefault(name, set()).add(value)
    return {name: sorted(values) for name, values in sorted(by_name.items()) if len(values) <= most}
