"""Which submission or skip the notice afterwards offers to undo.

Its words: `static/js/labelling/messages.ts`, and `labelling/message_line.html` without scripts.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpRequest

from annotator.annotations.position import with_places
from annotator.models import Annotation, Assignment, Batch, Membership

PARAMETER = "after"


@dataclass(frozen=True)
class Submitted:
    """A submission or a skip that can be undone: `outcome` is “submitted” or “skipped”.

    `place` is its number in the queue, `version` that of its annotation, 0 without one.
    """

    pk: int
    place: int
    outcome: str
    version: int
    request_key: uuid.UUID


def just_submitted(request: HttpRequest, membership: Membership) -> Submitted | None:
    """Return the user's own submission or skip named in the address, if any.

    The address names it, not the session, so that repeated requests and reloads show the same notice.
    """
    named = request.GET.get(PARAMETER, "")
    if not (named.isascii() and named.isdigit() and len(named) < 19):
        return None
    own = Assignment.objects.filter(
        Q(annotation__status=Annotation.Status.SUBMITTED) | Q(status=Assignment.Status.SKIPPED),
        annotator=membership,
    ).exclude(batch__status=Batch.Status.CLOSED)
    columns = ("pk", "place", "status", "annotation__version")
    submitted = with_places(own.filter(pk=int(named))).values(*columns).first()
    if submitted is None:
        return None
    return Submitted(
        pk=submitted["pk"],
        place=submitted["place"],
        outcome="skipped" if submitted["status"] == Assignment.Status.SKIPPED else "submitted",
        version=submitted["annotation__version"] or 0,
        request_key=uuid.uuid4(),
    )
