"""Finished reports at their own addresses: the same numbers for ever, a list, and two side by side."""

from __future__ import annotations

import csv
import io
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Membership, Project
from annotator.work.liveness import sign_of_life
from tests.analysis.factories import make_submitted
from tests.analysis.reading import whole_page
from tests.factories import LEAD, REVIEWER, make_member, make_project
from tests.support.codes import codes, numbers

STORED = Path(__file__).parents[2] / "stored"


@pytest.fixture(autouse=True)
def _wake_ups_stay_here(sent: list[int]) -> None:
    """No message leaves, and a worker is alive."""
    sign_of_life()


@pytest.fixture
def lead(project: Project, client: Client) -> Membership:
    """The project's lead, signed in."""
    member = make_member(project, LEAD)
    assert member.user is not None
    client.force_login(member.user)
    return member


def computed(project: Project, kind: str = "agreement") -> Report:
    report = request_report(project=project, kind=kind)
    run_report(report.pk)
    return Report.objects.get(pk=report.pk)


def stored(project: Project, kind: str = "agreement", **fields: Any) -> Report:
    """A finished report as an earlier version of the program stored it."""
    result = json.loads((STORED / f"{kind}.json").read_text(encoding="utf-8"))
    moment = timezone.now() - timedelta(days=2)
    row = {"started_at": moment, "finished_at": moment, "annotations": 7, "kept": True, "result": result}
    return Report.objects.create(project=project, kind=kind, status="done", **{**row, **fields})


def address(report: Report, rest: str = "/") -> str:
    return f"/projects/{report.project.slug}/reports/{report.kind}/{report.pk}{rest}"


def text(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize("kind", KEPT_UP_TO_DATE)
@pytest.mark.few(1)
def test_a_link_shows_the_same_numbers_after_everything_has_changed(
    project: Project, lead: Membership, client: Client, kind: str
) -> None:
    report = computed(project, kind)
    files = [client.get(address(report, ".json")).content]
    page = whole_page(client, address(report))
    assert "There are " not in page
    make_submitted(make_member(project))
    project.images.filter(generator="beta").update(generator="gamma")
    computed(project, kind)
    files.append(client.get(address(report, ".json")).content)
    assert files[0] == files[1]
    later = whole_page(client, address(report))
    assert later[later.index("<table") :] == page[page.index("<table") :]
    assert "newer report</a>" in later
    assert "gamma" not in later


@pytest.mark.parametrize("kind", ["agreement", "comparison"])
def test_a_report_of_an_earlier_version_is_still_shown(
    project: Project, lead: Membership, client: Client, kind: str
) -> None:
    report = stored(project, kind, code_version="0123456789abcdef")
    shown = {"agreement": "anno1 – anno2", "comparison": ">alpha</a></th>"}[kind]
    assert shown in whole_page(client, address(report))
    page = whole_page(client, f"/projects/study/reports/{kind}/")
    assert shown in page
    assert "earlier-version" in codes(page)
    assert "up-to-date" not in codes(page)
    assert json.loads(client.get(address(report, ".json")).content) == report.result


def test_every_table_is_a_file(project: Project, lead: Membership, client: Client) -> None:
    report = stored(project)
    page = whole_page(client, address(report))
    assert f'href="{address(report, "/pairs.csv")}"' in page
    response = client.get(address(report, "/pairs.csv"))
    assert response["Content-Disposition"] == (
        f'attachment; filename="study-agreement-pairs-{report.finished_at:%Y-%m-%d}.csv"'
    )
    (row,) = csv.DictReader(io.StringIO(response.content.decode(), newline=""))
    assert (row["Annotators"], row["Images"], row["Cumulative score"]) == ("anno1 – anno2", "3", "0.91")
    assert client.get(address(report, "/nonsense.csv")).status_code == 404


def test_one_project_does_not_show_what_is_of_another(
    project: Project, lead: Membership, client: Client
) -> None:
    report = stored(make_project("other"))
    for rest in ("/", ".json", "/pairs.csv"):
        assert client.get(address(report, rest)).status_code == 404
        path = f"/projects/study/reports/agreement/{report.pk}{rest}"
        assert client.get(path).status_code == 404
    own = stored(project)
    changes = f"/projects/study/reports/agreement/changes/?before={report.pk}&after={own.pk}"
    assert client.get(changes).status_code == 404
    assert client.post(address(report, "/keep/")).status_code == 404


def test_what_is_not_finished_has_no_page(project: Project, lead: Membership, client: Client) -> None:
    report = Report.objects.create(project=project, kind="agreement", status="failed")
    assert client.get(address(report)).status_code == 404
    wrong_kind = address(stored(project)).replace("agreement", "comparison")
    assert client.get(wrong_kind).status_code == 404


def test_numbers_computed_by_themselves_can_be_kept(
    project: Project, lead: Membership, client: Client
) -> None:
    report = stored(project, kept=False)
    assert ">Keep report</button>" in text(client, address(report))
    assert client.get(address(report, "/keep/")).status_code == 405
    assert client.post(address(report, "/keep/"))["Location"] == address(report)
    page = text(client, address(report))
    assert ">Keep report</button>" not in page
    report.refresh_from_db()
    assert report.kept is True


def test_the_list_has_pages_and_fixed_queries(project: Project, lead: Membership, client: Client) -> None:
    path = "/projects/study/reports/agreement/earlier/"
    assert "No reports yet" in text(client, path)
    counts = []
    for _ in range(2):
        stored(project)
        with CaptureQueriesContext(connection) as queries:
            text(client, path)
        counts.append(len(queries))
    # One more than today's reports take, because those of an earlier version have no excerpt.
    assert counts[0] == counts[1] <= 9
    for _ in range(20):
        stored(project, kept=False)
    assert numbers(text(client, path), "page") == ["1", "2"]
    assert text(client, f"{path}?page=2").count('name="before"') == 2


def test_two_side_by_side(project: Project, client: Client) -> None:
    reviewer = make_member(project, REVIEWER)
    assert reviewer.user is not None
    client.force_login(reviewer.user)
    before = stored(project, "comparison", input_digest="1")
    after = stored(project, "comparison", input_digest="2", annotations=1007)
    assert after.result is not None
    after.result["generators"][0]["mean"] += 0.5
    after.result["generators"][1]["generator"] = "gamma"
    after.save()
    path = "/projects/study/reports/comparison/changes/"
    page = text(client, f"{path}?before={after.pk}&after={before.pk}")  # whichever way round
    cells = [
        [cell.split("<")[0] or None for cell in row.split('<td class="num">')[1:]]
        for row in page.split("<tr>")[2:]
    ]
    assert cells == [
        ["7", "1,007", "+1,000"],
        ["0.119", "0.619", "+0.500"],
        [None, "0.650", "–"],
        ["0.650", None, "–"],
    ]
    assert "same-answers" not in codes(page)


@pytest.mark.parametrize(
    "query", ["", "?before=1", "?before=x&after=y", "?before=5&after=5", "?before=-1&after=2"]
)
def test_a_choice_that_is_none_leads_back_to_the_list(
    project: Project, lead: Membership, client: Client, query: str
) -> None:
    response = client.get(f"/projects/study/reports/agreement/changes/{query}", follow=True)
    assert response.redirect_chain == [("/projects/study/reports/agreement/earlier/", 302)]
    assert "two-reports" in codes(response)
