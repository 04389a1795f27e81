"""The form of marks without a script, and stored marks for display."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from annotator.protocols.defect.drawing import path_of
from annotator.protocols.defect.form import MarksForm
from annotator.protocols.defect.page import MARKS_PAGE, given, marks
from scoring.defect.marks import clean
from scoring.defect.masks import Mask, read_mask, rectangle, union
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

SIZE = [20, 30]
SQUARE = rectangle(20, 30, (2, 3, 5, 4))
ANGLE = union([SQUARE, rectangle(20, 30, (2, 3, 10, 2))])


def stored(*masks: Mask, **changed: Any) -> dict[str, Any]:
    defects = [
        {"id": f"d{at}", "mask": mask.as_json(), "kind": "logical", "text": "A cup that floats."}
        for at, mask in enumerate(masks, 1)
    ]
    return clean({"size": SIZE, "defects": defects, "effect": 1, **changed}, complete=False).payload()


def bound(before: dict[str, Any], **typed: Any) -> MarksForm:
    """Return the form with its initial values sent back, but for what is typed."""
    blank = MarksForm(stored=before)
    sent = {name: blank[name].value() for name in blank.fields}
    plain = {name: "" if value is None else str(value) for name, value in sent.items() if value is not False}
    changed = {name.replace("__", "."): value for name, value in typed.items()}
    form = MarksForm({**plain, "version": "0", "request_key": str(uuid4()), **changed}, stored=before)
    form.full_clean()
    return form


def box_of(number: int, *box: int) -> dict[str, str]:
    """Return the inputs of a rectangle."""
    sides = zip(("x", "y", "width", "height"), box, strict=True)
    return {f"defects__d{number}__{side}": str(value) for side, value in sides}


def test_nothing_typed_changes_nothing() -> None:
    before = stored(SQUARE, ANGLE, note="n")
    form = bound(before)
    assert form.errors == {}
    assert clean(form.payload(), complete=False).payload() == before


def test_another_rectangle_replaces_a_mask() -> None:
    form = bound(stored(ANGLE), defects__d1__x="4")
    (defect,) = form.payload()["defects"]
    left, top, width, height = ANGLE.box
    assert read_mask(defect["mask"]) == rectangle(20, 30, (4, top, width, height))
    assert (left, defect["text"]) == (2, "A cup that floats.")


def test_an_empty_row_has_no_defect() -> None:
    gone = {f"defects__d1__{part}": "" for part in ("x", "y", "width", "height", "kind", "text")}
    assert [defect["id"] for defect in bound(stored(SQUARE, ANGLE), **gone).payload()["defects"]] == ["d2"]
    form = bound(stored(SQUARE), **box_of(2, 0, 0, 6, 6))
    assert [defect["id"] for defect in form.payload()["defects"]] == ["d1", "d2"]


def test_a_row_that_cannot_be_read_keeps_what_is_stored() -> None:
    form = bound(stored(SQUARE), defects__d1__x="ten")
    assert list(form.errors) == ["defects.d1.x"]
    assert form.payload()["defects"][0]["kind"] == "logical"


def test_a_box_outside_the_image_has_no_mask() -> None:
    assert bound(stored(SQUARE), **box_of(1, 40, 0, 6, 6)).payload()["defects"][0]["mask"] is None


def test_differences_are_told_in_words() -> None:
    form = MarksForm(stored=stored())
    assert form.differences(stored(SQUARE), stored(SQUARE)) == []
    drawn, *rows = form.differences(stored(SQUARE), stored(SQUARE, ANGLE, effect=3))
    assert [drawn.title, drawn.mine.count("<path"), drawn.theirs.count("<path")] == ["Masks", 1, 2]
    assert [(row.title, row.mine, row.theirs) for row in rows] == [
        ("Effect on the image", "noticeable", "unusable"),
        ("Defect 2", "", "logical; upper left; 30 px from 2, 3; A cup that floats."),
    ]


def test_stored_marks_are_drawn_in_small() -> None:
    shown = MarksForm.result(stored(SQUARE, ANGLE))
    assert shown["overlay"]["box"] == "0 0 30 20"
    assert shown["closing"] == "The effect on the image is noticeable."
    said = "logical; upper left; {} px from 2, 3; A cup that floats."
    assert [row[:3] for row in shown["rows"]] == [(1, 1, said.format(20)), (2, 2, said.format(30))]
    assert shown["overlay"]["masks"][0]["path"].count("M") == 5
    assert path_of(rectangle(20, 30, (1, 2, 1, 3))) == "M1 2h1v3h-1z"
    whole = {"id": "d7", "mask": {"size": [2048, 1024], "counts": [0, 2048 * 1024]}}
    large = MarksForm.result({"size": [2048, 1024], "defects": [whole]})["overlay"]
    assert [large["box"], *(large["masks"][0][name] for name in ("key", "colour"))] == ["0 0 128 256", "7", 1]


def test_marks_have_pins_at_their_centres() -> None:
    (shown,) = marks(stored(SQUARE))
    assert (shown.component, shown.text) == ("logical", "A cup that floats.")
    assert shown.pins == [{"x": 4.5 / 30, "y": 5 / 20}]
    assert marks(stored(no_defect=True)) == []


def test_settings_are_outlines_or_boxes() -> None:
    plain = {"shape": "outline", "details": False, "outcome_shown": False}
    assert MARKS_PAGE.checked({}) == plain
    assert MARKS_PAGE.checked({"shape": "box"}) == plain | {"shape": "box"}


@pytest.mark.django_db
def test_the_server_gives_the_grid() -> None:
    project = make_project("pilot")
    batch = make_batch(project, protocol="defect-marks")
    image = make_image(project, width=3000, height=1500)
    assignment = make_assignment(make_member(project, code="ada"), batch=batch, image=image)
    asked = {"details": False, "boxes": False, "elsewhere": False}
    assert given(assignment, {}) == {"size": [1024, 2048], **asked}
