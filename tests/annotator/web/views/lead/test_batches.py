"""The batches of a project, their settings and progress."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.models import Annotation, Assignment, Batch, Event, Membership
from annotator.models.counting import WorkCount
from tests.annotator.acting import save, submit
from tests.annotator.web.views.conftest import Study
from tests.factories import LEAD, make_assignment, make_batch, make_member
from tests.support.signing_in import signed_in

GUIDED = {"guided": "on", "score_shown": "never"}


@pytest.fixture
def batch(study: Study) -> Batch:
    return study.assignments[0].batch


def address(batch: Batch) -> str:
    return reverse("batch_settings", args=[batch.pk])


def test_a_lead_changes_how_a_batch_is_labelled(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    assert b"Guide annotators through the cells" in as_lead.get(reverse("batch", args=[batch.pk])).content
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
    assert b'name="prompt_seen"' not in as_lead.get(reverse("batch", args=[batch.pk])).content
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


@pytest.fixture
def labelled_batch(study: Study) -> Batch:
    """ada: one submitted and flagged, one draft, one untouched; bob: the first too, taken away again."""
    first, second, _ = study.assignments
    submit(first)
    Annotation.objects.filter(assignment=first).update(flagged=True, active_ms=30_000)
    save(second)
    save(study.of_bob)
    Assignment.objects.filter(pk=study.of_bob.pk).update(status="withdrawn", position=None)
    return first.batch


def progress_address(labelled_batch: Batch) -> str:
    return reverse("batch_progress", args=[labelled_batch.pk])


def cells(page: Any) -> list[list[str | None]]:
    """The matrix in words."""
    return [[cell and cell.title for cell in row.cells] for row in page.context["rows"]]


def shown(client: Client, labelled_batch: Batch, **filters: str) -> list[int]:
    """The images a filter leaves."""
    return list(client.get(progress_address(labelled_batch), filters).context["page"])


def test_every_cell_says_how_it_stands(study: Study, labelled_batch: Batch, as_lead: Client) -> None:
    skipped = make_assignment(
        study.bob, batch=labelled_batch, image=study.assignments[2].image, status="skipped"
    )
    page = as_lead.get(progress_address(labelled_batch))
    assert [each.code for each in page.context["annotators"]] == ["ada", "bob"]
    assert cells(page) == [
        ["Submitted, flagged", "Withdrawn"],
        ["Draft", None],
        ["Not started", "Skipped"],
    ]
    assert [(row.submitted, row.owed) for row in page.context["rows"]] == [(1, 1), (0, 1), (0, 2)]
    html = page.content.decode()
    made = Annotation.objects.get(assignment=study.assignments[0])
    assert f'href="/annotations/{made.pk}/" title="Submitted, flagged"' in html
    assert '<span class="visually-hidden">Not started</span>' in html
    assert skipped.batch == labelled_batch


def test_totals_and_pace_of_each_annotator(study: Study, labelled_batch: Batch, as_lead: Client) -> None:
    make_assignment(study.bob, batch=labelled_batch)
    ada, bob = as_lead.get(progress_address(labelled_batch)).context["people"]
    assert (ada.count, ada.withdrawn) == (WorkCount(submitted=1, open=2, left=2), 0)
    assert (ada.drafts, ada.flagged) == (1, 1)
    assert (ada.active_ms, ada.times, ada.per_day) == (30_000, (30_000,), 1)
    assert (bob.count.open, bob.withdrawn, bob.drafts, bob.per_day) == (1, 1, 0, None)
    assert (ada.inactive, bob.inactive, bob.last_seen) == (False, False, None)
    outlook = as_lead.get(progress_address(labelled_batch)).context["outlook"]
    assert (outlook.count.words, outlook.per_day) == ("1 of 4 submitted", 1)


def test_who_saves_nothing_for_days_is_inactive(study: Study, labelled_batch: Batch, as_lead: Client) -> None:
    long_ago = timezone.now() - timedelta(days=4)
    Membership.objects.update(created_at=long_ago)
    assert (
        not as_lead.get(progress_address(labelled_batch)).context["people"][0].inactive
    )  # the batch is from today
    Batch.objects.update(created_at=long_ago)
    Annotation.objects.update(saved_at=long_ago, submitted_at=long_ago)
    page = as_lead.get(progress_address(labelled_batch))
    ada, _ = page.context["people"]
    assert (ada.inactive, ada.last_seen) == (True, long_ago)
    assert "inactive for 3 days</span>" in page.content.decode()
    Annotation.objects.update(saved_at=timezone.now() - timedelta(days=20), submitted_at=long_ago)
    Annotation.objects.update(submitted_at=timezone.now() - timedelta(days=20))
    ada, _ = as_lead.get(progress_address(labelled_batch)).context["people"]
    assert ada.per_day is None
