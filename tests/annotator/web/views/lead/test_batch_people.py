"""Who annotates a batch: proposed, applied as proposed."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.batches.planning.change.coverage import Shortage
from annotator.batches.releases import release_plan
from annotator.models import Assignment, Batch, Event, Plan
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
