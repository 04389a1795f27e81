"""The decisions on faces of a bundle: rows to restore them, including replaced ones.

Replaced decisions tell who has seen which faces, so they are needed to keep these people from rating them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import QuerySet

from analysis.bundles.rows import lines_of, places_of
from analysis.bundles.source import BundleSource, in_chunks
from annotator.models import FaceDecision

FACES: Final = "restore/faces.jsonl"


def decisions_in(source: BundleSource) -> QuerySet[FaceDecision]:
    """Return the decisions in stored order."""
    return FaceDecision.objects.filter(image__in=source.images.order_by()).order_by("pk")


def face_counts(source: BundleSource) -> dict[str, int]:
    """Return the number of decisions for project.json; empty without any."""
    count = decisions_in(source).count()
    return {"faces": count} if count else {}


def face_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the decisions; images by line, people by position in project.json."""
    people, line_of = places_of(source.people), lines_of(source.images)
    fields = ("image_id", "decided_by_id", "rectangles", "source", "replaced_at")
    for image, by, rectangles, made_from, replaced_at in in_chunks(decisions_in(source), *fields):
        yield {
            "image": line_of(image),
            # None for a lead who is not among the annotators of the bundle.
            "decided_by": people.get(by),
            "rectangles": rectangles,
            "source": made_from,
            "replaced": replaced_at is not None,
        }
