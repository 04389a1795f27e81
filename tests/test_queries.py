"""Page × rows: each page asks the database as often for 12 rows of everything as for 3."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotator.protocols.rating_form.stored import save_form
from annotator.web.views.guidelines.rating_forms import templates
from scoring.rating_form.definition import definition_of
from tests.annotator.web.views.speaking import answer_body, post
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project, make_user
from tests.permissions.rows import compute, grow
from tests.permissions.table import TABLE
from tests.permissions.world import make_side
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db

FEW, MANY = 3, 12


@pytest.mark.timeout(900)  # half a minute by itself; the machine may have other things to do
@pytest.mark.slow  # every page, twice, with a project in which much has happened
def test_no_page_asks_more_for_more_rows() -> None:
    side = make_side(1)
    # A client of its own for each page would load all middleware again.
    annotator, lead = (signed_in(member) for member in (side.a, side.lead))
    counts: list[dict[str, int]] = []
    for rows in (FEW, MANY - FEW):
        grow(side, rows)
        compute(side.project)
        counts.append({})
        for line in TABLE:
            if "GET" in line.methods:
                may_open = annotator if "annotator A" in line.who and "lead" not in line.who else lead
                counts[-1][line.name] = queries(may_open, reverse(line.name, args=line.parts(side)))
    few, many = counts
    # A part that had nothing to show before may ask once.
    assert {page: (few[page], asked) for page, asked in many.items() if asked > few[page] + 1} == {}
    assert len(many) > 80


@pytest.mark.parametrize("template", ["five-domains", "alignment"])
def test_an_image_of_a_form_costs_the_same_in_a_large_project(template: str) -> None:
    """The page, the state, a draft and a submission, with 3 images and with 30."""
    project = make_project("pilot")
    ada = make_member(project, user=make_user("ada"))
    form = save_form(project, definition_of(templates()[template]), None)
    scales = {item["name"]: 3 for item in form.definition["items"]}
    client, asked = signed_in(ada), []
    for images in (FEW, 10 * FEW):
        batch = make_batch(project, protocol=form.slug)
        first, *_ = [make_assignment(ada, batch=batch, image=make_image(project)) for _ in range(images)]
        client.get(f"/assignments/{first.pk}/")
        with CaptureQueriesContext(connection) as found:
            assert client.get(f"/assignments/{first.pk}/").status_code == 200
            assert client.get(f"/assignments/{first.pk}/state").status_code == 200
            for version, act in enumerate(("answer_save", "answer_submit")):
                answer = answer_body({"answers": scales}, version)
                assert post(client, act, first, answer).status_code == 200
        asked.append(len(found))
    assert asked[0] == asked[1]


def queries(client: Client, address: str) -> int:
    """Return the queries of a page as seen by whoever may open it."""
    client.get(address)  # what is made on the first request is made once
    with CaptureQueriesContext(connection) as asked:
        client.get(address)
    return len(asked)
