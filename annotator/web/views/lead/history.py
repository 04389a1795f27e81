"""The history of a project, newest first, for its leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotator.exchange.formats.names import whole_number
from annotator.models import Event, Project
from annotator.people.access import project_as_lead
from annotator.templatetags.anatomark import score
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
    """Return event, title, details and the actor's code in the project; the last two may be empty.

    An unknown verb becomes its title.
    """
    members = project.memberships.filter(user__in={event.actor_id for event in events if event.actor_id})
    codes = {user: code for user, code in members.values_list("user", "code") if user is not None}
    rows = []
    for event in events:
        title = _TITLES.get(event.verb, event.verb.replace("_", " ").capitalize())
        details = details_of(event.data) if event.assignment_id is None else _reason(event)
        code = codes.get(event.actor_id, "") if event.actor_id is not None else ""
        rows.append({"event": event, "title": title, "details": details, "code": code})
    return rows


def details_of(data: Mapping[str, Any]) -> str:
    """Return what an event concerns, counts and changes; names of leads and files stand as given."""
    was = data.get("replaced")
    changed = was if isinstance(was, Mapping) else ()
    named = [" · ".join(str(data[name]) for name in _IMAGE if data.get(name))]
    named += [_text(data[name]) for name in _NAMED if name not in changed and _is_name(data.get(name))]
    named += [words[not data[name]] for name, words in _FLAGS.items() if name in data]
    moved = [f"{word} {', '.join(data[name])}" for name, word in _MOVED.items() if data.get(name)]
    counted = [_counted(data.get(name), thing) for name, thing in _COUNTED.items()]
    said = (", ".join(filter(None, named)), *moved, *counted, _scores(data), _changes(data))
    return "; ".join(filter(None, said))


def _reason(event: Event) -> str:
    """Return why an assignment was acted on, as far as somebody has said it."""
    said = [str(event.data.get(name) or "") for name in ("reason", "note")]
    if event.verb == "skipped":
        said[0] = FLAG_REASONS.get(said[0], said[0])
    return ": ".join(filter(None, said))


def _scores(data: Mapping[str, Any]) -> str:
    """Return the score of an adjudication, after the one that it replaces."""
    before = data.get("replaced")
    is_adjudicated = isinstance(before, Mapping) and before.get("status") == "adjudicated"
    values = [before["ratings"][0][2] if before and is_adjudicated else None, data.get("score")]
    return " → ".join(score(value) for value in values if value is not None)


def _changes(data: Mapping[str, Any]) -> str:
    """Return the values that changed, `name: before → after`, at most `_LISTED` of them."""
    before = data.get("replaced", data.get("old"))
    if "replaced" in data and not isinstance(before, Mapping):
        return f"{_text(before)} → {_text(data['tags'])}" if "tags" in data else ""
    was = before if isinstance(before, Mapping) else {}
    there = {name: data[name] for name in was if name in data}
    after = next((data[name] for name in _AFTER if isinstance(data.get(name), Mapping)), there)
    changed = [
        f"{name}: {_text(was.get(name))} → {_text(value)}"
        for name, value in after.items()
        if was.get(name) != value
    ]
    more = [f"{len(changed) - _LISTED:,} more"] if len(changed) > _LISTED else []
    return "; ".join([*changed[:_LISTED], *more])


def _is_name(value: object) -> bool:
    return bool(value) and isinstance(value, str | list)


def _counted(count: object, thing: str) -> str:
    if isinstance(count, Mapping):
        return ", ".join(f"{number:,} {name}" for name, number in count.items() if number)
    found = len(count) if isinstance(count, list) else count
    return f"{found:,} {thing}" if isinstance(found, int) else ""


def _text(value: object) -> str:
    if value is None or value in ("", []):
        return "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


_LISTED: Final = 3
_IMAGE: Final = ("generator", "prompt", "number")
_NAMED: Final = (
    *("code", "codes", "role", "name", "file", "protocol", "protocols", "version", "layout", "format"),
    *("summary", "kind", "column", "words", "reason"),
)
_FLAGS: Final[Mapping[str, tuple[str, str]]] = {
    "pseudonyms": ("pseudonyms", ""),
    "draws_faces": ("may mark faces", "may no longer mark faces"),
    "kept": ("taken back", "left out"),
    "passed": ("passed", "not passed"),
}
"""Words for what is so, and for what is not."""
_MOVED: Final[Mapping[str, str]] = {"left": "removed", "joined": "added"}
_COUNTED: Final[Mapping[str, str]] = {
    **{name: name for name in ("images", "annotations", "invitations", "withdrawn", "added", "rectangles")},
    "files": "files",
    "counts": "images",
    "done": "done",
    "total": "in all",
}
_AFTER: Final = ("settings", "new", "groups")
"""Where events keep the values that now stand; `replaced` or `old` has those before."""


_OF_ANNOTATIONS: Final = (
    *("draft_saved", "submitted", "reopened", "reopened_by_lead", "left_at_closing", "refused", "skipped"),
    *("resumed", "imported", "withdrawn"),
    *("question_asked", "question_replied", "question_answered", "question_resolved"),
)
_TITLES: Final[Mapping[str, str]] = {
    "reopened": "Reopened by the annotator",
    "reopened_by_lead": "Reopened by a lead",
    "left_at_closing": "Closed with the batch",
    "refused": "Not saved: changed elsewhere",
    "withdrawn": "Reassigned",
    "question_replied": "Question: annotator replied",
    "invitation_renewed": "New link for an invitation",
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
