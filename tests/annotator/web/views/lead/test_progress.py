"""A batch image by image: what each cell says, what the filters leave, what it costs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.models import Annotation, Assignment, Batch, Membership
from annotator.models.counting import WorkCount
from tests.annotator.acting import reopen, save, submit
from tests.annotator.web.views.conftest import Study
from tests.factories import make_assignment, make_image


@pytest.fixture
def batch(study: Study) -> Batch:
    """ada: one submitted and flagged, one draft, one untouched; bob: the first too, taken away again."""
    first, second, _ = study.assignments
    submit(first)
    Annotation.objects.filter(assignment=first).update(flagged=True, active_ms=30_000)
    save(second)
    save(study.of_bob)
    Assignment.objects.filter(pk=study.of_bob.pk).update(status="withdrawn", position=None)
    return first.batch


def address(batch: Batch) -> str:
    return reverse("batch_progress", args=[batch.pk])


def cells(page: Any) -> list[list[str | None]]:
    """The matrix in words."""
    return [[cell and cell.title for cell in row.cells] for row in page.context["rows"]]


def shown(client: Client, batch: Batch, **filters: str) -> list[int]:
    """The images a filter leaves."""
    return list(client.get(address(batch), filters).context["page"])


def test_every_cell_says_how_it_stands(study: Study, batch: Batch, as_lead: Client) -> None:
    skipped = make_assignment(study.bob, batch=batch, image=study.assignments[2].image, status="skipped")
    page = as_lead.get(address(batch))
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
    assert skipped.batch == batch


def test_a_reopened_answer_is_a_draft(study: Study, batch: Batch, as_lead: Client) -> None:
    reopen(study.assignments[0], replaces=1)
    assert cells(as_lead.get(address(batch)))[0] == ["Draft, flagged", "Withdrawn"]


def test_images_are_sorted(study: Study, batch: Batch, as_lead: Client) -> None:
    first, second, third = (each.image_id for each in study.assignments)
    other = make_image(study.project, generator="artist", prompt="two people")
    make_assignment(study.ada, batch=batch, image=other)
    assert shown(as_lead, batch) == [other.pk, first, second, third]
    assert shown(as_lead, batch, sort="prompt") == [first, second, third, other.pk]
    assert shown(as_lead, batch, sort="behind") == [second, third, other.pk, first]
    assert shown(as_lead, batch, sort="latest", annotator="ada") == [first, second, third, other.pk]


def test_totals_and_pace_of_each_annotator(study: Study, batch: Batch, as_lead: Client) -> None:
    make_assignment(study.bob, batch=batch)
    ada, bob = as_lead.get(address(batch)).context["people"]
    assert (ada.count, ada.withdrawn) == (WorkCount(submitted=1, open=2, left=2), 0)
    assert (ada.drafts, ada.flagged) == (1, 1)
    assert (ada.active_ms, ada.times, ada.per_day) == (30_000, (30_000,), 1)
    assert (bob.count.open, bob.withdrawn, bob.drafts, bob.per_day) == (1, 1, 0, None)
    assert (ada.inactive, bob.inactive, bob.last_seen) == (False, False, None)
    outlook = as_lead.get(address(batch)).context["outlook"]
    assert (outlook.count.words, outlook.per_day) == ("1 of 4 submitted", 1)


def test_who_saves_nothing_for_days_is_inactive(study: Study, batch: Batch, as_lead: Client) -> None:
    long_ago = timezone.now() - timedelta(days=4)
    Membership.objects.update(created_at=long_ago)
    assert not as_lead.get(address(batch)).context["people"][0].inactive  # the batch is from today
    Batch.objects.update(created_at=long_ago)
    Annotation.objects.update(saved_at=long_ago, submitted_at=long_ago)
    page = as_lead.get(address(batch))
    ada, _ = page.context["people"]
    assert (ada.inactive, ada.last_seen) == (True, long_ago)
    assert "inactive for 3 days</span>" in page.content.decode()
    Annotation.objects.update(saved_at=timezone.now() - timedelta(days=20), submitted_at=long_ago)
    Annotation.objects.update(submitted_at=timezone.now() - timedelta(days=20))
    ada, _ = as_lead.get(address(batch)).context["people"]
    assert ada.per_day is None


@pytest.mark.parametrize(("first", "per_day"), [(4, 2 / 4), (8, 1 / 7)])
def test_the_pace_begins_with_the_first_submission(
    study: Study, batch: Batch, as_lead: Client, first: int, per_day: float
) -> None:
    done = make_assignment(study.ada, batch=batch, status="done")
    moment = timezone.now() - timedelta(days=first)
    Annotation.objects.create(
        assignment=done, payload={}, ratings=[], status="submitted", saved_at=moment, submitted_at=moment
    )
    ada, _ = as_lead.get(address(batch)).context["people"]
    assert ada.per_day == pytest.approx(per_day, rel=1e-3)
