"""Settings as a page and as JSON."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotator.models import User
from tests.annotator.web.views.conftest import Study
from tests.annotator.web.views.speaking import checked, facts

DEFAULTS = {"single_keys": True, "surround": "auto", "show_score": False, "hide_codes": False}


def stored(name: str = "ada") -> dict[str, Any]:
    preferences: dict[str, Any] = User.objects.get(username=name).preferences
    return preferences


def send(client: Client, body: object) -> Any:
    return checked(client.post("/settings/", body, content_type="application/json"))


def test_a_script_changes_all_or_some(study: Study, as_ada: Client) -> None:
    everything = {"single_keys": False, "surround": "dark", "show_score": True, "hide_codes": True}
    response = send(as_ada, everything)
    assert (response.status_code, facts(response), stored()) == (200, everything, everything)
    response = send(as_ada, {"surround": "auto"})
    assert facts(response) == stored() == {**everything, "surround": "auto"}
    assert stored("bob") == DEFAULTS


@pytest.mark.parametrize(
    ("body", "status", "found"),
    [
        ("{", 400, {"error": "malformed", "message": "The body is not JSON."}),
        ("[]", 400, {"error": "malformed", "message": "The body must be an object."}),
        (
            {"surround": "black"},
            422,
            {"error": "invalid", "errors": {"surround": ["Refused: unknown theme “black”."]}},
        ),
        (
            {"show_score": 1},
            422,
            {"error": "invalid", "errors": {"show_score": ["Refused: expected true or false."]}},
        ),
    ],
)
def test_nonsense_changes_nothing(
    study: Study, as_ada: Client, body: object, status: int, found: dict[str, Any]
) -> None:
    response = send(as_ada, body)
    assert (response.status_code, facts(response), stored()) == (status, found, DEFAULTS)
