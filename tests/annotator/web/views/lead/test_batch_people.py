"""Who annotates a batch: proposed, applied as proposed, large changes by a worker."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.batches import stored_plans
from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.planning.change.coverage import Shortage
from annotator.batches.releases import release_plan
from annotator.models import Assignment, Batch, Event, Job, Plan
from annotator.work.jobs import run_job
from tests.annotator.acting import save, submit
from tests.annotator.web.views.conftest import Study
from tests.factories import ANNOTATOR, make_image, make_member, make_user
from tests.support.codes import codes

WHY = "Ada has left."


@pytest.fixture
def batch(study: Study) -> Batch:
    """Twelve images for ada and bob; `eve` stands by."""
    fresh = [make_image(study.project).pk for _ in range(12)]
    make_member(study.project, ANNOTATOR, user=make_user("eve"), code="eve")
    design = design_of(
        project=study.project,
        images=study.project.images.filter(pk__in=fresh),
        people=[study.ada, study.bob],
        overlap=4,
        seed=3,
    )
    return release_plan(project=study.project, name="Planned", plan=make_plan(design))


def address(batch: Batch) -> str:
    return reverse("batch_people", args=[batch.pk])


def wanted(study: Study, action: str = "preview", **more: Any) -> dict[str, Any]:
    """What the form sends: ada leaves, eve joins."""
    eve = study.project.memberships.get(code="eve")
    sent = {"leaving": [study.ada.pk], "joining": [eve.pk], "reason": WHY, "action": action}
    return {**sent, **more}


def confirmed(study: Study, page: Any, **more: Any) -> dict[str, Any]:
    """What the proposal's form sends."""
    names = ("outcome", "request_key")
    return wanted(study, "confirm", **{**{name: str(page.context[name]) for name in names}, **more})


def held(batch: Batch, code: str) -> int:
    return Assignment.objects.filter(batch=batch, annotator__code=code, position__isnull=False).count()


def test_the_proposal_says_who_gives_what_and_stores_nothing(
    study: Study, batch: Batch, as_lead: Client
) -> None:
    first, second = Assignment.objects.filter(batch=batch, annotator=study.ada).order_by("position")[:2]
    submit(first)
    save(second)
    page = as_lead.post(address(batch), wanted(study))
    proposal = page.context["proposal"]
    assert (proposal["keep"], proposal["away"], proposal["drafts"], proposal["new"]) == (9, 7, 1, 7)
    assert [tuple(flow) for flow in proposal["flows"]] == [("ada", "eve", 7)]
    shares = {code: tuple(counts) for code, *counts in proposal["shares"]}
    assert shares == {"ada": (8, 7, 0, 1), "bob": (8, 0, 0, 8), "eve": (0, 0, 7, 7)}
    assert codes(page) == ["not-stored"]
    assert (held(batch, "ada"), held(batch, "eve"), Plan.objects.count()) == (8, 0, 1)


def test_applying_it_moves_what_was_proposed(study: Study, batch: Batch, as_lead: Client) -> None:
    page = as_lead.post(address(batch), wanted(study))
    sent = confirmed(study, page)
    for _ in range(2):
        answer = as_lead.post(address(batch), sent)
        assert (answer.status_code, answer["Location"]) == (302, reverse("batch", args=[batch.pk]))
    assert (held(batch, "ada"), held(batch, "bob"), held(batch, "eve")) == (0, 8, 8)
    assert [plan.reason for plan in Plan.objects.filter(kind="change")] == [WHY]
    assert Event.objects.filter(verb="people_changed").count() == 1
    history = as_lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert WHY in history


def test_what_has_changed_since_is_proposed_anew(study: Study, batch: Batch, as_lead: Client) -> None:
    sent = confirmed(study, as_lead.post(address(batch), wanted(study)))
    done = Assignment.objects.filter(batch=batch, annotator=study.ada).order_by("position").first()
    assert done is not None
    submit(done)
    page = as_lead.post(address(batch), sent)
    assert page.status_code == 409
    assert page.context["proposal"]["away"] == 7
    assert held(batch, "ada") == 8
    assert as_lead.post(address(batch), confirmed(study, page)).status_code == 302


def both_judge_all(study: Study) -> Batch:
    """Four images for ada and bob, each for both."""
    fresh = [make_image(study.project).pk for _ in range(4)]
    images = study.project.images.filter(pk__in=fresh)
    people = [study.ada, study.bob]
    design = design_of(project=study.project, images=images, people=people, overlap=4, seed=3)
    return release_plan(project=study.project, name="Both", plan=make_plan(design))


def test_too_few_people_are_told_with_the_solutions(study: Study, batch: Batch, as_lead: Client) -> None:
    both = both_judge_all(study)
    leaves = {"leaving": [study.ada.pk], "reason": WHY}
    page = as_lead.post(address(both), {**leaves, "action": "preview"})
    assert page.status_code == 422
    assert codes(page) == ["too-few-people", "solve-add", "solve-add", "solve-fewer"]
    impossible = page.context["impossible"]
    assert impossible.shortage == Shortage(images=4, needs=2, stay=1, once=4, never=0)
    assert "limit" not in str(impossible)
    assert [person.code for person in page.context["candidates"]] == ["eve", "lee"]
    # Each button previews; nothing is stored before the lead confirms.
    eve = study.project.memberships.get(code="eve")
    added = as_lead.post(address(both), {**leaves, "solve": str(eve.pk)})
    assert (added.status_code, added.context["proposal"]["new"]) == (200, 4)
    assert held(both, "ada") == 4


@pytest.fixture
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


@pytest.mark.usefixtures("_large")
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


@pytest.mark.usefixtures("_large")
def test_begun_twice_it_changes_once(study: Study, batch: Batch, as_lead: Client) -> None:
    """The worker died after the change and before it said so."""
    job, _ = applied(study, batch, as_lead)
    assert run_job(job.pk)
    Job.objects.filter(pk=job.pk).update(status="queued", result=None, finished_at=None)
    rows = list(Assignment.objects.order_by("pk").values())
    assert run_job(job.pk)
    assert list(Assignment.objects.order_by("pk").values()) == rows
    assert Plan.objects.filter(kind="change").count() == 1


@pytest.mark.usefixtures("_large")
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
