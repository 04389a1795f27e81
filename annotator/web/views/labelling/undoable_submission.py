"""Which submission or skip the notice afterwards offers to undo.

Its words: `static/js/labelling/messages.ts`, and `labelling/message_line.html` without scripts.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.db.models import Q
from django.http import HttpRequest

from annotator.annotations.position import with_places
from annotator.models import Annotation, Assignment, Batch, Membership

PARAMETER = "after"


def just_submitted(request: HttpRequest, membership: Membership) -> dict[str, Any] | None:
    """Return the user's own submission or skip named in the address, if any.

    `place` is its number in the queue, `outcome` “submitted” or “skipped”, `version` that of its annotation,
    0 without one.
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
    row = with_places(own.filter(pk=int(named))).values(*columns).first()
    if row is None:
        return None
    outcome = "skipped" if row["status"] == Assignment.Status.SKIPPED else "submitted"
    version = row["annotation__version"] or 0
    return {**row, "version": version, "outcome": outcome, "request_key": uuid4()}
