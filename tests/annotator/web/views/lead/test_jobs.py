"""A job's page: who sees it, in which state, and how it is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from annotator.models import Job, Membership
from annotator.work import kinds
from annotator.work.jobs import run_job
from annotator.work.liveness import sign_of_life
from tests.annotator.job_acts import ask, counting, returning
from tests.factories import LEAD, make_member, make_project
from tests.support.codes import codes

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


def test_cancelling(lead: Membership, client: Client) -> None:
    job = ask(lead.project, to=3)
    assert client.get(f"/jobs/{job.pk}/cancel/").status_code == 405
    assert client.post(f"/jobs/{job.pk}/cancel/")["Location"] == f"/jobs/{job.pk}/"
    assert codes(page(client, job)) == ["cancelled"]
    again = client.post(f"/jobs/{job.pk}/cancel/", follow=True)
    assert "too-late" in codes(again)
