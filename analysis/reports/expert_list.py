"""The images that need an expert: under protocols that decide each image by its annotations."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotator.models import Assignment, ImageSummary
from annotator.models.counting import is_work
from scoring.service import PROTOCOLS

DECIDED: Final = tuple(slug for slug, protocol in PROTOCOLS.items() if protocol.decide)
_OPEN: Final = Assignment.objects.filter(
    is_work(),
    image=OuterRef("image"),
    batch__protocol=OuterRef("protocol"),
    status=Assignment.Status.OPEN,
)
_IN_DOUBT: Final = Q(apart=True) | Q(flagged=True) | Q(score=None)


def disputed(protocols: Collection[str] = DECIDED, *, adjudicated: bool = False) -> QuerySet[ImageSummary]:
    """Return the images on which annotators differ, or which one has flagged, and nobody owes an answer.

    Those that an expert has adjudicated are left out unless `adjudicated`.
    """
    rows = ImageSummary.objects.filter(
        _IN_DOUBT, ~Exists(_OPEN), protocol__in=protocols, code="", answers__gt=1
    )
    return (rows if adjudicated else rows.filter(adjudicated=False)).order_by("pk")
