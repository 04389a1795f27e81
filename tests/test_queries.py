"""Page × rows: each page asks the database as often for 30 rows of everything as for 3."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.permissions.rows import compute, grow, make_side
from tests.permissions.table import TABLE, Line
from tests.permissions.world import Side

pytestmark = pytest.mark.django_db

FEW, MANY = 3, 30


@pytest.mark.timeout(900)  # half a minute by itself; the machine may have other things to do
@pytest.mark.slow  # every page, twice, with a project in which much has happened
def test_no_page_asks_more_for_more_rows() -> None:
    side = make_side(1)
    counts = []
    for rows in (FEW, MANY - FEW):
        grow(side, rows)
        compute(side.project)
        counts.append({line.name: queries(line, side) for line in TABLE if "GET" in line.methods})
    few, many = counts
    # A part that had nothing to show before may ask once.
    assert {page: (few[page], asked) for page, asked in many.items() if asked > few[page] + 1} == {}
    assert len(many) > 80


def queries(line: Line, side: Side) -> int:
    """Return the queries of a page as seen by whoever may open it: the annotator, or else the lead."""
    person = side.a if "annotator A" in line.who and "lead" not in line.who else side.lead
    assert person.user is not None
    client = Client(raise_request_exception=False)
    client.force_login(person.user)
    address = reverse(line.name, args=line.parts(side))
    client.get(address)  # what is made on the first request is made once
    with CaptureQueriesContext(connection) as asked:
        client.get(address)
    return len(asked)
