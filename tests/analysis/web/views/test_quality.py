"""The page of the quality report, for leads alone, and its files."""

from __future__ import annotations

import csv
import io
import json

import pytest
from django.test import Client

from analysis.exports.files import Export
from analysis.exports.filters import Filters
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest
from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Membership, Project
from tests.analysis.api.callers import calling
from tests.analysis.watched import ANCHORS, make_watched
from tests.factories import REVIEWER, make_member
from tests.support.codes import codes

pytestmark = pytest.mark.django_db

ROOT = "/projects/watched/reports/quality/"


@pytest.fixture
def project() -> Project:
    return make_watched()


@pytest.fixture
def computed(project: Project) -> Report:
    asked = request_report(project=project, kind="quality", send=False)
    assert run_report(asked.pk)
    asked.refresh_from_db()
    return asked


def signed_in(member: Membership) -> Client:
    client = Client()
    assert member.user is not None
    client.force_login(member.user)
    return client


def test_a_lead_reads_a_row_for_each_annotator(project: Project, computed: Report) -> None:
    client = signed_in(project.memberships.get(code="lead"))
    page = client.get(ROOT).content.decode()
    assert {"quality", "verdict-stop", "verdict-look", "verdict-fine"} <= set(codes(page))
    assert "1 to stop, 1 to look at, 1 fine" in page
    assert "out since anchor 9" in page
    assert client.get(f"{ROOT}{computed.pk}/").status_code == 200
    for name in ("anchors-control", "severity_steps-control", "repeats-intervals"):
        drawn = client.get(f"{ROOT}{computed.pk}/figures/{name}.json")
        assert json.loads(drawn.content)["spec"]


def test_before_it_is_computed_the_page_says_what_it_needs(project: Project) -> None:
    page = signed_in(project.memberships.get(code="lead")).get(ROOT).content.decode()
    assert "no-numbers" in codes(page)


@pytest.mark.parametrize("who", ["reviewer", "annotator"])
def test_nobody_but_leads_reads_any_of_it(project: Project, computed: Report, who: str) -> None:
    member = make_member(project, REVIEWER) if who == "reviewer" else project.memberships.get(code="drifting")
    client, caller = signed_in(member), calling(member)
    for path in ("", "status/", "earlier/", f"{computed.pk}/", f"{computed.pk}/figures/anchors-control.json"):
        assert client.get(f"{ROOT}{path}").status_code == 404, path
    assert client.get("/projects/watched/reports/quality.json").status_code == 404
    for path in ("", "/status", "/all", f"/{computed.pk}"):
        assert caller.get(f"/projects/watched/reports/quality{path}").status_code == 404, path
    for act in ("refresh", "cancel"):
        assert client.post(f"{ROOT}{act}/").status_code == 404
        assert caller.post(f"/projects/watched/reports/quality/{act}").status_code == 404


def test_the_api_gives_it_to_leads(project: Project, computed: Report) -> None:
    caller = calling(project.memberships.get(code="lead"))
    assert [
        line["annotator"]
        for line in caller.get("/projects/watched/reports/quality").json()["result"]["lines"]
    ] == [
        "rushing",
        "drifting",
        "steady",
    ]


def rows(project: Project, layout: str, **filters: object) -> list[dict[str, str]]:
    made = Export(project, layouts_of("anatomy")[layout], filters=Filters(**filters))  # type: ignore[arg-type]
    return list(csv.DictReader(io.StringIO(b"".join(made).decode(), newline="")))


def test_anchors_as_a_file(project: Project) -> None:
    drifting = project.memberships.get(code="drifting")
    found = rows(project, "anchors", annotators=(drifting.pk,))
    assert len(found) == ANCHORS
    last = found[-1]
    assert (last["value"], last["reference"], last["difference"]) == ("2", "0.5", "1.5")
    assert (last["reference_version"], last["hits"], last["missed"], last["alone"]) == ("1", "2", "0", "1")
    assert last["Annotator"] == "drifting"


def test_repeats_as_a_file(project: Project) -> None:
    found = rows(project, "repeats")
    assert len(found) == 12
    assert {row["days_between"] for row in found} == {"2"}
    assert {row["images_between"] for row in found} == {"30"}
    assert [row["difference"] for row in found[:2]] == ["0", "0"]
    assert all(float(row["again"]) <= float(row["first"]) for row in found)


def test_a_purpose_of_another_layout_is_refused() -> None:
    asked = ExportRequest("anchors", filters=Filters(purpose="repeat"))
    assert asked.problems() == {
        "purpose": "Anchors holds only annotations submitted as an anchor. Omit the purpose."
    }
    assert ExportRequest("anchors", filters=Filters(purpose="anchor")).problems() == {}
