"""One shape for everything that goes wrong, and never a page."""

from __future__ import annotations

import logging
from typing import NoReturn

import pytest
from django.db import OperationalError
from django.test import Client

from analysis.api import projects
from tests.analysis.api.callers import Caller, calling
from tests.analysis.api.conftest import Study
from tests.factories import make_user

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


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
@pytest.mark.few(2)
def test_a_method_that_is_not_taken(lee: Caller, method: str) -> None:
    answer = lee.ask(method, "/projects")
    assert (answer.status_code, answer["Allow"]) == (405, "GET")
    if method != "HEAD":
        assert answer.json()["error"]["code"] == "method_not_allowed"


def test_a_parameter_with_a_typing_error_is_refused(lee: Caller) -> None:
    answer = lee.get("/projects/pilot/images?genarator=x")
    assert answer.status_code == 422
    assert answer.json()["error"]["fields"] == {
        "genarator": ["Unknown parameter. Known: cursor, generator, page_size, prompt, prompt_group, sha256."]
    }
    assert lee.get("/projects/pilot?x=1").json()["error"]["fields"] == {
        "x": ["Unknown parameter. This URL accepts none."]
    }


@pytest.mark.parametrize("text", ["%00", "a%00b"])
def test_a_nul_reaches_no_database(lee: Caller, text: str) -> None:
    for path in ("images?generator", "annotations?batch", "annotations?protocol", "exports/sheet.csv?batch"):
        assert lee.get(f"/projects/pilot/{path}={text}").status_code == 422


class TestServerErrors:
    """The response to an error of the server reveals nothing about it."""

    def broken(self, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
        def fail(*_: object) -> NoReturn:
            raise error

        monkeypatch.setattr(projects, "active_memberships", fail)

    def test_a_fault(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
        self.broken(monkeypatch, RuntimeError("the password is 42"))
        with caplog.at_level(logging.ERROR):
            answer = calling(make_user("ada")).get("/projects")
        assert (answer.status_code, answer.json()["error"]["code"]) == (500, "server_error")
        assert b"42" not in answer.content
        assert "the password is 42" in caplog.text

    def test_a_database_that_is_away(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.broken(monkeypatch, OperationalError("gone"))
        answer = calling(make_user("ada")).get("/projects")
        assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
        assert answer["Retry-After"] == "5"


def test_a_host_we_do_not_know(study: Study) -> None:
    answer = Client(raise_request_exception=False).get(
        "/api/v1/projects", headers={"host": "elsewhere.example"}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "malformed")
    page = Client(raise_request_exception=False).get("/", headers={"host": "elsewhere.example"})
    assert page["Content-Type"].startswith("text/html")
