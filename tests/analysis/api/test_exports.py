"""Exports by API: the bytes of the page's file, or words why not."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from analysis.api import exports
from analysis.exports.requests import ExportRequest
from annotator.models import Event
from tests.analysis.api.callers import Caller
from tests.analysis.api.conftest import Study

pytestmark = pytest.mark.django_db

EXPORTS = "/projects/pilot/exports"


def body(answer: Any) -> bytes:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content)


@pytest.mark.parametrize(
    ("layout", "header"), [("sheet", ""), ("scores", ""), ("scores", "tidy"), ("marks", ""), ("images", "")]
)
@pytest.mark.few(3)
def test_the_bytes_are_the_exports(study: Study, lee: Caller, layout: str, header: str) -> None:
    answer = lee.get(f"{EXPORTS}/{layout}.csv" + (f"?header={header}" if header else ""))
    request = ExportRequest(layout, "csv", header=header or "published")
    assert body(answer) == b"".join(request.export(study.project))
    name = f"pilot-{layout}-{f'{header}-' if header else ''}{timezone.now():%Y-%m-%d}.csv"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'


def test_an_export_leaves_a_trace(study: Study, lee: Caller) -> None:
    body(lee.get(f"{EXPORTS}/marks.csv?annotator=ada&pseudonyms=true"))
    event = Event.objects.get(verb="exported")
    assert (event.project, event.actor) == (study.project, study.people["lee"].user)
    told = (event.data["layout"], event.data["filters"], event.data["pseudonyms"])
    assert told == ("marks", {"annotators": [study.people["ada"].pk]}, True)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("drafts=true", "drafts"),
        ("batch=none", "batch"),
        ("generator=none", "generator"),
        ("prompt=none", "prompt"),
        ("annotator=none", "annotator"),
        ("since=1", "since"),
        ("since=2026-02-30", "since"),
        ("until=10000-01-01", "until"),
        ("since=2026-01-01T00:00:00", "since"),
        ("since=2026-03-02&until=2026-03-01", "until"),
        ("header=tidy", "header"),
    ],
)
@pytest.mark.few(4)
def test_what_does_not_fit_is_named(lee: Caller, query: str, field: str) -> None:
    answer = lee.get(f"{EXPORTS}/sheet.csv?{query}")
    assert (answer.status_code, list(answer.json()["error"]["fields"])) == (422, [field])
    assert not Event.objects.filter(verb="exported").exists()


@pytest.mark.slow  # computes a report
def test_a_large_one_is_refused_before_it_is_read(lee: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exports, "AT_ONCE", 1)
    answer = lee.get(f"{EXPORTS}/sheet.csv")
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    assert answer.json()["error"]["message"].startswith("2 annotations exceed the limit of 1.")
    assert not Event.objects.filter(verb="exported").exists()
    assert lee.get(f"{EXPORTS}/sheet.csv?annotator=ada").status_code == 200
