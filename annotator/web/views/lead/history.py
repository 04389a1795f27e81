"""The history of a project, newest first, for its leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotator.exchange.formats.names import whole_number
from annotator.models import Event, Project
from annotator.people.access import project_as_lead
from annotator.web.views.pages import safe_page
from scoring.payloads import FLAG_REASONS

SHOWN: Final = 50


@safe_page
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """List what was decided in a project, or with `?kind=answers` what became of annotations.

    Pages are found by id and never counted, so the cost does not grow with the history.
    """
    project = project_as_lead(request.user, slug)
    kind = "answers" if request.GET.get("kind") == "answers" else ""
    found = Event.objects.filter(project=project).select_related("actor", "assignment__image")
    found = found.filter(verb__in=_OF_ANNOTATIONS) if kind else found.exclude(verb__in=_OF_ANNOTATIONS)
    before = whole_number(request.GET.get("before", ""))
    if before is not None:
        found = found.filter(pk__lt=before)
    events = list(found.order_by("-pk")[: SHOWN + 1])
    context = {
        "project": project,
        "section": "overview",
        "kind": kind,
        "rows": rows_of(project, events[:SHOWN]),
        "older": events[SHOWN - 1].pk if len(events) > SHOWN else None,
        "newest": before is None,
    }
    return render(request, "annotator/projects/history.html", context)


def rows_of(project: Project, events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return event, title, what it is about, and the actor's code in the project; the last two may be empty.

    An unknown verb becomes its title.
    """
    members = project.memberships.filter(user__in={event.actor_id for event in events if event.actor_id})
    codes = dict(members.values_list("user", "code"))
    return [
        {
            "event": event,
            "title": _TITLES.get(event.verb, event.verb.replace("_", " ").capitalize()),
            "about": ", ".join(FLAG_REASONS.get(text, text) for text in _texts(event)),
            "code": codes.get(event.actor_id or 0, ""),
        }
        for event in events
    ]


def _texts(event: Event) -> list[str]:
    """Return whom, what or which image an event names, and the reason that somebody gave; as typed."""
    names = ("code", "name", "file", "generator", "prompt", "number", "reason", "note")
    named = (event.data.get(name) for name in names)
    return [str(value) for value in named if value and isinstance(value, str | int)]


_OF_ANNOTATIONS: Final = (
    *("draft_saved", "submitted", "reopened", "reopened_by_lead", "left_at_closing", "refused", "skipped"),
    *("resumed", "imported", "withdrawn"),
    *("question_asked", "question_replied", "question_answered", "question_resolved"),
)
_TITLES: Final = {
    "reopened": "Reopened by the annotator",
    "reopened_by_lead": "Reopened by a lead",
    "left_at_closing": "Closed with the batch",
    "refused": "Not saved: changed elsewhere",
    "withdrawn": "Reassigned",
    "question_replied": "Question: annotator replied",
    "person_unlinked": "Account link removed (data retention)",
    "faces_right_changed": "Right to mark faces changed",
    "account_deleted": "Account deleted, annotations kept",
    "people_changed": "Batch annotators changed",
    "project_changed": "Project changed by an administrator",
    "project_taken_back": "Project deletion undone",
    "protocols_set": "What is measured changed",
    "answers_imported": "Annotations imported",
    "adjudicated": "Image adjudicated",
    "bundled": "Publication bundle created",
    "interim_results_opened": "Results opened before the end",
}
"""Titles that are not their verb."""
