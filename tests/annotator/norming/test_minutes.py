"""Grids, minutes and values: what was said, by whom, and what was agreed."""

from __future__ import annotations

import csv
from uuid import uuid4

import pytest

from annotator.norming.discussing import agree, comment
from annotator.norming.grids import grid_of
from annotator.norming.minutes import minutes, values_csv
from annotator.norming.sessions import NormingRefused, answers_of
from tests.annotator.norming.making import Circle
from tests.factories import make_payload

pytestmark = pytest.mark.django_db


def test_a_grid_says_per_cell_who_said_what(circle: Circle) -> None:
    session = circle.revealed()
    normed = session.images.get(place=1)
    grid = grid_of(normed, "anatomy", list(answers_of(session).filter(assignment__image=normed.image_id)))
    cells = {cell.key: cell for cell in grid.cells}
    assert len(cells) == 25
    limbs, hands, face = (cells[f"missing.{part}"] for part in ("limbs", "hands", "face"))
    assert [(said.text, said.codes) for said in limbs.said] == [("1/4c", ["ada", "bob"])]
    assert [(said.text, said.codes) for said in hands.said] == [("1/3b", ["ada"]), ("1/4c", ["bob"])]
    assert [(said.text, said.codes) for said in face.said] == [("", ["ada", "bob"])]
    assert [cell.key for cell in grid.differing] == ["missing.hands"]
    assert {cell.agreed for cell in grid.cells} == {None}


def test_nothing_is_exported_before_it_is_revealed(circle: Circle) -> None:
    session = circle.start()
    for write in (minutes, values_csv):
        with pytest.raises(NormingRefused):
            write(session)


def test_the_values_are_one_row_per_marked_cell_and_annotator(circle: Circle) -> None:
    session = circle.revealed()
    normed = session.images.select_related("session__batch").get(place=1)
    gaps = {"missing.hands": {"says": "=1+1", "should_say": "Count it."}}
    agree(normed=normed, actor=circle.actor, payload=make_payload([]), gaps=gaps, replaces=0, causes={})
    head, *rows = csv.reader(values_csv(session).splitlines())
    assert head == [
        *("place", "file", "sha256", "cell", "annotator"),
        *("value", "agreed", "guideline_says", "should_say", "causes"),
    ]
    assert len(rows) == 3 * 2 * 2
    assert [row[3:] for row in rows[:4]] == [
        ["missing.limbs", "ada", "1/4c", "–", "", "", ""],
        ["missing.limbs", "bob", "1/4c", "–", "", "", ""],
        ["missing.hands", "ada", "1/3b", "–", "'=1+1", "Count it.", "not_an_error total severity"],
        ["missing.hands", "bob", "1/4c", "–", "'=1+1", "Count it.", "not_an_error total severity"],
    ]
    assert [row[6] for row in rows[4:]] == [""] * 8


def test_the_minutes_hold_values_comments_and_gaps(circle: Circle) -> None:
    session = circle.revealed()
    normed = session.images.select_related("session__batch").get(place=1)
    comment(
        normed=normed,
        author=circle.ada,
        text="See | the *thumb*",
        component="missing.hands",
        request_key=uuid4(),
    )
    gaps = {"missing.hands": {"says": "", "should_say": "Count <b>thumbs</b>."}}
    payload = make_payload([("missing.hands", "1/3b")])
    agree(normed=normed, actor=circle.actor, payload=payload, gaps=gaps, replaces=0, causes={})
    session.refresh_from_db()
    lines = minutes(session).splitlines()
    assert "- Participants: ada, bob" in lines
    assert "| Cell | ada | bob | Agreed | Causes |" in lines
    assert "| Missing · Hands | 1/3b | 1/4c | 1/3b | total, severity |" in lines
    assert "| Missing · Limbs | 1/4c | 1/4c | – |  |" in lines
    assert any(
        line.startswith("- ada, Missing · Hands (") and line.endswith(r"See \| the \*thumb\*")
        for line in lines
    )
    assert r"| 1 | Missing · Hands |  | Count \<b\>thumbs\</b\>. |" in lines
    assert lines.count("No agreed value.") == 2
