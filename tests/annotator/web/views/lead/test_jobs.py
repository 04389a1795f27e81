"""A job's page: who sees it, in which state, and how it is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotator.models import Job, Membership
from annotator.work import kinds
from annotator.work.jobs import run_job
from annotator.work.liveness import sign_of_life
from tests.annotator.job_acts import ask, counting, returning
from tests.factories import ANNOTATOR, LEAD, REVIEWER, make_member, make_project, make_user
from tests.support.codes import codes, numbers

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _kinds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Any) -> None:
    """A kind of this module's, and a worker that is alive."""
    monkeypatch.setattr(kinds, "_KINDS", {})
    kinds.register("counting", counting, title="Count to a number")
    settings.VAR_DIR = tmp_path
    sign_of_life()


@pytest.fixture
def lead(client: Client) -> Membership:
    """A project's lead, signed in."""
    member = make_member(make_project("study"), LEAD)
    assert member.user is not None
    client.force_login(member.user)
    return member


def page(client: Client, job: Job, part: str = "", status: int = 200) -> str:
    response = client.get(f"/jobs/{job.pk}/{part}")
    assert response.status_code == status
    return response.content.decode()


@pytest.mark.parametrize(("method", "part"), [("get", ""), ("get", "status/"), ("post", "cancel/")])
def test_only_the_projects_lead_may(method: str, part: str) -> None:
    project = make_project()
    job = ask(project, to=3)
    outsiders = [
        make_member(project, ANNOTATOR).user,
        make_member(project, REVIEWER).user,
        make_member(make_project(), LEAD).user,
        make_member(project, LEAD, is_active=False).user,
        make_user(is_superuser=True, is_staff=True),
    ]
    for user in outsiders:
        client = Client()
        assert user is not None
        client.force_login(user)
        assert getattr(client, method)(f"/jobs/{job.pk}/{part}").status_code == 404
    job.refresh_from_db()
    assert job.status == "queued"


def test_who_is_not_signed_in_is_told_nothing(client: Client) -> None:
    job = ask(make_project(), to=3)
    assert client.get(f"/jobs/{job.pk}/")["Location"] == f"/accounts/login/?next=/jobs/{job.pk}/"
    answer = client.get(f"/jobs/{job.pk}/status/")
    assert (answer.status_code, answer.content, answer["HX-Refresh"]) == (286, b"", "true")
    assert client.post(f"/jobs/{job.pk}/cancel/").status_code == 302
    job.refresh_from_db()
    assert job.status == "queued"


def test_a_waiting_job_is_polled(lead: Membership, client: Client) -> None:
    job = ask(lead.project, to=3)
    shown = page(client, job)
    assert "<h1>Count to a number</h1>" in shown
    assert f'hx-get="/jobs/{job.pk}/status/" hx-trigger="every 1s"' in shown
    assert codes(page(client, job, "status/")) == ["waiting"]
    assert ">Cancel</button>" in shown


def test_it_says_how_many_are_before_it(lead: Membership, client: Client) -> None:
    others = [ask(make_project(), to=3) for _ in range(3)]
    job = ask(lead.project, to=3)
    assert numbers(page(client, job, "status/"), "behind") == ["3"]
    Job.objects.filter(pk__in=[one.pk for one in others[1:]]).update(status="cancelled")
    assert numbers(page(client, job, "status/"), "behind") == ["1"]


def test_a_running_job_that_needs_something_first_says_so(lead: Membership, client: Client) -> None:
    kinds.register("awaiting", counting, awaits=lambda _: "Waiting for 2 reports.")
    job = ask(lead.project, "awaiting")
    Job.objects.update(status="running", attempts=1)
    assert numbers(page(client, job, "status/"), "awaits") == ["2", "0"]


def test_without_a_worker_it_says_so(lead: Membership, client: Client, tmp_path: Path) -> None:
    job = ask(lead.project, to=3)
    (tmp_path / "worker-seen").unlink()
    assert codes(page(client, job)) == ["no-worker"]
    Job.objects.update(status="running", progress=40, attempts=2)
    shown = page(client, job, "status/")
    assert codes(shown) == ["taken-over"]
    assert '<progress max="100" value="40"' in shown


def test_what_came_out(lead: Membership, client: Client) -> None:
    kinds.register("leading", returning({"url": "/projects/study/images/", "words": "12 images <b>"}))
    job = ask(lead.project, "leading")
    run_job(job.pk)
    shown = page(client, job, "status/", 286)
    assert '<a class="button primary" href="/projects/study/images/">Continue</a>' in shown
    assert "12 images &lt;b&gt;" in shown
    assert "hx-trigger" not in page(client, job)
    assert "Cancel" not in shown


def test_what_went_wrong(lead: Membership, client: Client) -> None:
    job = ask(lead.project)
    run_job(job.pk)
    shown = page(client, job, "status/", 286)
    assert codes(shown) == ["failed"]
    assert "KeyError" in shown


def test_cancelling(lead: Membership, client: Client) -> None:
    job = ask(lead.project, to=3)
    assert client.get(f"/jobs/{job.pk}/cancel/").status_code == 405
    assert client.post(f"/jobs/{job.pk}/cancel/")["Location"] == f"/jobs/{job.pk}/"
    assert codes(page(client, job)) == ["cancelled"]
    again = client.post(f"/jobs/{job.pk}/cancel/", follow=True)
    assert "too-late" in codes(again)


def test_queries_are_few(lead: Membership, client: Client) -> None:
    counts = []
    for number in (1, 3):
        jobs = [ask(lead.project, to=number) for _ in range(number)]
        with CaptureQueriesContext(connection) as queries:
            page(client, jobs[0])
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 5
