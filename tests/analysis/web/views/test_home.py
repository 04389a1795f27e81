"""The pages that leads and annotators see first: states, rights, and that they do not grow."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analysis.models import Report
from annotator.models import Assignment, Batch, Event, Membership, Project, Upload
from annotator.people.invitations import invite
from annotator.uploads.receiving import begin_upload
from tests.analysis.home.making import back_dated, drafted, judged_by_quality, labelled, needs
from tests.factories import (
    ANNOTATOR,
    LEAD,
    REVIEWER,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
    make_user,
)
from tests.support.codes import codes, numbers, said


@pytest.fixture
def lead(db: None, client: Client) -> Membership:
    """A lead of the project `pilot`, signed in."""
    member = make_member(make_project("pilot"), LEAD, user=make_user("lee"))
    assert member.user is not None
    client.force_login(member.user)
    return member


def page(client: Client, address: str = "/projects/pilot/") -> str:
    found = client.get(address)
    assert found.status_code == 200
    return found.content.decode()


class TestSteps:
    def test_the_current_step_holds_its_form(self, lead: Membership, client: Client) -> None:
        html = page(client)
        assert numbers(html, "setup") == ["8"]
        assert 'id="drop"' in html
        assert 'data-begin="/projects/pilot/uploads/"' in html
        assert html.count('aria-current="step"') == 1
        make_image(lead.project)
        html = page(client)
        assert numbers(html, "setup") == ["1", "8"]
        assert 'id="drop"' not in html
        assert f'action="{reverse("invitations_many", args=["pilot"])}"' in html

    def test_an_unfinished_upload_is_found_again(self, lead: Membership, client: Client) -> None:
        assert "upload-begun" not in codes(page(client))
        upload = begin_upload(project=lead.project, actor=lead.user)
        html = page(client)
        assert "upload-begun" in codes(html)
        assert f'href="{reverse("upload", args=["pilot", upload.public_id])}"' in html
        Upload.objects.update(status=Upload.Status.DISCARDED)
        assert "upload-begun" not in codes(page(client))

    def test_what_is_done_says_what_was_done(self, lead: Membership, client: Client) -> None:
        make_image(lead.project)
        for number in (1, 2):
            invite(
                project=lead.project,
                role=ANNOTATOR,
                code=f"ann{number}",
                secret=f"secret-{number}",
                actor=None,
            )
        html = page(client)
        # Their places are the two annotators, not two more.
        assert numbers(html, "step-people")[-2:] == ["2", "2"]
        assert "2 annotators, 2 not joined yet" in html
        Project.objects.update(guideline_versions={"anatomy": "1.0"})
        assert "Published" in said(page(client), "step-guideline")

    def test_stored_images_lead_on(self, lead: Membership, client: Client) -> None:
        upload = lead.project.uploads.create(status="stored")
        address = f"/projects/pilot/uploads/{upload.public_id}/"
        assert "people-next" in codes(page(client, address))
        make_member(lead.project)
        assert {"people-next", "guideline-next"} & set(codes(page(client, address))) == {"guideline-next"}
        Project.objects.update(guideline_versions={"anatomy": "1.0"})
        assert "guideline-next" not in codes(page(client, address))

    def test_a_released_batch_brings_the_dashboard(self, lead: Membership, client: Client) -> None:
        make_assignment(make_member(lead.project))
        html = page(client)
        assert {"nothing-needed", "no-annotation"} <= set(codes(html))
        # Guideline and training do not count: the project went on without them.
        assert numbers(html, "setup") == ["3", "6"]


class TestResultsSoFar:
    ADDRESS = "/projects/pilot/results-so-far/"
    REPORT = "/projects/pilot/reports/comparison/"

    def test_without_annotations_it_leads_to_the_next_step(self, lead: Membership, client: Client) -> None:
        html = page(client, self.ADDRESS)
        assert "no-results" in codes(html)
        assert f'class="button primary" href="{reverse("uploads", args=["pilot"])}"' in html
        assert client.post(self.ADDRESS).status_code == 200
        assert not Event.objects.filter(verb="interim_results_opened").exists()

    def test_before_the_end_each_lead_is_asked_once(self, lead: Membership, client: Client) -> None:
        ada, batch = make_member(lead.project, code="ada"), make_batch(lead.project)
        labelled(ada, batch, 2)
        make_assignment(ada, batch=batch)
        assert f'href="{self.ADDRESS}"' in page(client)
        assert "interim" in codes(page(client, self.ADDRESS))
        assert not Event.objects.filter(verb="interim_results_opened").exists()
        for _ in range(2):
            assert client.post(self.ADDRESS)["Location"] == self.REPORT
        event = Event.objects.get(verb="interim_results_opened")
        assert (event.actor, event.data) == (lead.user, {"done": 2, "total": 3})
        assert client.get(self.ADDRESS)["Location"] == self.REPORT
        assert "2 done; 3 in all" in page(client, "/projects/pilot/history/?kind=out")

    def test_after_the_end_nobody_is_asked(self, lead: Membership, client: Client) -> None:
        labelled(make_member(lead.project, code="ada"), make_batch(lead.project))
        assert client.get(self.ADDRESS)["Location"] == self.REPORT
        assert not Event.objects.filter(verb="interim_results_opened").exists()


class TestDashboard:
    def test_what_it_shows(self, lead: Membership, client: Client) -> None:
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

    def test_an_image_skipped_is_not_annotated(self, lead: Membership, client: Client) -> None:
        ada, batch = make_member(lead.project, code="ada"), make_batch(lead.project)
        labelled(ada, batch, 47)
        skipped = make_assignment(ada, batch=batch, status="skipped")
        html = page(client)
        assert said(html, "count") == "47 of 48 submitted, 1 skipped"
        assert said(html, "none-left") == "No image is left to annotate; 1 skipped."
        assert "all-in" not in codes(html)
        Assignment.objects.filter(pk=skipped.pk).delete()
        assert said(page(client), "all-in") == "All images are annotated."

    def test_imports_are_no_progress(self, lead: Membership, client: Client) -> None:
        elsewhere = make_batch(lead.project, prompt_seen=Batch.Seen.UNKNOWN)
        labelled(make_member(lead.project, code="ada"), elsewhere, 3)
        html = page(client)
        assert said(html, "count") == "3 imported"
        assert said(html, "verdict-unwatched") == "Not watched"

    def test_agreement_is_that_of_the_newest_report(self, lead: Membership, client: Client) -> None:
        labelled(make_member(lead.project, code="ada"), make_batch(lead.project))
        assert "agreement" not in codes(page(client))
        alpha = {"value": 0.55, "low": 0.3, "high": 0.71, "n_units": 23}
        excerpt = {"alpha": alpha, "disagreements": []}
        Report.objects.create(
            project=lead.project, kind="agreement", status="done", result={}, excerpt=excerpt
        )
        told = "Agreement: alpha 0.55 [0.30, 0.71] over 23 doubly annotated images"
        assert said(page(client), "agreement") == told

    def test_who_has_no_account_has_not_joined(self, lead: Membership, client: Client) -> None:
        batch = make_batch(lead.project)
        bob = make_member(lead.project, code="bob")
        make_assignment(bob, batch=batch)
        labelled(eve := make_member(lead.project, code="eve"), batch, 24)
        Membership.objects.filter(pk__in=(bob.pk, eve.pk)).update(user=None)
        html = page(client)
        assert said(html, "not-joined") == "Not joined"
        # Eve's work is complete: nobody waits for her, and no quality report has looked at it.
        assert said(html, "verdict-unchecked") == "Not checked yet"

    def test_the_latest_are_shown_however_much_else_was_submitted(
        self, lead: Membership, client: Client
    ) -> None:
        ada, batch = make_member(lead.project, code="ada"), make_batch(lead.project)
        (made,) = labelled(ada, batch, 1)
        Event.objects.create(project=lead.project, verb="submitted", assignment=made.assignment)
        for other in labelled(ada, batch, 30):
            Assignment.objects.filter(pk=other.assignment_id).update(purpose="training")
            Event.objects.create(project=lead.project, verb="submitted", assignment=other.assignment)
        html = page(client)
        assert "no-annotation" not in codes(html)
        assert f'href="{reverse("annotation", args=[made.pk])}"' in html

    def test_latest_annotations_name_their_number(self, lead: Membership, client: Client) -> None:
        (made,) = labelled(make_member(lead.project, code="ada"), make_batch(lead.project), 1)
        Event.objects.create(project=lead.project, verb="submitted", assignment=made.assignment)
        assert "<b>score 0.25</b>" in page(client)

    def test_five_rows_and_the_rest_folded(self, lead: Membership, client: Client) -> None:
        ada, batch = make_member(lead.project), make_batch(lead.project)
        labelled(ada, batch, 2)
        judged_by_quality(lead.project, ada, "look", ["hasty"])
        for kind in ("export", "release_batch", "preview"):
            lead.project.jobs.create(kind=kind, status="failed")
        drafted(ada, batch, days_ago=4)
        lead.project.reports.create(kind="comparison", status="failed")
        html = page(client)
        assert numbers(html, "needs") == ["6"]
        assert html.count('class="need-rows" data-rows') == 2
        assert html.rindex("need-drafts") > html.index("1 more")

    @pytest.mark.parametrize("role", [ANNOTATOR, REVIEWER])
    def test_only_leads_see_it(self, lead: Membership, client: Client, role: str) -> None:
        make_assignment(make_member(lead.project))
        other = make_member(lead.project, role)
        assert other.user is not None
        client.force_login(other.user)
        for address in ("/projects/pilot/", "/projects/pilot/details/"):
            assert client.get(address).status_code == 404


class TestResolving:
    @pytest.fixture
    def key(self, lead: Membership) -> str:
        """The key of the project's only need."""
        drafted(make_member(lead.project, code="ada"), make_batch(lead.project), days_ago=4)
        [need] = needs(lead.project)
        return need.key

    @pytest.mark.thorough
    def test_with_a_reason_that_the_history_keeps(self, lead: Membership, client: Client, key: str) -> None:
        said = {"key": key, "reason": "Ada is ill."}
        html = client.post("/projects/pilot/needs/resolve/", said, follow=True).content.decode()
        assert {"need-resolved", "nothing-needed"} <= set(codes(html))
        assert "need-drafts" not in codes(html)
        assert "Resolved (1)" in html
        assert "Ada is ill." in page(client, "/projects/pilot/history/?kind=out")
        again = client.post("/projects/pilot/needs/resolve/", said, follow=True).content.decode()
        assert "need-gone" in codes(again)
        assert "Resolved (1)" in again

    def test_without_one_nothing_is_lost(self, lead: Membership, client: Client, key: str) -> None:
        long = "x" * 401
        for reason, code in (("", "required"), (long, "max_length")):
            found = client.post("/projects/pilot/needs/resolve/", {"key": key, "reason": reason})
            html = found.content.decode()
            assert (found.status_code, code in codes(html), "need-drafts" in codes(html)) == (422, True, True)
        assert f'value="{long}"' in html

    @pytest.mark.parametrize("role", [ANNOTATOR, REVIEWER])
    def test_by_leads_only(self, lead: Membership, client: Client, key: str, role: str) -> None:
        other = make_member(lead.project, role)
        assert other.user is not None
        client.force_login(other.user)
        said = {"key": key, "reason": "Mine."}
        assert client.post("/projects/pilot/needs/resolve/", said).status_code == 404
        assert len(needs(lead.project)) == 1


