"""What the annotation page's script sends, and what it must never get back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.test import Client
from django.urls import reverse

from annotator.models import Assignment
from tests.annotator.acting import LIMBS

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

ENDPOINTS = {
    "answer_state": "GET",
    "answer_save": "POST",
    "answer_submit": "POST",
    "answer_skip": "POST",
    "answer_reopen": "POST",
}
Sent = dict[str, Any]


def answer_body(payload: object = LIMBS, version: int = 0, **more: Any) -> Sent:
    """The body of a save or a submission, with a key of its own."""
    return {"version": version, "payload": payload, "request_key": str(uuid4()), **more}


def skip_body(version: int = 0, reason: str = "no_body", **more: Any) -> Sent:
    """The body of a skip."""
    return {"version": version, "reason": reason, "note": "", "request_key": str(uuid4()), **more}


def reopen_body(version: int, **more: Any) -> Sent:
    """The body of a reopening."""
    return {"version": version, "request_key": str(uuid4()), **more}


def body_for(name: str) -> Sent:
    """A body the endpoint takes, for an assignment nobody has begun."""
    bodies = {"answer_skip": skip_body(), "answer_reopen": reopen_body(0)}
    return bodies.get(name, answer_body())


def address_of(name: str, assignment: Assignment) -> str:
    """The endpoint's address for an assignment."""
    return reverse(name, args=[assignment.pk])


def post(client: Client, name: str, assignment: Assignment, body: object, **headers: str) -> Response:
    """Send JSON and check what holds for every answer."""
    address = address_of(name, assignment)
    response = client.post(address, body, content_type="application/json", headers=headers or None)
    return checked(response)


def state(client: Client, assignment: Assignment) -> dict[str, Any]:
    """How an assignment stands."""
    response = checked(client.get(address_of("answer_state", assignment)))
    assert response.status_code == 200
    return facts(response)


def checked(response: Response) -> Response:
    """JSON that nobody keeps, never a redirect."""
    assert response["Content-Type"] == "application/json"
    assert response["Cache-Control"] == "no-store"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "Location" not in response
    return response


def facts(response: Response) -> dict[str, Any]:
    """The JSON of an answer."""
    found: dict[str, Any] = response.json()
    return found
