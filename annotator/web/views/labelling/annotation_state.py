"""The state of one assignment for the annotation page, as JSON.

It never contains the file name or other annotators' annotations, and prompt, generator and Image Id only if
the batch shows them.
"""

from __future__ import annotations

from typing import Any

from annotator.annotations.capture import effort_of
from annotator.annotations.given import payload_now
from annotator.annotations.locking import bar_shown, request_of_lead
from annotator.annotations.position import position_before
from annotator.annotations.queue import first_open, next_of_attempt
from annotator.annotations.versioned_changes import nothing_yet
from annotator.images.signed_urls import assigned_url
from annotator.models import Annotation, Assignment, User
from annotator.protocols.page import IMAGE_ID_SHOWN
from annotator.suggestions.runs import suggestion_shown


def state_of(assignment: Assignment, user: User) -> dict[str, Any]:
    """Return the state of an assignment that `access.assignment_for` has loaded for this user.

    `upcoming` is the first other open assignment, shown after a submission, and `upcoming_image` its image;
    a qualification goes on by itself. Two queries regardless of the length of the queue, and one or two more
    for qualifications, closed batches and reopened annotations.
    """
    return _state(assignment, user, first_open(assignment.annotator_id))


def state_after(assignment: Assignment, user: User) -> dict[str, Any] | None:
    """Return the state of the annotator's next open assignment after this one; None if none is open.

    After training, too: work is begun from the queue.
    """
    opened = first_open(assignment.annotator_id)
    trains = assignment.purpose == Assignment.Purpose.TRAINING
    fit = (other for other in opened if not trains or other.purpose == assignment.purpose)
    following = next_of_attempt(assignment) or next(fit, None)
    return _state(following, user, opened) if following else None


def _state(assignment: Assignment, user: User, opened: list[Assignment]) -> dict[str, Any]:
    """Return the state of an assignment; `opened` are the first two open ones."""
    stored: Annotation | None = getattr(assignment, "annotation", None)
    annotation = stored or nothing_yet(assignment)
    standing = position_before(assignment, opened[0] if opened else None)
    others = (other for other in opened if other.pk != assignment.pk)
    upcoming = next_of_attempt(assignment) or next(others, None)
    batch = assignment.batch
    return {
        "id": assignment.pk,
        "position": standing.place,
        "total": standing.total,
        "done": standing.done,
        "version": annotation.version,
        "status": "skipped" if assignment.status == Assignment.Status.SKIPPED else annotation.status,
        "barred": bar_shown(assignment, stored),
        **{name: cells for name in ("confirmed", "visited") if (cells := annotation.capture.get(name))},
        **({"effort": effort} if (effort := effort_of(annotation.capture)) else {}),
        "request": request_of_lead(assignment, stored),
        "payload": payload_now(assignment, annotation),
        "warnings": annotation.warnings,
        "saved_at": annotation.saved_at.isoformat() if annotation.saved_at else None,
        "image": _picture(assignment, user),
        "prompt": assignment.image.prompt if batch.show_prompt else None,
        "generator": assignment.image.generator if batch.show_generator else None,
        **({"image_id": assignment.image.unique_id} if batch.settings.get(IMAGE_ID_SHOWN.name) else {}),
        "protocol": batch.protocol,
        "batch": {
            "name": batch.name,
            "guided": batch.guided,
            "score_shown": batch.score_shown,
            **({"settings": batch.settings} if batch.settings else {}),
        },
        **suggestion_shown(assignment),
        "guideline": batch.project.guideline_versions.get(batch.protocol),
        "previous": standing.before,
        "next": standing.after,
        "upcoming": upcoming and upcoming.pk,
        "upcoming_image": upcoming and _picture(upcoming, user),
    }


def _picture(assignment: Assignment, user: User) -> dict[str, Any]:
    image = assignment.image
    return {"src": assigned_url(assignment, user), "width": image.width, "height": image.height}
