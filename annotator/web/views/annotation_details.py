"""One annotation for display: its content, provenance and history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation, Assignment, Event
from annotator.protocols.registry import page_of
from annotator.templatetags.anatomark import duration
from scoring.payloads import FLAG_REASONS


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


def said_by(event: Event) -> tuple[str, str]:
    """Return an Event of an assignment as title and reason; the reason may be empty."""
    title = VERBS.get(event.verb, event.verb.replace("_", " ").capitalize())
    said = [str(event.data.get(name) or "") for name in ("reason", "note")]
    if event.verb == "skipped":
        said[0] = FLAG_REASONS.get(said[0], said[0])
    return title, ": ".join(filter(None, said))


def capture_rows(annotation: Annotation) -> list[tuple[str, str]]:
    """Return the recorded provenance of an annotation as titles and texts; empty if there is none."""
    kept: Mapping[str, Any] = annotation.capture
    rows = [(title, _captured(kept[name])) for name, title in _CAPTURED.items() if kept.get(name) is not None]
    times = [(title, duration(kept[name])) for name, title in _TIMES.items() if kept.get(name) is not None]
    return times + rows


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


def _captured(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(value)
    if isinstance(value, list):
        return " × ".join(f"{side:g}" for side in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


VERBS: Final[Mapping[str, str]] = {
    "draft_saved": "Draft saved",
    "submitted": "Submitted",
    "reopened": "Reopened by the annotator",
    "reopened_by_lead": "Reopened by a lead",
    "left_at_closing": "Closed with the batch",
    "refused": "Not saved: changed elsewhere",
    "skipped": "Skipped",
    "resumed": "Resumed",
    "imported": "Imported",
    "withdrawn": "Reassigned",
    "question_asked": "Question asked",
    "question_replied": "Question: annotator replied",
    "question_answered": "Question answered",
    "question_resolved": "Question resolved",
}

_TIMES: Final[Mapping[str, str]] = {
    "active_ms": "Active time",
    "visible_ms": "Time visible",
    "zoom_ms": "Time enlarged",
    "shown_ms": "Suggestion shown for",
}

_CAPTURED: Final[Mapping[str, str]] = {
    "keys": "Keys pressed",
    "clicks": "Clicks",
    "taps": "Taps",
    "undos": "Undo steps",
    "first_cell": "First cell",
    "visited": "Cells visited",
    "viewport": "Window (CSS pixels)",
    "image_css": "Image (CSS pixels)",
    "pixel_ratio": "Device pixels per CSS pixel",
    "surround": "Background around the image",
    "score_shown": "Running score shown",
    "zoom": "Zoom allowed",
    "suggestion": "Suggestion shown, number of the run",
    "confirmed": "Confirmed: one part with two errors",
}
