"""Batches and their settings: the lead's alone, kept with what they were."""

from __future__ import annotations

import csv
import io

import pytest
from django.urls import reverse

from annotator.models import Assignment, Batch, Event, Image
from tests.annotator.acting import submit
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import LEAD, make_assignment, make_batch, make_member

GUIDED = {"guided": "on", "score_shown": "never"}


@pytest.fixture
def batch(study: Study) -> Batch:
    return study.assignments[0].batch


def address(batch: Batch) -> str:
    return reverse("batch_settings", args=[batch.pk])


def test_a_lead_changes_how_a_batch_is_labelled(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    assert b"Guide annotators through the cells" in as_lead.get(address(batch)).content
    answer = as_lead.post(address(batch), GUIDED)
    assert (answer.status_code, answer["Location"]) == (302, reverse("batch", args=[batch.pk]))
    batch.refresh_from_db()
    assert (batch.show_prompt, batch.guided, batch.score_shown) == (False, True, "never")
    event = Event.objects.get(verb="batch_settings_changed")
    replaced = {"show_prompt": False, "show_generator": False, "guided": False, "score_shown": "choice"}
    assert event.data["replaced"] == replaced
    as_lead.post(address(batch), GUIDED)
    assert Event.objects.filter(verb="batch_settings_changed").count() == 1


def test_a_lead_says_what_was_seen_where_the_answers_of_a_batch_were_given(
    study: Study, batch: Batch
) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    assert b'name="prompt_seen"' not in as_lead.get(address(batch)).content
    Batch.objects.update(prompt_seen="unknown", generator_seen="unknown")
    page = as_lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert page.count('data-seen="unknown"') == 2
    stated = {**GUIDED, "prompt_seen": "shown", "generator_seen": "hidden"}
    assert as_lead.post(address(batch), {**stated, "prompt_seen": "varied"}).status_code == 422
    assert as_lead.post(address(batch), stated).status_code == 302
    page = as_lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert ('data-seen="shown"' in page, 'data-seen="hidden"' in page) == (True, True)


def test_the_list_says_how_far_each_batch_is(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    submit(study.assignments[0])
    given_away = make_assignment(study.bob, batch=batch)
    Assignment.objects.filter(pk=given_away.pk).update(status="withdrawn", position=None)
    make_batch(study.project, name="To come", status="preparing", seed=5)
    rows = as_lead.get(reverse("batches", args=["pilot"])).context["rows"]
    found = [(each.name, counts.images, counts.people, counts.work.words) for each, counts, _ in rows]
    assert found == [("To come", 0, 0, ""), ("First batch", 4, 2, "1 of 4 submitted")]


def test_the_plan_comes_as_csv(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    Image.objects.filter(pk=study.assignments[1].image_id).update(generator="=1+1")
    Assignment.objects.filter(pk=study.assignments[2].pk).update(status="withdrawn", position=None)
    answer = as_lead.get(reverse("batch_plan", args=[batch.pk]))
    assert answer["Content-Disposition"] == f'attachment; filename="pilot-batch-{batch.pk}-plan.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode(), newline="")))
    kept = ("annotator", "position", "shared", "status", "generator")
    found = {tuple(row[name] for name in kept) for row in rows}
    assert found == {
        ("ada", "1", "yes", "open", "painter"),
        ("ada", "2", "no", "open", "'=1+1"),
        ("ada", "", "no", "withdrawn", "painter"),
        ("bob", "1", "yes", "open", "painter"),
    }
