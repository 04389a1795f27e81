"""Imported annotations that are partly or completely unreadable.

A completely unreadable annotation has no score: its values are missing, not free of errors. It is kept and
reported wherever scores are counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet

from annotator.models import Annotation, Project
from scoring.grid.notation import is_only_a_comma


def loses_terms(source: Mapping[str, Any] | None) -> bool:
    """Tell whether some content of an imported row could not be read.

    An extra comma beside readable terms is a problem of the cell, but loses no content.
    """
    return any(not is_only_a_comma(str(problem["text"])) for problem in (source or {}).get("problems", ()))


def says_nothing(payload: Mapping[str, Any]) -> bool:
    """Tell whether a submitted payload has neither marks nor “no errors”: nothing could be read."""
    return not payload.get("marks") and not payload.get("no_errors")


def nothing_read() -> Q:
    """Return the filter for completely unreadable annotations."""
    return Q(has_unread_terms=True, payload__marks=[], payload__no_errors=False)


def annotations_without_numbers(project: Project | int) -> QuerySet[Annotation]:
    """Return a project's submitted annotations that are not counted because they are unreadable."""
    return Annotation.objects.filter(
        nothing_read(),
        status=Annotation.Status.SUBMITTED,
        assignment__batch__project=project,
    )


def unread_annotations() -> QuerySet[Annotation]:
    """Return annotations as imported of which something could not be read.

    Annotations changed since the import are considered repaired.
    """
    return Annotation.objects.filter(has_unread_terms=True, version=1)


def annotations_with_problems(project: Project) -> QuerySet[Annotation]:
    """Return a project's unread annotations with their images and annotators, in the order of the import."""
    rows = unread_annotations().filter(assignment__batch__project=project)
    return rows.select_related("assignment__image", "assignment__annotator__user").order_by("pk")
