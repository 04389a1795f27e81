"""The tables of a finished report as files, at addresses of that report."""

from __future__ import annotations

import csv
import io

import pytest
from django.test import Client

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from analysis.stats.generic.tables import rows_of
from annotator.models import Membership, Project
from tests.analysis.reading import whole_page
from tests.factories import LEAD, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead(project: Project, client: Client) -> Membership:
    """The project's lead, signed in."""
    member = make_member(project, LEAD)
    assert member.user is not None
    client.force_login(member.user)
    return member


@pytest.fixture
def report(project: Project, sent: list[int]) -> Report:
    """A finished report on agreement."""
    asked = request_report(project=project, kind="agreement")
    run_report(asked.pk)
    return Report.objects.get(pk=asked.pk)


def address(report: Report, name: str = "pairs") -> str:
    return f"/projects/{report.project.slug}/reports/{report.kind}/{report.pk}/{name}.csv"


def test_every_table_is_a_file(report: Report, lead: Membership, client: Client) -> None:
    page = whole_page(client, "/projects/study/reports/agreement/")
    assert f'href="{address(report)}"' in page
    response = client.get(address(report))
    assert response["Content-Disposition"] == (
        f'attachment; filename="study-agreement-anatomy-pairs-{report.finished_at:%Y-%m-%d}.csv"'
    )
    rows = list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))
    assert report.result is not None
    pairs = rows_of(report.result, "pairs")
    assert [row["Images"] for row in rows] == [str(pair["images"]) for pair in pairs]
    assert client.get(address(report, "nonsense")).status_code == 404


def test_what_is_not_finished_has_no_table(report: Report, lead: Membership, client: Client) -> None:
    assert client.get(address(report).replace("agreement", "comparison")).status_code == 404
    Report.objects.filter(pk=report.pk).update(status="failed")
    assert client.get(address(report)).status_code == 404
