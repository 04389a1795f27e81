"""Changing the people of a large batch: proposed and applied by a worker, looked at in between."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.batches import stored_plans
from annotator.batches.people_changes import propose_people_change
from annotator.batches.planning import InvalidDesign
from annotator.models import Assignment, Batch, Event, Job, Plan, Standing
from annotator.work.jobs import run_job
from tests.annotator.acting import submit
from tests.annotator.web.views.conftest import Study, signed_in
from tests.annotator.web.views.lead.test_batch_people import WHY, address, batch, confirmed, held, wanted
from tests.factories import LEAD, make_batch, make_member, make_project
from tests.support.codes import codes

__all__ = ["batch"]  # the fixture


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_plans, "INLINE_ASSIGNMENTS", 5)


def proposed(study: Study, batch: Batch, lead: Client) -> Any:
    """Ask for a proposal, let a worker make it, and open its page."""
    sent = lead.post(address(batch), wanted(study))
    job = Job.objects.get(kind="propose_people")
    assert sent["Location"] == reverse("job", args=[job.pk])
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.result is not None, job.error
    return lead.get(job.result["url"])


def applied(study: Study, batch: Batch, lead: Client) -> tuple[Job, dict[str, Any]]:
    """Confirm a proposal and let a worker apply it, or whatever it does then."""
    sent = confirmed(study, proposed(study, batch, lead))
    lead.post(address(batch), sent)
    return Job.objects.get(kind="change_people"), sent


def test_a_worker_proposes_and_another_job_applies(study: Study, batch: Batch, as_lead: Client) -> None:
    page = proposed(study, batch, as_lead)
    proposal = page.context["proposal"]
    assert (proposal["keep"], proposal["away"], proposal["new"]) == (8, 8, 8)
    assert [tuple(flow) for flow in proposal["flows"]] == [("ada", "eve", 8)]
    assert WHY in page.content.decode()
    assert Plan.objects.count() == 1
    sent = confirmed(study, page)
    first, second = (as_lead.post(address(batch), sent)["Location"] for _ in range(2))
    change = Job.objects.get(kind="change_people")
    assert first == second == reverse("job", args=[change.pk])
    assert run_job(change.pk)
    change.refresh_from_db()
    there = reverse("batch", args=[batch.pk])
    assert change.result == {"url": there, "words": "Annotators of “Planned” changed."}
    assert (held(batch, "ada"), held(batch, "bob"), held(batch, "eve")) == (0, 8, 8)
    event = Event.objects.get(verb="people_changed")
    assert (event.actor, event.data["reason"]) == (study.lead.user, WHY)
    assert as_lead.post(address(batch), sent)["Location"] == there


def test_many_annotators_are_left_to_a_worker(
    study: Study, batch: Batch, as_lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_plans, "INLINE_ASSIGNMENTS", 20_000)
    monkeypatch.setattr(stored_plans, "INLINE_ANNOTATORS", 0)
    proposal = proposed(study, batch, as_lead).context["proposal"]
    assert (proposal["keep"], proposal["away"], proposal["new"]) == (8, 8, 8)


def test_a_worker_checks_who_is_qualified(study: Study, batch: Batch, as_lead: Client) -> None:
    Batch.objects.filter(pk=batch.pk).update(needs_standing=True)
    eve = study.project.memberships.get(code="eve")
    page = proposed(study, batch, as_lead)
    assert "lacking" in codes(page)
    for exempt, status, images in ({}, "failed", 0), ({"waived": [eve.pk]}, "done", 8):
        sent = confirmed(study, page, **exempt, waiver="Helps out today", request_key=str(uuid4()))
        as_lead.post(address(batch), sent)
        job = Job.objects.filter(kind="change_people").latest("pk")
        run_job(job.pk)
        job.refresh_from_db()
        assert (job.status, held(batch, "eve")) == (status, images)
    assert Standing.objects.get().reason == "Helps out today"


def test_begun_twice_it_changes_once(study: Study, batch: Batch, as_lead: Client) -> None:
    """The worker died after the change and before it said so."""
    job, _ = applied(study, batch, as_lead)
    assert run_job(job.pk)
    Job.objects.filter(pk=job.pk).update(status="queued", result=None, finished_at=None)
    rows = list(Assignment.objects.order_by("pk").values())
    assert run_job(job.pk)
    assert list(Assignment.objects.order_by("pk").values()) == rows
    assert Plan.objects.filter(kind="change").count() == 1


def test_what_has_changed_since_is_not_applied(study: Study, batch: Batch, as_lead: Client) -> None:
    job, _ = applied(study, batch, as_lead)
    first = Assignment.objects.filter(batch=batch, annotator=study.ada).order_by("position").first()
    assert first is not None
    submit(first)
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.status, held(batch, "ada")) == ("failed", 8)
    assert (
        job.error == "The batch has changed since the preview. Nothing was stored. Preview the change again."
    )
    status = as_lead.get(reverse("job", args=[job.pk])).content.decode()
    assert reverse("batch_people", args=[batch.pk]) in status


def test_a_worker_says_why_it_cannot_be(study: Study, batch: Batch, as_lead: Client) -> None:
    everybody: dict[str, Any] = {"leaving": [study.ada.pk, study.bob.pk], "joining": []}
    as_lead.post(address(batch), wanted(study, **everybody))
    job = Job.objects.get()
    run_job(job.pk)
    job.refresh_from_db()
    assert job.status == "failed"
    with pytest.raises(InvalidDesign) as told:
        propose_people_change(batch=batch, leaving=[study.ada, study.bob])
    assert job.error == str(told.value)


def test_a_proposal_is_shown_to_leads_of_its_batch(study: Study, batch: Batch, as_lead: Client) -> None:
    proposed(study, batch, as_lead)
    job = Job.objects.get()
    here = reverse("batch_people_proposal", args=[batch.pk, job.pk])
    assert as_lead.get(here).status_code == 200
    other = make_batch(study.project, name="Other")
    assert as_lead.get(reverse("batch_people_proposal", args=[other.pk, job.pk])).status_code == 404
    for member in (study.ada, make_member(make_project("other"), LEAD)):
        assert signed_in(member).get(here).status_code == 404
    Job.objects.update(status="failed", error="x", result=None)
    assert as_lead.get(here).status_code == 404