class TestQueries:
    @pytest.mark.thorough
    def test_of_the_dashboard(self, lead: Membership, client: Client) -> None:
        counts = []
        for _ in range(3):
            _more(lead.project)
            with CaptureQueriesContext(connection) as asked:
                page(client)
            counts.append(len(asked))
        assert counts[0] == counts[1] == counts[2] <= 45

    def test_of_the_steps(self, lead: Membership, client: Client) -> None:
        counts = []
        for _ in range(3):
            make_image(lead.project, generator=make_user().username)
            make_member(lead.project)
            with CaptureQueriesContext(connection) as asked:
                page(client)
            counts.append(len(asked))
        assert counts[0] == counts[1] == counts[2] <= 20

    def test_of_the_projects(self, lead: Membership, client: Client) -> None:
        counts = []
        for _ in range(3):
            project = make_project()
            make_member(project, LEAD, user=lead.user)
            _more(project)
            with CaptureQueriesContext(connection) as asked:
                page(client, "/")
            counts.append(len(asked))
        assert counts[0] == counts[1] == counts[2] <= 25


def _more(project: Project) -> None:
    """Another annotator in another batch, with an old draft and a failed job."""
    person, batch = make_member(project), make_batch(project)
    labelled(person, batch, 2)
    drafted(person, batch, days_ago=5)
    project.jobs.create(kind="export", status="failed")


