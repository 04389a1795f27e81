"""Every way to be refused, in its exact shape: always JSON, and nothing is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from annotator.models import Annotation, Event
from annotator.web.views.json_endpoint import LARGEST_BODY
from tests.annotator.web.views.conftest import Study
from tests.annotator.web.views.speaking import (
    ENDPOINTS,
    address_of,
    answer_body,
    body_for,
    checked,
    facts,
    post,
)
from tests.factories import make_payload, user_of

POSTED = [name for name, method in ENDPOINTS.items() if method == "POST"]


@pytest.fixture(autouse=True)
def _nothing_is_stored(study: Study) -> Any:
    yield
    assert not Annotation.objects.exists()
    assert not Event.objects.exclude(verb="refused").exists()


MALFORMED: list[tuple[str, bytes]] = [
    ("nothing", b""),
    ("half an object", json.dumps(answer_body()).encode()[:-1]),
    ("a list", b"[]"),
    ("null", b"null"),
    ("not a number of JSON", b'{"version": NaN}'),
    ("not UTF-8", b'{"version": "\xff"}'),
    ("nested too deep", b"[" * 100_000),
    ("a number of too many digits", b'{"version": ' + b"9" * 5000 + b"}"),
]


@pytest.mark.parametrize(("what", "body"), MALFORMED, ids=[what for what, _ in MALFORMED])
def test_what_is_no_object_is_malformed(study: Study, as_ada: Client, what: str, body: bytes) -> None:
    for name in POSTED:
        address = address_of(name, study.assignments[0])
        response = checked(as_ada.post(address, body, content_type="application/json"))
        found = facts(response)
        assert (response.status_code, found["error"], set(found)) == (400, "malformed", {"error", "message"})


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"version": None}, "version"),
        ({"version": -1}, "version"),
        ({"version": 1.0}, "version"),
        ({"version": True}, "version"),
        ({"version": "1"}, "version"),
        ({"request_key": None}, "request_key"),
        ({"request_key": 7}, "request_key"),
        ({"request_key": "me again"}, "request_key"),
        ({"scores": [1]}, "'scores'"),
        ({"\ud800": 1}, "\\ud800"),
    ],
)
@pytest.mark.few(3)
def test_a_bad_frame_is_malformed(study: Study, as_ada: Client, change: dict[str, Any], word: str) -> None:
    for name in POSTED:
        response = post(as_ada, name, study.assignments[0], json.dumps({**body_for(name), **change}))
        assert (response.status_code, facts(response)["error"]) == (400, "malformed")
        assert word in facts(response)["message"]


@pytest.mark.parametrize("name", ENDPOINTS)
def test_nobody_signed_in_is_told_where_to_sign_in(study: Study, client: Client, name: str) -> None:
    assignment = study.assignments[0]
    label = reverse("label", args=[assignment.pk])
    address = address_of(name, assignment)
    answers = [checked(client.generic(ENDPOINTS[name], address, "{}", content_type="application/json"))]
    client.cookies["anatomark_session"] = "a session that has ended"
    answers.append(checked(client.generic(ENDPOINTS[name], address, "{}", content_type="application/json")))
    for response in answers:
        found = facts(response)
        assert response.status_code == 401
        assert found == {
            "error": "signed_out",
            "login_url": f"/accounts/login/?next={label.replace('/', '%2F')}",
        }
        page = client.get(found["login_url"])
        assert (page.status_code, page.context["next"]) == (200, label)


@pytest.mark.parametrize("headers", [{}, {"X-CSRFToken": "x" * 64}, {"X-CSRFToken": ""}])
def test_a_request_without_the_token_is_refused(study: Study, headers: dict[str, str]) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(user_of(study.ada))
    for name in POSTED:
        response = post(client, name, study.assignments[0], body_for(name), **headers)
        assert (response.status_code, facts(response)) == (403, {"error": "csrf"})


@pytest.mark.parametrize("size", [LARGEST_BODY + 1, 3 * 1024 * 1024])
def test_a_body_that_is_too_large_is_not_read(study: Study, as_ada: Client, size: int) -> None:
    for name in POSTED:
        response = post(as_ada, name, study.assignments[0], json.dumps(body_for(name)).ljust(size))
        assert response.status_code == 413
        assert facts(response) == {"error": "too_large", "largest": LARGEST_BODY}


@pytest.mark.parametrize(
    ("payload", "field"),
    [
        (None, ""),
        ([], ""),
        ("{}", ""),
        ({"scores": 1}, ""),
        (make_payload(people=0), "people"),
        (make_payload([("missing.limbs", "5/4c")]), "marks.missing.limbs"),
        (make_payload(note="\0"), "note"),
        (make_payload(note=7), "note"),
        (make_payload(flag={"reason": "bored", "note": ""}), "flag"),
    ],
)
@pytest.mark.few(3)
def test_a_refused_payload_says_where(study: Study, as_ada: Client, payload: object, field: str) -> None:
    for name in ("answer_save", "answer_submit"):
        response = post(as_ada, name, study.assignments[0], answer_body(payload))
        found = facts(response)
        assert (response.status_code, found["error"], set(found)) == (422, "invalid", {"error", "errors"})
        assert list(found["errors"]) == [field]
        assert all(isinstance(message, str) for message in found["errors"][field])


@pytest.mark.parametrize("name", ENDPOINTS)
@pytest.mark.parametrize(
    ("fault", "status", "error", "after"),
    [(RuntimeError, 500, "server_error", None), (OperationalError, 503, "unavailable", "5")],
)
def test_our_own_faults_are_json_too(
    study: Study,
    as_ada: Client,
    name: str,
    fault: type[Exception],
    status: int,
    error: str,
    after: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise fault("secret")

    as_ada.raise_request_exception = False
    monkeypatch.setattr("annotator.web.views.labelling.annotation_endpoints.assignment_for", broken)
    address = address_of(name, study.assignments[0])
    body = json.dumps(body_for(name))
    response = checked(as_ada.generic(ENDPOINTS[name], address, body, "application/json"))
    assert (response.status_code, facts(response)) == (status, {"error": error})
    assert response.get("Retry-After") == after
