"""Errors of the API, and its description."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from typing import Any
from unittest.mock import Mock

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import OperationalError, close_old_connections, transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, settings
from schemathesis.core.parameters import ParameterLocation

from analysis.api import projects
from analysis.api.api import api
from analysis.models import Report
from annotator.people.tokens import create_token, digest_of
from tests.analysis.api.callers import Caller, calling
from tests.analysis.api.conftest import Study
from tests.factories import make_user
from tests.support.examples import examples

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/nothing", "/projects/", "/projects/none", "/projects/pilot/images/5", "/annotations/x"),
        *("/annotations/-1", f"/annotations/{2**63}", f"/annotations/{10**30}"),
        *("/projects/pilot/reports/agreement/1", "/projects/pilot/reports/none"),
        *("/projects/pilot/exports/none.csv", "/projects/pilot/exports/sheet.pdf"),
    ],
)
@pytest.mark.few(4)
def test_what_is_not_there(lee: Caller, path: str) -> None:
    answer = lee.get(path)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
    assert set(answer.json()["error"]) == {"code", "message", "fields"}
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (RuntimeError("the password is 42"), 500, "server_error"),
        (OperationalError("the password is 42"), 503, "unavailable"),
    ],
)
def test_an_error_of_the_server_reveals_nothing_about_it(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    status: int,
    code: str,
) -> None:
    monkeypatch.setattr(projects, "active_memberships", Mock(side_effect=error))
    answer = calling(make_user("ada")).get("/projects")
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)
    assert b"42" not in answer.content
    assert status == 503 or "the password is 42" in caplog.text
    assert answer.headers.get("Retry-After") == {503: "5"}.get(status)


def test_a_host_we_do_not_know(study: Study) -> None:
    answer = Client(raise_request_exception=False).get(
        "/api/v1/projects", headers={"host": "elsewhere.example"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "malformed")
    page = Client(raise_request_exception=False).get("/", headers={"host": "elsewhere.example"})
    assert page["Content-Type"].startswith("text/html")


def test_a_body_that_is_no_json(study: Study) -> None:
    answer = calling(study.people["lee"]).post("/projects/pilot/suggestion-runs", b"\xff")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "malformed")


# What fits the document and not the project is refused with words: a name that nobody has there.
ACCEPTED = ["2xx", "404", "409", "422"]
REFUSED = ["400", "401", "404", "405", "422"]
AGAIN_THE_SAME = settings(
    deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
# Known beforehand, because the document is read before there is a database.
SECRET = f"anm_{'':-<40}"
ADJUDICATED = {
    "auth": {"openapi": {"Token": {"bearer": SECRET}}},
    "checks": {
        "positive_data_acceptance": {"expected-statuses": ACCEPTED},
        "negative_data_rejection": {"expected-statuses": REFUSED},
    },
    # Each limit and each wrong type once.
    "phases": {"coverage": {"enabled": "THOROUGH" in os.environ}},
    # Looking for them takes seconds in every worker, and would find others whenever the code changes.
    "analysis": {"constants": {"enabled": False}},
}
DESCRIBED = schemathesis.openapi.from_dict(
    json.loads(json.dumps(api.get_openapi_schema())), config=schemathesis.Config.from_dict(ADJUDICATED)
)
DESCRIBED.app = get_wsgi_application()


@pytest.fixture
def real(study: Study, connected: None, caplog: pytest.LogCaptureFixture) -> dict[str, Any]:
    """What addresses are filled in with; there is something behind each."""
    caplog.set_level(logging.CRITICAL, logger="django.request")
    user = study.people["lee"].user
    assert user is not None
    token, _ = create_token(user=user, name="walk", days=1)
    token.secret_sha256 = digest_of(SECRET)
    token.save()
    now = timezone.now()
    Report.objects.create(
        project=study.project, kind="agreement", status="done", result={"a": 1}, finished_at=now
    )
    return {
        "slug": "pilot",
        "image": str(study.queue[0].image.public_id),
        "annotation": study.answers[0].pk,
        "kind": "agreement",
        "layout": "marks",
        "form": "csv",
    }


@pytest.fixture
def connected() -> Iterator[None]:
    """The application answers inside the test's transaction: it must not hang up afterwards."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@DESCRIBED.parametrize()  # type: ignore[untyped-decorator]
@settings(AGAIN_THE_SAME, max_examples=examples(4))
def test_every_answer_is_as_described(case: schemathesis.Case[Any], real: dict[str, Any]) -> None:
    if case.meta is None or not case.meta.is_negative_at(ParameterLocation.PATH):
        case.path_parameters = {name: real[name] for name in case.path_parameters or {}}
    with transaction.atomic():
        # Its checks do not decompress answers.
        case.call_and_validate(headers={"Accept-Encoding": "identity"})
        transaction.set_rollback(True)


def test_the_document_and_its_page_are_served_without_a_token() -> None:
    answer = Client().get("/api/v1/openapi.json")
    assert answer.json() == json.loads(json.dumps(api.get_openapi_schema()))
    assert answer.json()["components"]["securitySchemes"]["Token"]["scheme"] == "bearer"
    page = Client().get("/api/v1/docs").content.decode()
    assert "/api/v1/openapi.json" in page
    assert "//cdn" not in page
