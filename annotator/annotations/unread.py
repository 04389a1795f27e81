"""Imported answers of which something could not be read, and those of which nothing could.

Such an answer has no score: a row that says nothing readable is missing, not free of errors. It is kept as it
is, and named where scores are counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Q, QuerySet

from annotator.models import Annotation, Project
from scoring.grid.notation import is_only_a_comma


def loses_terms(source: Mapping[str, Any] | None) -> bool:
    """Whether some of an imported row, as it was kept, entered no number.

    A comma too many beside terms that are read is a problem of the cell, but nothing is lost by it.
    """
    return any(not is_only_a_comma(str(problem["text"])) for problem in (source or {}).get("problems", ()))


def says_nothing(payload: Mapping[str, Any]) -> bool:
    """Whether a submitted payload holds neither an error nor “no errors”: nothing of its row was read."""
    return not payload.get("marks") and not payload.get("no_errors")


def nothing_read(prefix: str = "") -> Q:
    """Annotations that say nothing, whose numbers are missing; `prefix` leads to the annotation."""
    return Q(
        (f"{prefix}has_unread_terms", True),
        (f"{prefix}payload__marks", []),
        (f"{prefix}payload__no_errors", False),
    )


def answers_without_numbers(project: Project | int) -> QuerySet[Annotation]:
    """Return the submitted answers of a project that count nowhere because nothing of them was read."""
    return Annotation.objects.filter(
        nothing_read(),
        status=Annotation.Status.SUBMITTED,
        assignment__batch__project=project,
        assignment__image__goes_at=None,
    )
