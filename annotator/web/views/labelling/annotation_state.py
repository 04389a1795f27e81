"""The state of one assignment for the labelling page, as JSON.

It never contains the file name or other annotators' annotations, and prompt and generator only if the batch
shows them.
"""

from __future__ import annotations

from typing import Any

from annotator.annotations.locking import bar_shown, request_of_lead
from annotator.annotations.position import position_before
from annotator.annotations.queue import first_open, neighbour_keys
from annotator.annotations.versioned_changes import nothing_yet, stored_row
from annotator.images.signed_urls import image_url
from annotator.models import Annotation, Assignment, Image, User


def state_of(assignment: Assignment, user: User) -> dict[str, Any]:
    """Return the state of an assignment that `access.assignment_for` has loaded for this user.

    `upcoming` is the first other open assignment, shown after a submission. Four queries regardless of the
    length of the queue, and one or two more for closed batches and reopened annotations.
    """
    stored = stored_row(assignment)
    annotation = stored or nothing_yet(assignment)
    opened = first_open(assignment.annotator_id, most=2)
    standing = position_before(assignment, opened[0] if opened else None)
    before, after = neighbour_keys(assignment)
    batch, image = assignment.batch, assignment.image
    return {
        "id": assignment.pk,
        "position": standing.place,
        "total": standing.total,
        "done": standing.done,
        "version": annotation.version,
        "status": _status(assignment, annotation),
        "barred": bar_shown(assignment, stored),
        **({"confirmed": annotation.capture["confirmed"]} if annotation.capture.get("confirmed") else {}),
        "request": request_of_lead(assignment, stored),
        "payload": annotation.payload,
        "warnings": annotation.warnings,
        "saved_at": annotation.saved_at.isoformat() if annotation.saved_at else None,
        "image": {"src": image_url(image, user, blurred=batch.is_blurred), **_size(image)},
        "prompt": image.prompt if batch.show_prompt else None,
        "generator": image.generator if batch.show_generator else None,
        "protocol": batch.protocol,
        "batch": {
            "name": batch.name,
            "guided": batch.guided,
            "score_shown": batch.score_shown,
            **({"settings": batch.settings} if batch.settings else {}),
        },
        "guideline": batch.project.guideline_versions.get(batch.protocol),
        "previous": before,
        "next": after,
        "upcoming": next((place.pk for place in opened if place.pk != assignment.pk), None),
    }


def _size(image: Image) -> dict[str, int]:
    return {"width": image.width, "height": image.height}


def _status(assignment: Assignment, annotation: Annotation) -> str:
    """Return `draft` (also if not begun), `submitted`, `reopened` or `skipped`."""
    skipped = assignment.status == Assignment.Status.SKIPPED
    return str(Assignment.Status.SKIPPED if skipped else annotation.status)
