"""The batches of a project: their settings, progress and annotators."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.models import Annotation, Assignment, Batch, Membership, Plan
from annotator.models.counting import WorkCount
from tests.annotator.acting import save, submit
from tests.annotator.planned import release_plan
from tests.annotator.web.views.conftest import Study
from tests.factories import ANNOTATOR, make_assignment, make_batch, make_image, make_member, make_user
from tests.support.codes import codes

GUIDED = {"guided": "on", "score_shown": "never"}


@pytest.fixture
def batch(study: Study) -> Batch:
    return study.assignments[0].batch


def address(batch: Batch) -> str:
    return reverse("batch_settings", args=[batch.pk])


def test_a_lead_says_what_was_seen_where_answers_were_given(batch: Batch, as_lead: Client) -> None:
    assert b'name="prompt_seen"' not in as_lead.get(reverse("batch", args=[batch.pk])).content
    Batch.objects.update(prompt_seen="unknown", generator_seen="unknown")
    page = as_lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert page.count('data-seen="unknown"') == 2
    stated = {**GUIDED, "prompt_seen": "shown", "generator_seen": "hidden"}
    assert as_lead.post(address(batch), {**stated, "prompt_seen": "varied"}).status_code == 422
    # Links of the refused page are relative to an address that takes forms only.
    assert as_lead.get(f"{address(batch)}?page=2")["Location"] == f"/batches/{batch.pk}/?page=2"
    assert as_lead.post(address(batch), stated).status_code == 302
    page = as_lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert ('data-seen="shown"' in page, 'data-seen="hidden"' in page) == (True, True)


def test_the_list_says_how_far_each_batch_is(study: Study, batch: Batch, as_lead: Client) -> None:
    submit(study.assignments[0])
    given_away = make_assignment(study.bob, batch=batch)
    Assignment.objects.filter(pk=given_away.pk).update(status="withdrawn", position=None)
    make_batch(study.project, name="To come", seed=5)
    rows = as_lead.get(reverse("batches", args=["pilot"])).context["rows"]
    found = [(each.name, n["images"], n["people"], n["work"].words) for each, n, _ in rows]
    assert found == [("To come", 0, 0, ""), ("First batch", 4, 2, "1 of 4 submitted")]


@pytest.fixture
def labelled_batch(study: Study) -> Batch:
    """ada: one submitted and flagged, one draft, one untouched; bob: the first too, taken away again."""
    first, second, _ = study.assignments
    submit(first)
    Annotation.objects.filter(assignment=first).update(flagged=True)
    save(second)
    save(study.of_bob)
    Assignment.objects.filter(pk=study.of_bob.pk).update(status="withdrawn", position=None)
    return first.batch


def progress_address(labelled_batch: Batch) -> str:
    return reverse("batch_progress", args=[labelled_batch.pk])


def test_every_cell_says_how_it_stands(study: Study, labelled_batch: Batch, as_lead: Client) -> None:
    third = study.assignments[2].image
    make_assignment(study.bob, batch=labelled_batch, image=third, status="skipped")
    page = as_lead.get(progress_address(labelled_batch))
    assert [each.code for each in page.context["annotators"]] == ["ada", "bob"]
    found = [[cell and cell["title"] for cell in row["cells"]] for row in page.context["rows"]]
    assert found == [["Submitted, flagged", "Withdrawn"], ["Draft", None], ["Not started", "Skipped"]]
    assert [(row["submitted"], row["owed"]) for row in page.context["rows"]] == [(1, 1), (0, 1), (0, 2)]


def test_totals_of_each_annotator(study: Study, labelled_batch: Batch, as_lead: Client) -> None:
    make_assignment(study.bob, batch=labelled_batch)
    ada, bob = as_lead.get(progress_address(labelled_batch)).context["people"]
    assert (ada["count"], ada["withdrawn"]) == (WorkCount(submitted=1, open=2, left=2), 0)
    assert (ada["drafts"], ada["flagged"]) == (1, 1)
    assert (bob["count"].open, bob["withdrawn"], bob["drafts"]) == (1, 1, 0)
    assert (ada["inactive"], bob["inactive"], bob["last_seen"]) == (False, False, None)
    assert as_lead.get(progress_address(labelled_batch)).context["count"].words == "1 of 4 submitted"


def test_who_saves_nothing_for_days_is_inactive(study: Study, labelled_batch: Batch, as_lead: Client) -> None:
    long_ago = timezone.now() - timedelta(days=4)
    Membership.objects.update(created_at=long_ago)
    ada, _ = as_lead.get(progress_address(labelled_batch)).context["people"]
    assert not ada["inactive"], "the batch is from today"
    Batch.objects.update(created_at=long_ago)
    Annotation.objects.update(saved_at=long_ago, submitted_at=long_ago)
    page = as_lead.get(progress_address(labelled_batch))
    ada, _ = page.context["people"]
    assert (ada["inactive"], ada["last_seen"]) == (True, long_ago)
    assert "inactive for 3 days</span>" in page.content.decode()


WHY = "Ada has left."


def given_to_both(study: Study, images: int) -> Batch:
    """New images for ada and bob, four of them for each."""
    fresh = study.project.images.filter(pk__in=[make_image(study.project).pk for _ in range(images)])
    people = [study.ada, study.bob]
    design = design_of(project=study.project, images=fresh, people=people, overlap=4, seed=3)
    return release_plan(project=study.project, name=f"{images} images", plan=make_plan(design))


@pytest.fixture
def planned(study: Study) -> Batch:
    """Twelve images for ada and bob; `eve` stands by."""
    make_member(study.project, ANNOTATOR, user=make_user("eve"), code="eve")
    return given_to_both(study, 12)


def people_address(batch: Batch) -> str:
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


def test_the_proposal_says_who_gives_what(study: Study, planned: Batch, as_lead: Client) -> None:
    first, second = Assignment.objects.filter(batch=planned, annotator=study.ada).order_by("position")[:2]
    submit(first)
    save(second)
    page = as_lead.post(people_address(planned), wanted(study))
    change = page.context["change"]
    assert (change.kept, len(change.withdraw), change.drafts, len(change.add)) == (9, 7, 1, 7)
    loads = {code: tuple(counts) for code, *counts in change.loads()}
    assert loads == {"ada": (8, 7, 0, 1), "bob": (8, 0, 0, 8), "eve": (0, 0, 7, 7)}
    assert codes(page) == ["not-stored", "balanced"]
    assert (held(planned, "ada"), held(planned, "eve"), Plan.objects.count()) == (8, 0, 1)


def test_what_has_changed_since_is_proposed_anew(study: Study, planned: Batch, as_lead: Client) -> None:
    sent = confirmed(study, as_lead.post(people_address(planned), wanted(study)))
    done = Assignment.objects.filter(batch=planned, annotator=study.ada).order_by("position")[0]
    submit(done)
    page = as_lead.post(people_address(planned), sent)
    assert page.status_code == 409
    assert len(page.context["change"].withdraw) == 7
    assert held(planned, "ada") == 8
    assert as_lead.post(people_address(planned), confirmed(study, page)).status_code == 302


def test_too_few_people_are_told_with_the_number(study: Study, as_lead: Client) -> None:
    both = given_to_both(study, 4)
    sent = {"leaving": [study.ada.pk], "reason": WHY, "action": "preview"}
    page = as_lead.post(people_address(both), sent)
    assert page.status_code == 422
    assert "1 annotator cannot take over all annotations: 4 would be left." in page.content.decode()
    assert held(both, "ada") == 4
