"""The pages that leads and annotators see first: states, rights, and that they do not grow."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotator.models import Event, ImageSummary, Membership
from tests.analysis.home.conftest import back_dated, drafted, judged_by_quality, labelled, needs
from tests.factories import LEAD, make_assignment, make_batch, make_member, make_project, make_user, user_of
from tests.support.codes import codes, numbers, said


@pytest.fixture
def lead(db: None, client: Client) -> Membership:
    """A lead of the project `pilot`, signed in."""
    member = make_member(make_project("pilot"), LEAD, user=make_user("lee"))
    client.force_login(user_of(member))
    return member


def page(client: Client, address: str = "/projects/pilot/") -> str:
    found = client.get(address)
    assert found.status_code == 200
    return found.content.decode()


class TestResultsSoFar:
    ADDRESS = "/projects/pilot/results-so-far/"
    REPORT = "/projects/pilot/reports/comparison/"

    def test_without_annotations_there_is_nothing_to_record(self, lead: Membership, client: Client) -> None:
        make_assignment(make_member(lead.project))
        assert f'href="{self.REPORT}"' not in page(client).partition("<main")[2]
        assert client.post(self.ADDRESS)["Location"] == self.REPORT
        assert not Event.objects.filter(verb="interim_results_opened").exists()

    def test_before_the_end_each_lead_is_asked_once(self, lead: Membership, client: Client) -> None:
        ada, batch = make_member(lead.project, code="ada"), make_batch(lead.project)
        labelled(ada, batch, 2)
        make_assignment(ada, batch=batch)
        assert "interim" in codes(page(client))
        assert not Event.objects.filter(verb="interim_results_opened").exists()
        for _ in range(2):
            assert client.post(self.ADDRESS)["Location"] == self.REPORT
        event = Event.objects.get(verb="interim_results_opened")
        assert (event.actor, event.data) == (lead.user, {"done": 2, "total": 3})
        assert "interim" not in codes(page(client))
        assert "Results opened before the end" in page(client, "/projects/pilot/history/")

    def test_after_the_end_nobody_is_asked(self, lead: Membership, client: Client) -> None:
        labelled(make_member(lead.project, code="ada"), make_batch(lead.project))
        assert "interim" not in codes(page(client))
        assert not Event.objects.filter(verb="interim_results_opened").exists()


def test_what_the_dashboard_shows(lead: Membership, client: Client) -> None:
    ada, batch = make_member(lead.project, code="ada"), make_batch(lead.project)
    labelled(ada, batch, 24)
    drafted(ada, batch, days_ago=4)
    back_dated(batch, 9)
    judged_by_quality(lead.project, ada, "stop", ["fast"])
    html = page(client)
    assert numbers(html, "needs") == ["2"]
    assert [code for code in codes(html) if code.startswith("need-")] == ["need-quality", "need-drafts"]
    # One primary button: that of the worst.
    assert html.count("button compact primary") == 1
    assert said(html, "count") == "24 of 25 submitted"
    assert said(html, "verdict-stop") == "Check"


def test_the_overview_counts_images_without_a_score(lead: Membership, client: Client) -> None:
    ada, batch = make_member(lead.project, code="ada"), make_batch(lead.project, protocol="realism")
    held: dict[str, Any] = {"project": lead.project, "protocol": "realism", "answers": 1}
    held |= dict.fromkeys(("apart", "flagged", "adjudicated"), False)
    held |= dict.fromkeys(("marked", "mild", "moderate", "severe"), 0)
    for score in (None, None, 7.5):
        ImageSummary.objects.create(image=make_assignment(ada, batch=batch).image, score=score, **held)
    html = page(client)
    assert "unscored" in codes(html)
    assert "2 annotated images without a score; a score needs 3 ratings." in html


def test_a_need_is_resolved_with_a_reason_that_the_history_keeps(lead: Membership, client: Client) -> None:
    drafted(make_member(lead.project, code="ada"), make_batch(lead.project), days_ago=4)
    [need] = needs(lead.project)

    def resolved(reason: str) -> set[str]:
        sent = {"key": need.key, "reason": reason}
        return set(codes(client.post("/projects/pilot/needs/resolve/", sent, follow=True)))

    assert resolved("") >= {"required", "need-drafts"}
    shown = resolved("Ada is ill.")
    assert shown >= {"need-resolved", "nothing-needed"}
    assert "need-drafts" not in shown
    assert "Ada is ill." in page(client, "/projects/pilot/history/")
    assert "need-gone" in resolved("Ada is ill.")
