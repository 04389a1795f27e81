"""A second stage on the pages: drawn from a batch, looked at, released."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.batches import previews
from annotator.models import Annotation, Assignment, Batch, Event, Job, Plan
from annotator.web.views.lead import batch_new
from annotator.work.jobs import run_job
from tests.annotator.batches.second_stage.making import images_of, make_first
from tests.annotator.planned import confirmation, digest_of
from tests.factories import (
    ANNOTATOR,
    REVIEWER,
    make_assignment,
    make_batch,
    make_member,
    make_project,
    make_user,
)
from tests.support.codes import codes, said

pytestmark = pytest.mark.django_db


@pytest.fixture
def first() -> Batch:
    """36 images, 12 of them without a mark."""
    return make_first(cells=lambda image, _: () if image % 3 == 0 else ("extra.limbs",), each=2)


@pytest.fixture
def lead(first: Batch, client: Client) -> Client:
    client.force_login(first.project.memberships.get(code="lee").user)  # type: ignore[arg-type]
    return client


def address(batch: Batch) -> str:
    return reverse("batch_new", args=[batch.project.slug])


def order(first: Batch, action: str = "preview", **more: Any) -> dict[str, Any]:
    """What the form sends."""
    people = first.project.memberships.filter(role="annotator").values_list("pk", flat=True)
    sent = {
        "follows": first.pk,
        "protocol": "anatomy",
        "draw": "all",
        "control": "10",
        "name": "Counts",
        "annotators": list(people),
        "overlap": "100",
        "overlap_unit": "percent",
        "per_image": "2",
        "seed": "7",
        "score_shown": "never",
        "action": action,
    }
    return {**sent, **more}


@pytest.mark.parametrize(("purpose", "code"), [("training", "trained"), ("anchor", "anchors")])
def test_an_image_that_an_annotator_knows_is_refused(
    first: Batch, lead: Client, purpose: str, code: str
) -> None:
    person = first.project.memberships.get(code="A")
    seen = images_of(first)[0]
    make_assignment(person, image=seen, batch=make_batch(first.project), purpose=purpose)
    page = lead.post(address(first), order(first))
    assert said(page, f"known-{code}").endswith(" A (1).")
    assert lead.post(address(first), confirmation(page)).status_code == 422
    assert first.project.batches.filter(protocol="anatomy", name="Counts").count() == 0


@pytest.mark.databases
def test_what_is_drawn_is_shown_before_anything_is_stored(first: Batch, lead: Client) -> None:
    page = lead.post(address(first), order(first, draw="sample", draw_images="9", leave_out="on"))
    assert page.status_code == 200
    drawing = page.context["drawing"]
    assert drawing.generators == ("generator-0", "generator-1", "generator-2")
    assert drawing.sums[-1] == (10, 36)
    assert [of for _, of in drawing.sums] == [12, 12, 12, 36]
    assert sum(taken for _, cells in drawing.rows for taken, _ in cells[:-1]) == 10
    assert (drawing.control, sorted(count for count, _ in drawing.left_out)) == (1, [11, 15])
    assert "not-stored" in codes(page.content.decode())
    assert (Batch.objects.count(), Plan.objects.count(), Event.objects.count()) == (1, 0, 0)


@pytest.mark.databases
def test_releasing_stores_what_was_shown_and_what_it_follows(first: Batch, lead: Client) -> None:
    wanted = order(first, draw="sample", draw_images="9", leave_out="on")
    preview = lead.post(address(first), wanted)
    answer = lead.post(address(first), confirmation(preview))
    batch = Batch.objects.get(name="Counts")
    assert answer["Location"] == reverse("batch", args=[batch.pk])
    assert (batch.follows_id, batch.protocol, batch.status) == (first.pk, "anatomy", "open")
    assert digest_of(batch) == preview.context["facts"]["digest"]
    rows = Assignment.objects.filter(batch=batch)
    assert (rows.count(), set(rows.values_list("drawn", flat=True))) == (20, {"random"})
    told = Event.objects.get(verb="batch_released").data["follows"]
    assert told == {"batch": first.pk, "way": "sample", "images": 9, "control": 10}
    html = lead.get(reverse("batch", args=[batch.pk])).content.decode()
    assert f'<a href="{reverse("batch", args=[first.pk])}">Yes or no</a>' in html


def test_an_answer_given_meanwhile_shows_the_plan_anew(first: Batch, lead: Client) -> None:
    preview = lead.post(address(first), order(first, leave_out="on"))
    blank = Annotation.objects.filter(ratings=[["cells_marked", "", "0/1"]])
    blank.update(ratings=[["cells_marked", "", "1/1"], ["presence", "extra.face", "1/1"]])
    answer = lead.post(address(first), confirmation(preview))
    assert answer.status_code == 409
    assert "changed" in codes(answer.content.decode())
    assert answer.context["facts"]["draw"]["images"] == 36
    assert not Batch.objects.filter(name="Counts").exists()


def test_only_a_lead_draws_and_only_from_the_project_s_own_batches(first: Batch, lead: Client) -> None:
    other = make_batch(make_project("other"), protocol="presence")
    preparing = make_batch(first.project, protocol="presence", status="preparing")
    for batch in (other, preparing):
        assert lead.get(f"{address(first)}?follows={batch.pk}").status_code == 404
    for role in (ANNOTATOR, REVIEWER):
        person = make_member(first.project, role, user=make_user())
        lead.force_login(person.user)  # type: ignore[arg-type]
        assert lead.get(f"{address(first)}?follows={first.pk}").status_code == 404
        assert lead.post(address(first), order(first, "confirm")).status_code == 404


def test_a_large_first_stage_is_read_by_a_worker(
    first: Batch, lead: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_new, "INLINE", 71)
    assert previews.placements_of(first.project, _request(first)) == 144
    lead.post(address(first), order(first, draw="sample", draw_images="1"))
    job = Job.objects.get()
    assert run_job(job.pk)
    page = lead.get(reverse("batch_preview", args=["pilot", job.pk]))
    assert page.context["drawing"].sums[-1] == (1, 36)
    lead.post(address(first), confirmation(page))
    assert run_job(Job.objects.latest("pk").pk)
    batch = Batch.objects.get(name="Counts")
    assert (batch.follows_id, batch.assignments.count()) == (first.pk, 2)


def _request(first: Batch) -> Any:
    from annotator.batches.requests import BatchRequest
    from annotator.batches.second_stage.drawing import Draw

    return BatchRequest(name="x", people=(), draw=Draw(first.pk), per_image=2)
