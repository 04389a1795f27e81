"""The quiet word after a submission: which image it was, and a way to take it back."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.http import HttpRequest

from annotator.annotations.position import with_places
from annotator.models import Annotation, Assignment, Membership

PARAMETER = "after"


@dataclass(frozen=True)
class Submitted:
    """A submission that can still be withdrawn; `place` is its number in the queue."""

    pk: int
    place: int
    version: int
    warnings: int
    request_key: uuid.UUID


def just_submitted(request: HttpRequest, membership: Membership) -> Submitted | None:
    """Return the person's own submission that the address speaks of; None where there is none.

    The address says it, not the session: a repeated request then says it once, and reloading is harmless.
    """
    named = request.GET.get(PARAMETER, "")
    if not (named.isascii() and named.isdigit() and len(named) < 19):
        return None
    own = Assignment.objects.filter(annotator=membership, annotation__status=Annotation.Status.SUBMITTED)
    columns = ("pk", "place", "annotation__version", "annotation__warnings")
    found = with_places(own.filter(pk=int(named))).values(*columns).first()
    if found is None:
        return None
    return Submitted(
        pk=found["pk"],
        place=found["place"],
        version=found["annotation__version"],
        warnings=len(found["annotation__warnings"]),
        request_key=uuid.uuid4(),
    )
