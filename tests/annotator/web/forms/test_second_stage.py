"""A second stage on the pages: drawn from a batch, looked at, released."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.batches import previews
from annotator.models import Annotation, Assignment, Batch, Event, Job, Plan
from annotator.web.views.lead import batch_new
from annotator.work.jobs import run_job
from tests.analysis.factories import make_submitted
from tests.annotator.batches.second_stage.making import held, images_of, make_first
from tests.annotator.planned import confirmation, digest_of
from tests.factories import (
    ANNOTATOR,
    LEAD,
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
        "coders": "2",
        "seed": "7",
        "score_shown": "never",
        "action": action,
    }
    return {**sent, **more}


def test_a_batch_s_page_leads_to_the_form(first: Batch, lead: Client) -> None:
    html = lead.get(reverse("batch", args=[first.pk])).content.decode()
    assert f'href="{address(first)}?follows={first.pk}"' in html
    page = lead.get(f"{address(first)}?follows={first.pk}")
    form = page.context["form"]
    assert form.offered == ["anatomy", "realism", "defect-verdict", "defect-marks"]
    assert (form["protocol"].value(), form["draw"].value()) == ("anatomy", "all")
    assert (form["control"].value(), form.ready.images, form.ready.total) == (10, 36, 36)
    html = page.content.decode()
    assert [name for name in ("which", "generators", "prompts") if f'name="{name}"' in html] == []
    assert f'name="follows" value="{first.pk}"' in html


def test_what_the_other_protocol_alone_has_is_not_asked(client: Client) -> None:
    """Presence has no running score: its form sends none."""
    counted = make_batch(make_project("counted"), name="Counts", status="closed")
    for code in "AB":
        make_submitted(make_member(counted.project, code=code), batch=counted)
    lee = make_member(counted.project, LEAD, user=make_user("lee"))
    client.force_login(lee.user)  # type: ignore[arg-type]
    sent = {**order(counted, protocol="presence", name="Cells"), "overlap": "0"}
    del sent["score_shown"]
    preview = client.post(address(counted), sent)
    assert preview.status_code == 200
    client.post(address(counted), confirmation(preview))
    batch = Batch.objects.get(name="Cells")
    assert (batch.protocol, batch.score_shown, batch.assignments.count()) == ("presence", "never", 2)


def test_an_open_batch_says_what_it_will_take(first: Batch, lead: Client) -> None:
    Batch.objects.filter(pk=first.pk).update(status="open")
    for image in images_of(first)[:5]:
        held(first, image, first.project.memberships.get(code="lee"))
    html = lead.get(f"{address(first)}?follows={first.pk}").content.decode()
    said = re.search(r'data-code="ready">([^<]*)<', html)
    assert said is not None
    assert re.findall(r"\d+", said[1]) == ["31", "36"]
    page = lead.post(address(first), order(first))
    assert page.context["drawing"].left_out == ((5, "annotations outstanding"),)


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


@pytest.mark.few(1)
@pytest.mark.parametrize(("way", "targeted"), [("all", False), ("flagged", True), ("disagreement", True)])
def test_images_chosen_for_what_was_said_are_targeted(
    first: Batch, lead: Client, way: str, targeted: bool
) -> None:
    some = Annotation.objects.filter(
        assignment__image__in=images_of(first)[:4], assignment__annotator__code="A"
    )
    some.update(flagged=True, ratings=[["cells_marked", "", "1/1"], ["presence", "extra.face", "1/1"]])
    preview = lead.post(address(first), order(first, draw=way))
    assert ("targeted" in codes(preview.content.decode())) == targeted
    lead.post(address(first), confirmation(preview))
    drawn = Assignment.objects.filter(batch__name="Counts").values_list("drawn", flat=True)
    assert set(drawn) == {"targeted" if targeted else "random"}


def test_an_answer_given_meanwhile_shows_the_plan_anew(first: Batch, lead: Client) -> None:
    preview = lead.post(address(first), order(first, leave_out="on"))
    blank = Annotation.objects.filter(ratings=[["cells_marked", "", "0/1"]])
    blank.update(ratings=[["cells_marked", "", "1/1"], ["presence", "extra.face", "1/1"]])
    answer = lead.post(address(first), confirmation(preview))
    assert answer.status_code == 409
    assert "changed" in codes(answer.content.decode())
    assert answer.context["facts"]["draw"]["images"] == 36
    assert not Batch.objects.filter(name="Counts").exists()


@pytest.mark.few(4)
@pytest.mark.parametrize(
    ("more", "field", "numbers"),
    [
        ({"draw": "sample"}, "draw_images", []),
        ({"draw": "sample", "draw_images": "0"}, "draw_images", ["1"]),
        ({"draw": "sample", "draw_images": "many"}, "draw_images", ["1"]),
        ({"draw": "sample", "draw_images": "37"}, "draw_images", ["36", "37"]),
        ({"draw": "all", "draw_images": "3"}, "draw_images", []),
        ({"draw": "flagged"}, "draw", []),
        ({"draw": "best"}, "draw", []),
        ({"leave_out": "on", "control": "101"}, "control", ["0", "100"]),
        ({"leave_out": "on", "control": ""}, "control", ["0", "100"]),
        ({"protocol": "presence"}, "protocol", []),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(
    first: Batch, lead: Client, more: dict[str, str], field: str, numbers: list[str]
) -> None:
    page = lead.post(address(first), order(first, **more))
    assert page.status_code == 422
    errors = page.context["form"].errors
    assert list(errors) == [field]
    assert re.findall(r"\d+", " ".join(errors[field])) == numbers
    assert Batch.objects.count() == 1


@pytest.mark.parametrize("named", ["0", "999999", "x", "9" * 30, "-1"])
def test_a_batch_that_is_not_there_is_not_followed(first: Batch, lead: Client, named: str) -> None:
    assert lead.get(f"{address(first)}?follows={named}").status_code == 404
    assert lead.post(address(first), order(first, follows=named)).status_code == 404


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

    return BatchRequest(name="x", people=(), draw=Draw(first.pk), coders=2)
