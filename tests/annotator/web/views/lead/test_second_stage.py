"""A second stage on the pages: drawn from a batch, looked at, released."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from annotator.models import Batch, Event, Plan, Project
from tests.annotator.batches.first_stages import images_of, make_first
from tests.annotator.planned import confirmation
from tests.annotator.web.views.lead.test_batch_new import address
from tests.annotator.web.views.lead.test_batch_new import order as new_order
from tests.factories import make_assignment, make_batch, make_project
from tests.support.codes import codes, said
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def first() -> Batch:
    """36 images, 12 of them without a mark."""
    return make_first(cells=lambda image, _: () if image % 3 == 0 else ("extra.limbs",), each=2)


@pytest.fixture
def lead(first: Batch) -> Client:
    return signed_in(first.project.memberships.get(code="lee"))


def order(first: Batch, action: str = "preview", **more: Any) -> dict[str, Any]:
    """What the form sends."""
    drawn: dict[str, Any] = {"follows": first.pk, "protocol": "anatomy", "draw": "sample", "control": "10"}
    sent = new_order(first.project, action, **drawn, name="Counts", overlap="100")
    return {**sent, **more}


@pytest.mark.parametrize(("purpose", "code"), [("training", "trained"), ("anchor", "anchors")])
def test_an_image_somebody_knows_is_refused(first: Batch, lead: Client, purpose: str, code: str) -> None:
    person = first.project.memberships.get(code="A")
    seen = images_of(first)[0]
    make_assignment(person, image=seen, batch=make_batch(first.project), purpose=purpose)
    page = lead.post(address(first.project), order(first))
    assert said(page, code).endswith(" A (1).")
    assert lead.post(address(first.project), confirmation(page)).status_code == 422
    assert first.project.batches.filter(protocol="anatomy", name="Counts").count() == 0


@pytest.mark.databases
def test_what_is_drawn_is_shown_before_anything_is_stored(first: Batch, lead: Client) -> None:
    page = lead.post(address(first.project), order(first, draw="sample", draw_images="9", leave_out="on"))
    assert page.status_code == 200
    drawing = page.context["facts"]["draw"]
    drawn = drawing.by_generator
    assert [(name, of) for name, _, of in drawn] == [(f"generator-{place}", 12) for place in range(3)]
    assert (sum(taken for _, taken, _ in drawn), len(drawing.images), len(drawing.there)) == (10, 10, 36)
    assert (drawing.control, sorted(drawing.left_out.values())) == (1, [11, 15])
    assert "not-stored" in codes(page.content.decode())
    assert (Batch.objects.count(), Plan.objects.count(), Event.objects.count()) == (1, 0, 0)


def test_a_project_that_measures_nothing_else_leads_to_its_details(first: Batch, lead: Client) -> None:
    Project.objects.update(protocols=["presence"])
    page = lead.get(f"{address(first.project)}?follows={first.pk}", follow=True)
    assert page.redirect_chain == [(f"/projects/{first.project.slug}/details/", 302)]
    assert "no-other-protocol" in codes(page.content.decode())


def test_only_the_project_s_own_batches_are_drawn_from(first: Batch, lead: Client) -> None:
    other = make_batch(make_project("other"), protocol="presence")
    assert lead.get(f"{address(first.project)}?follows={other.pk}").status_code == 404


@pytest.mark.parametrize(
    ("field", "value"), [("draw", "best"), ("draw_images", "0"), ("control", "101"), ("control", "-1")]
)
def test_what_cannot_be_drawn_is_said_by_field(first: Batch, lead: Client, field: str, value: str) -> None:
    page = lead.post(address(first.project), order(first, leave_out="on", **{field: value}))
    assert (page.status_code, list(page.context["form"].errors)) == (422, [field])
