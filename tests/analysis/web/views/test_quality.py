"""The page of the quality report, for leads alone, and its files."""

from __future__ import annotations

import pytest
from django.test import Client

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from annotator.models import Event, Membership, Project
from tests.analysis.api.callers import calling
from tests.analysis.watched import make_watched
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


@pytest.mark.few(1)
@pytest.mark.parametrize("who", ["reviewer", "annotator"])
def test_nobody_but_leads_reads_any_of_it(project: Project, computed: Report, who: str) -> None:
    member = make_member(project, REVIEWER) if who == "reviewer" else project.memberships.get(code="drifting")
    client, caller = signed_in(member), calling(member)
    for path in ("", "status/", f"{computed.pk}/figures/anchors-intervals.json"):
        assert client.get(f"{ROOT}{path}").status_code == 404, path
    assert client.get("/projects/watched/reports/quality.json").status_code == 404
    for path in ("",):
        assert caller.get(f"/projects/watched/reports/quality{path}").status_code == 404, path
    for act in ("refresh", "cancel"):
        assert client.post(f"{ROOT}{act}/").status_code == 404


def act(project: Project, client: Client, code: str, action: str) -> list[str]:
    """The messages of the page that follows an action."""
    member = project.memberships.get(code=code)
    sent = client.post(f"/projects/watched/quality/{member.pk}/", {"action": action}, follow=True)
    return list(codes(sent.content.decode()))


@pytest.mark.thorough
def test_a_lead_pauses_and_resumes_an_annotator(project: Project, computed: Report) -> None:
    client = signed_in(project.memberships.get(code="lead"))
    assert {"paused", "is-paused"} <= set(act(project, client, "rushing", "pause"))
    assert not project.memberships.get(code="rushing").is_active
    shown = act(project, client, "rushing", "resume")
    assert ("resumed" in shown, "is-paused" in shown) == (True, False)
    assert project.memberships.get(code="rushing").is_active
    done = Event.objects.filter(verb__in=("person_deactivated", "person_reactivated")).order_by("pk")
    assert [event.actor for event in done] == [project.memberships.get(code="lead").user] * 2
    assert "not-paused" in act(project, client, "lead", "pause")
