"""Suggestions through the API: in chunks, repeatable, all rows of a call or none."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.models import Assignment, Batch, Project, Suggestion, SuggestionRun
from tests.analysis.api.callers import ROOT, Caller, calling
from tests.factories import ANNOTATOR, LEAD, make_assignment, make_image, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("pilot")
    for name in "abc":
        make_image(project, source_name=f"{name}.png")
    return project


def send(who: Caller, *rows: dict[str, Any], **more: Any) -> Any:
    said = {"source": "counter", "source_version": "1", "rows": list(rows), **more}
    return who.client.post(
        f"{ROOT}/projects/pilot/suggestion-runs", said, content_type="application/json", headers=who.headers
    )


def row(name: str, hands: Any = 2) -> dict[str, Any]:
    return {"file": f"{name}.png", "people": 1, "visible": {"hands": hands}}


def test_chunks_add_up_and_repeating_one_changes_nothing(project: Project) -> None:
    lee = calling(make_member(project, LEAD))
    assert send(lee, row("a"), row("b")).json()["stored"] == 2
    for stored in (1, 0):
        answer = send(lee, row("c"))
        run = SuggestionRun.objects.get()
        assert (answer.status_code, answer.json()) == (200, {"run": run.pk, "stored": stored, "rows": 3})
    other = send(lee, row("a", 3))
    assert (other.status_code, other.json()["error"]["code"]) == (409, "run-differs")


def test_a_faulty_row_stores_nothing_and_is_named(project: Project) -> None:
    lee = calling(make_member(project, LEAD))
    answer = send(lee, row("a"), row("b", -1))
    assert answer.status_code == 422
    assert answer.json()["error"]["fields"] == {"rows.1": ["hands: “-1” is not a whole number from 0 to 99"]}
    assert send(lee, *[row("a")] * 1001).status_code == 422
    assert send(lee, row("a"), source="").status_code == 422
    assert not Suggestion.objects.exists()


def test_annotators_read_no_suggestion(project: Project) -> None:
    assert send(calling(make_member(project, LEAD)), row("a", 88), source="canary").status_code == 200
    ann = make_member(project, ANNOTATOR)
    assignment = make_assignment(ann, image=project.images.get(source_name="a.png"))
    Batch.objects.filter(pk=assignment.batch_id).update(suggestions=SuggestionRun.objects.get())
    Assignment.objects.filter(pk=assignment.pk).update(arm="without")
    caller = calling(ann)
    places = [
        "",
        "/pilot",
        *(f"/pilot/{end}" for end in ("images", "annotations", "exports", "reports/suggestions")),
    ]
    answers = {place: caller.get(f"/projects{place}").content for place in places}
    assert b"pilot" in answers[""]
    assert [place for place, answer in answers.items() if b"canary" in answer] == []


def test_only_leads_send_and_a_session_does_not_count(project: Project) -> None:
    lead = make_member(project, LEAD)
    assert send(calling(make_member(project, ANNOTATOR)), row("a")).status_code == 404
    assert send(calling(make_member(make_project("other"), LEAD)), row("a")).status_code == 404
    browser = calling(None)
    assert lead.user is not None
    browser.client.force_login(lead.user)
    assert send(browser, row("a")).status_code == 401
    answer = calling(lead).get("/projects/pilot/suggestion-runs")
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
