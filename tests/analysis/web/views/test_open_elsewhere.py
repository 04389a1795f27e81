"""Disagreements that the open list does not have: a newer report's, and those under another protocol."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from analysis.models import Report
from analysis.reports.disagreements import open_elsewhere
from annotator.models import Project
from scoring.presence.protocol import PRESENCE, clean
from tests.analysis.factories import make_submitted
from tests.analysis.wider_study import report_of
from tests.annotator.adjudicating import Case, make_case, settle
from tests.factories import make_batch, make_image, make_project
from tests.support.codes import codes


@pytest.fixture
def case(db: None, sent: list[int], client: Client) -> Case:
    """One image on which two annotators disagree; the client is the lead's."""
    found = make_case(make_project())
    client.force_login(found.user)
    return found


def apart(project: Project, report: Report) -> str:
    return f"/projects/{project.slug}/reports/agreement/{report.pk}/disagreements/"


def named(client: Client, address: str) -> list[tuple[str, str]]:
    """Where each notice leads, and how many images wait there."""
    html = client.get(address).content.decode()
    found = r'href="([^"]*)" data-code="new-disagreements" data-count="(\d+)"'
    return re.findall(found, html)


def test_a_newer_report_with_other_images_is_named(case: Case, client: Client) -> None:
    first = report_of(case.project, "agreement")
    settle(case)
    assert "new-disagreements" not in codes(client.get(apart(case.project, first)))
    image = make_image(case.project)
    make_submitted(case.a.assignment.annotator, image=image, batch=case.batch)
    make_submitted(case.b.assignment.annotator, [], image=image, batch=case.batch)
    second = report_of(case.project, "agreement")
    assert named(client, apart(case.project, first)) == [(f"{apart(case.project, second)}?show=open", "1")]
    assert named(client, apart(case.project, second)) == []


def test_review_leads_to_the_protocol_where_something_is_open(case: Case, client: Client) -> None:
    first = report_of(case.project, "agreement")
    settle(case)
    batch = make_batch(case.project, protocol="presence")
    for annotation, cells in ((case.a, ["extra.hands"]), (case.b, [])):
        made = make_submitted(annotation.assignment.annotator, [], image=case.image, batch=batch)
        made.payload = {"cells": cells, "no_errors": not cells}
        made.ratings = [list(map(str, one)) for one in PRESENCE.ratings(clean(made.payload), {})]
        made.save()
    second = report_of(case.project, "agreement", protocol="presence")
    (one,) = open_elsewhere(case.project, first)
    assert (one.report, one.protocol, one.count) == (second.pk, "presence", 1)
    assert named(client, apart(case.project, first)) == [(f"{apart(case.project, second)}?show=open", "1")]
    review = f"/projects/{case.project.slug}/disagreements/"
    assert client.get(review)["Location"] == f"{apart(case.project, second)}?show=open"
    chosen = client.get(f"{review}?protocol=anatomy")["Location"]
    assert chosen == f"{apart(case.project, first)}?show=open"
