"""Batches and their settings: the lead's alone, kept with what they were."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.batches.planning import Design, PlanAnnotator, PlanImage, make_plan
from annotator.models import Assignment, Batch, Event, Image
from annotator.web.views.lead.plan_words import MarginRow, Overlap, balance_table
from tests.annotator.acting import submit
from tests.annotator.web.views.conftest import Study, signed_in
from tests.factories import LEAD, make_assignment, make_batch, make_image, make_member
from tests.support.codes import codes, numbers

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


def test_nonsense_changes_nothing_and_says_so(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    answer = as_lead.post(address(batch), {"score_shown": "always"})
    assert answer.status_code == 422
    assert codes(answer) == ["invalid_choice", "no-reviewers"]
    batch.refresh_from_db()
    assert batch.score_shown == "choice"


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


def test_closing_and_opening_need_a_reason(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    act = reverse("batch_status", args=[batch.pk])
    refused = as_lead.post(act, {"action": "close", "reason": "  "})
    assert refused.status_code == 422
    assert "required" in codes(refused)
    assert Batch.objects.get(pk=batch.pk).status == "open"
    for action, reason, status in (("close", "All in.", "closed"), ("reopen", "One is wrong.", "open")):
        answer = as_lead.post(act, {"action": action, "reason": reason})
        assert answer["Location"] == reverse("batch", args=[batch.pk])
        assert Batch.objects.get(pk=batch.pk).status == status
    history = as_lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert history.index("One is wrong.") < history.index("All in.")
    assert as_lead.post(act, {"action": "explode"}).status_code == 400


def test_only_an_unfinished_batch_can_be_cleared_away(study: Study, batch: Batch) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    unfinished = make_batch(study.project, status="preparing")
    for each in (batch, unfinished):
        as_lead.post(reverse("batch_status", args=[each.pk]), {"action": "discard"})
    assert list(Batch.objects.values_list("pk", flat=True)) == [batch.pk]


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


def row_of(even: str, off: str, smallest: int, largest: int, **more: Any) -> MarginRow:
    margin = {"name": "pair", "smallest": smallest, "largest": largest, "even": even, "off": off}
    rest = {"within": True, "note": "", **more}
    return balance_table({"margins": [{**margin, **rest}], "workload": []}).margins[0]


@pytest.mark.parametrize(
    ("row", "even", "note"),
    [
        (row_of("20/3", "2/3", 6, 7), "6.67", ""),
        (row_of("10", "0", 10, 10), "10", ""),
        (row_of("10", "1/2", 5, 15), "10 on average", "(at most 0.5 from each share)"),
        (row_of("20/3", "8/3", 4, 9, within=False), "6.67", "Up to 2.67 from the even share."),
        (row_of("10", "2", 5, 15, within=False, note="Impossible."), "10 on average", "Impossible."),
    ],
)
def test_the_even_share_is_one_or_a_mean(row: MarginRow, even: str, note: str) -> None:
    assert (row.even, row.note) == (even, note)


def test_a_generator_with_fewer_images_has_a_smaller_share() -> None:
    images = tuple(PlanImage(f"{at:02}", "large" if at < 20 else "small", "p") for at in range(30))
    plan = make_plan(Design(images, (PlanAnnotator("a"), PlanAnnotator("b")), overlap=0))
    rows = {row.title: row for row in balance_table(plan.balance.as_json()).margins}
    row = rows["Images per annotator and generator"]
    assert (row.smallest, row.largest, row.even, row.within) == (5, 10, "7.5 on average", True)
    assert row.note == "(each is exactly its share)"


SENT = {"score_shown": "never"}


def settings_of(batch: Batch) -> dict[str, object]:
    """The stored settings without a column."""
    return dict(Batch.objects.get(pk=batch.pk).settings)


def test_a_lead_allows_a_loupe_and_takes_it_back(study: Study, as_lead: Client, as_ada: Client) -> None:
    assignment = study.assignments[0]
    batch, state = assignment.batch, reverse("answer_state", args=[assignment.pk])
    address = reverse("batch_settings", args=[batch.pk])
    assert as_lead.post(address, SENT).status_code == 302
    assert settings_of(batch) == {}
    assert "settings" not in as_ada.get(state).json()["batch"]
    assert as_lead.post(address, {**SENT, "zoom": "loupe"}).status_code == 302
    assert as_ada.get(state).json()["batch"]["settings"] == {"zoom": "loupe"}
    assert as_lead.post(address, {**SENT, "zoom": "none"}).status_code == 302
    assert settings_of(batch) == {"zoom": "none"}


def test_the_overlap_is_the_number_planned_and_not_the_share_wanted(study: Study) -> None:
    as_lead = signed_in(make_member(study.project, LEAD))
    batch = make_batch(study.project, name="six", protocol="presence", overlap="0.25")
    for number in range(6):
        image = make_image(study.project, number=900 + number)
        make_assignment(study.ada, batch=batch, image=image)
        if number < 2:
            make_assignment(study.bob, batch=batch, image=image)
    assert numbers(as_lead.get(reverse("batch", args=[batch.pk])), "overlap") == ["2", "6", "2"]
    listed = as_lead.get(reverse("batches", args=[study.project.slug]))
    [planned] = [overlap for one, _, overlap in listed.context["rows"] if one == batch]
    assert planned == Overlap(shared=2, images=6, coders=2)
    assert "overlap" in codes(listed)
