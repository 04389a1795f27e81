"""Marks: what is refused, what is warned about, and the numbers."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from scoring.defect.marks import MARKS, clean, ratings
from scoring.defect.masks import rectangle
from tests.scoring.drafts import refusals

SIZE = [20, 30]


def mask(*box: int) -> dict[str, Any]:
    return rectangle(20, 30, (box[0], box[1], box[2], box[3])).as_json()


def defect(number: int = 1, **changed: Any) -> dict[str, Any]:
    whole = {"mask": mask(2, 3, 5, 4), "kind": "structural", "text": "Two hands are fused."}
    return {"id": f"d{number}", **whole, **changed}


def marks(*defects: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {"size": SIZE, "defects": list(defects), "effect": 1, **changed}


refused = partial(refusals, complete=True, by=clean)


def test_a_complete_payload_is_canonical() -> None:
    payload = marks(defect(), defect(7, kind="logical"), note="n")
    assert clean(payload).payload() == {**payload, "no_defect": False, "flag": None}
    assert clean(clean(payload).payload()) == clean(payload)


def test_an_untouched_draft_is_empty() -> None:
    assert MARKS.empty() == {"defects": [], "effect": None, "no_defect": False, "note": "", "flag": None}


def test_a_draft_may_lack_everything_but_the_id() -> None:
    bare = {"id": "d1", "mask": None, "kind": None, "text": ""}
    assert clean(marks({"id": "d1"}, effect=None), complete=False).payload()["defects"] == [bare]
    empty = defect(mask={"size": SIZE, "counts": [600]})
    assert clean(marks(empty), complete=False).payload()["defects"][0]["mask"] is None


CONTRADICTION = "“No defect” and 2 marked defects contradict each other."
NO_ID = "Refused: the id of a defect is none of d1 to d999."
OTHER_SIZE = "Refused: the mask of defect 1 is 512 × 512; this image has 20 × 30."
OTHER_SUM = "Refused: the mask of defect 1 cannot be read: its runs add up to 3, not to 600."
NO_SIZE = "Refused: the size of the image cannot be read: a side has 1 to 2048 pixels."


@pytest.mark.parametrize(
    ("payload", "field", "message"),
    [
        (marks(effect=None), "", "Not submitted: mark at least one defect, or say that there is none."),
        (marks(defect(), defect(2), no_defect=True), "no_defect", CONTRADICTION),
        (marks(defect(mask=None)), "defects.d1.mask", "Defect 1 is not marked yet."),
        (marks(defect(mask=mask(0, 0, 3, 3))), "defects.d1.mask", "Defect 1 has 9 pixels; mark at least 16."),
        (
            marks(defect(text=" short ")),
            "defects.d1.text",
            "Defect 1: say in at least 10 characters what is wrong.",
        ),
        (marks(defect(kind=None)), "defects.d1.kind", "Defect 1: structural or logical?"),
        (marks(defect(), effect=None), "effect", "Say how the defects affect the image."),
    ],
)
def test_what_is_incomplete_is_refused_only_when_it_is_submitted(
    payload: dict[str, Any], field: str, message: str
) -> None:
    assert refused(payload) == {field: [message]}
    if field != "no_defect":
        clean(payload, complete=False)


@pytest.mark.parametrize(
    ("payload", "field", "message"),
    [
        (marks(defect(text="x" * 1001)), "defects.d1.text", "Defect 1: 1001 characters; the limit is 1000."),
        (marks(*map(defect, range(1, 32))), "", "An image has at most 30 defects."),
        (marks(defect(3), defect(3)), "defects", "Refused: two defects have the id d3."),
        (marks(defect(1000)), "defects", NO_ID),
        (marks(defect(0)), "defects", NO_ID),
        (marks(defect(mask={"size": [512, 512], "counts": [0, 262_144]})), "defects.d1.mask", OTHER_SIZE),
        (marks(defect(mask={"size": SIZE, "counts": [1, 2]})), "defects.d1.mask", OTHER_SUM),
        (marks(defect(kind="odd")), "defects.d1.kind", "Refused: unknown kind “odd”."),
        (marks(defect(), effect=4), "effect", "Enter a whole number from 0 to 3."),
        (marks(defect(), size=[0, 1]), "size", NO_SIZE),
        (marks(defect(), places=1), "", "Refused: unknown key “places”."),
        (marks(defect(place=1)), "defects", "Refused: unknown key “place”."),
        (marks("d1"), "defects", "Refused: expected an object."),  # type: ignore[arg-type]
        (marks(no_defect=1), "no_defect", "Refused: expected true or false."),
        (["d1"], "", "Refused: expected an object."),
    ],
)
def test_what_cannot_be_read_is_refused_in_drafts_too(payload: object, field: str, message: str) -> None:
    assert message in refused(payload, complete=False)[field]


def test_a_mask_of_as_few_pixels_as_asked_is_enough() -> None:
    assert len(clean(marks(defect(mask=mask(0, 0, 4, 4)))).defects) == 1


def test_masks_of_an_unknown_image_have_one_size() -> None:
    other = {"size": [30, 20], "counts": [0, 600]}
    payload = {"defects": [defect(), defect(2, mask=other)]}
    assert refused(payload, complete=False) == {
        "defects.d2.mask": ["Refused: the mask of defect 2 is 30 × 20; this image has 20 × 30."]
    }


def test_no_defect_has_no_effect() -> None:
    answer = clean(marks(no_defect=True))
    assert (answer.effect, answer.flagged) == (None, False)
    assert [(name, value) for name, _, value in ratings(answer, {}) if value or name == "effect"] == []


def test_the_numbers_are_exact() -> None:
    answer = clean(marks(defect(), defect(2, kind="logical", mask=mask(4, 3, 5, 4)), effect=3))
    assert ratings(answer, {}) == (
        ("defects", "", Fraction(2)),
        ("structural", "", Fraction(1)),
        ("logical", "", Fraction(1)),
        # 20 + 20 pixels of 600, 12 of which both have.
        ("area", "", Fraction(28, 600)),
        ("effect", "", Fraction(3)),
    )


def test_large_and_covered_masks_are_warned_about() -> None:
    large, inside = mask(0, 0, 16, 20), mask(0, 0, 4, 5)
    half, beside = mask(15, 0, 15, 20), mask(14, 0, 10, 10)
    found = clean(
        marks(defect(1, mask=large), defect(2, mask=inside), defect(3, mask=half), defect(4, mask=beside))
    ).warnings
    assert [(warning.field, warning.code) for warning in found] == [
        ("defects.d1.mask", "mask_large"),
        ("defects.d2.mask", "mask_covered"),
        ("defects.d4.mask", "mask_covered"),
    ]
    assert found[0].message == "Defect 1 covers more than half of the image."
    assert found[2].message == "Defects 3 and 4 mark nearly the same place."


def test_body_part_and_severity_are_asked_where_the_batch_says_so() -> None:
    asked = marks(defect(), details=True)
    assert refused(asked) == {
        "defects.d1.part": ["Defect 1: which body part?"],
        "defects.d1.severity": ["Defect 1: how severe?"],
    }
    # Of boxes they are description enough; an outline needs one all the same.
    bare = defect(part="hands", severity="c", text="")
    assert clean(marks(bare, details=True, boxes=True)).payload()["boxes"] is True
    assert [*refused(marks(bare, details=True)), *refused(marks(bare, boxes=True))] == ["defects.d1.text"] * 2
    told = marks(defect(part="hands", severity="c"), details=True)
    assert clean(told).payload()["defects"][0]["part"] == "hands"
    assert clean(clean(told).payload()).payload() == clean(told).payload()
    assert "part" not in clean(marks(defect())).payload()["defects"][0]
    assert refused(marks(defect(part="tail"))) == {"defects.d1.part": ["Refused: unknown part “tail”."]}
