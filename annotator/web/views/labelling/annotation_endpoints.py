"""The endpoints with which the annotation page's script loads and saves annotations."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest
from django.urls import reverse
from django.views.decorators.csrf import ensure_csrf_cookie

from annotator.annotations.saving import save_draft, submit_annotation
from annotator.annotations.skipping import resume_or_reopen, skip_assignment
from annotator.models import Assignment, User
from annotator.people.access import assignment_for
from annotator.web.views.json_endpoint import Facts, Malformed, body_of, json_endpoint, key_in, version_in
from annotator.web.views.labelling.annotation_state import state_after, state_of
from annotator.web.views.training.feedback import feedback_address

ANSWER: Final = ("version", "payload", "capture", "request_key")
SKIP: Final = ("version", "reason", "note", "request_key")
REOPEN: Final = ("version", "request_key", "reason")


@ensure_csrf_cookie
@json_endpoint("GET", comes_back_to="label")
def answer_state(_request: HttpRequest, user: User, pk: int) -> Facts:
    """Return the state of one of the user's assignments."""
    return state_of(assignment_for(user, pk), user)


@json_endpoint("POST", comes_back_to="label")
def answer_save(request: HttpRequest, user: User, pk: int) -> Facts:
    """Store a draft."""
    assignment = assignment_for(user, pk)
    saved = save_draft(**_answer(request, assignment, user))
    return {
        "version": saved.version,
        "status": saved.status,
        "saved_at": saved.saved_at.isoformat(),
        "warnings": saved.warnings,
    }


@json_endpoint("POST", comes_back_to="label")
def answer_submit(request: HttpRequest, user: User, pk: int) -> Facts:
    """Submit, and return the next address and the state of its image."""
    assignment = assignment_for(user, pk)
    submitted = submit_annotation(**_answer(request, assignment, user))
    assert submitted.submitted_at is not None  # a constraint of the database
    return {
        "version": submitted.version,
        "status": submitted.status,
        "submitted_at": submitted.submitted_at.isoformat(),
        "warnings": submitted.warnings,
        **_onwards(assignment, user),
        # Most assignments are followed by the next image alone.
        **({"feedback_url": address} if (address := feedback_address(assignment)) else {}),
    }


@json_endpoint("POST", comes_back_to="label")
def answer_skip(request: HttpRequest, user: User, pk: int) -> Facts:
    """Skip an image, and return the next address and the state of its image."""
    assignment = assignment_for(user, pk)
    sent = body_of(request, SKIP)
    skipped = skip_assignment(
        assignment=assignment,
        actor=user,
        reason=sent.get("reason"),
        note=sent.get("note", ""),
        replaces=version_in(sent),
        request_key=key_in(sent),
    )
    return {"status": str(skipped.status), **_onwards(assignment, user)}


@json_endpoint("POST", comes_back_to="label")
def answer_reopen(request: HttpRequest, user: User, pk: int) -> Facts:
    """Reopen a submitted annotation or resume a skipped image, and return its state."""
    assignment = assignment_for(user, pk)
    sent = body_of(request, REOPEN)
    resume_or_reopen(
        assignment=assignment,
        actor=user,
        replaces=version_in(sent),
        request_key=key_in(sent),
        reason=sent.get("reason", ""),
    )
    # Read again, so that a repeated request gets the current version and payload together.
    return state_of(assignment_for(user, pk), user)


def _answer(request: HttpRequest, assignment: Assignment, user: User) -> dict[str, Any]:
    sent = body_of(request, ANSWER)
    if "payload" not in sent:
        raise Malformed("payload is missing.")
    return {
        "assignment": assignment,
        "actor": user,
        "payload": sent["payload"],
        "capture": sent.get("capture"),
        "replaces": version_in(sent),
        "request_key": key_in(sent),
    }


def _onwards(assignment: Assignment, user: User) -> Facts:
    """Return address and state of the user's next open assignment, null if there is none, and the queue's."""
    state = state_after(assignment, user)
    return {
        "next": reverse("label", args=[state["id"]]) if state else None,
        "state": state,
        "queue_url": reverse("queue", args=[assignment.batch.project.slug]),
    }