class TestProjects:
    def test_progress_and_needs_of_each(self, lead: Membership, client: Client) -> None:
        other = make_project("other")
        own = make_member(other, ANNOTATOR, user=lead.user)
        make_assignment(own)
        ada = make_member(lead.project)
        batch = make_batch(lead.project)
        labelled(ada, batch, 24)
        make_assignment(ada, batch=batch)
        judged_by_quality(lead.project, ada, "stop", ["fast"])
        html = page(client, "/")
        assert numbers(html, "needs") == ["1"]
        assert "24 of 25 submitted" in html
        assert codes(html).count("waiting") == 1

    def test_an_annotator_learns_nothing_of_the_others(self, lead: Membership, client: Client) -> None:
        batch = make_batch(lead.project)
        labelled(make_member(lead.project), batch, 24, marks=())
        own, another = make_member(lead.project), make_project("another")
        make_member(another, user=own.user)
        assert own.user is not None
        client.force_login(own.user)
        html = page(client, "/")
        assert "needs" not in codes(html)
        assert "progress" not in html.replace('class="', "")

    def test_the_only_project_of_an_annotator_opens_its_queue(self, lead: Membership, client: Client) -> None:
        own = make_member(lead.project)
        assert own.user is not None
        client.force_login(own.user)
        assert client.get("/").headers["Location"] == "/projects/pilot/queue/"
