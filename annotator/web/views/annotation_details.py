"""One annotation for display."""

from __future__ import annotations

from typing import Any

from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation, Assignment
from annotator.protocols.registry import page_of


def details_of(annotation: Annotation) -> dict[str, Any]:
    """Return an annotation, loaded with its assignment and batch, ready for display.

    `score` is the headline's exact value as text, empty for a draft.
    """
    face = page_of(annotation.assignment.batch.protocol)
    return {
        "annotation": annotation,
        "headline": face.headline,
        "score": _score(annotation),
        "result": face.form.result(annotation.payload),
        "counts": face.form.counts_of(annotation.payload),
        "template": face.form.result_path,
        "stylesheet": face.form.stylesheet,
        "problems": (annotation.source or {}).get("problems", []) if annotation.version == 1 else [],
    }


def state_of(assignment: Assignment, annotation: Annotation) -> str:
    """Return the status of an annotation as text."""
    if assignment.status == Assignment.Status.WITHDRAWN:
        return "Reassigned"
    if assignment.status == Assignment.Status.SKIPPED:
        return "Skipped"
    return annotation.get_status_display()


def _score(annotation: Annotation) -> str:
    """Return the rating of the whole image, without a component; empty if nothing could be read."""
    if annotation.has_unread_terms and says_nothing(annotation.payload):
        return ""
    whole = [value for _, component, value in annotation.ratings or [] if not component]
    return str(whole[0]) if whole else ""
