"""Input that allows no plan: every message names its field; and plans for people not yet known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

from annotator.batches.planning import (
    ChangeDesign,
    Design,
    Held,
    InvalidDesign,
    PlanAnnotator,
    PlanImage,
    make_plan,
    propose_change,
)
from annotator.batches.planning.certificate import annotators_first
from tests.annotator.batches.planning.designs import annotators, images, published


def refused(design: Design) -> dict[str, list[str]]:
    with pytest.raises(InvalidDesign) as caught:
        make_plan(design)
    return caught.value.errors


def test_overlap_above_everything() -> None:
    assert refused(replace(published(), overlap=Fraction(11, 10))) == {
        "overlap": ["The overlap must be from 0% to 100%."]
    }
    assert refused(replace(published(), overlap=241)) == {
        "overlap": ["The overlap must be from 0 to all 240 images, not 241."]
    }


def test_more_coders_than_annotators() -> None:
    assert refused(replace(published(), coders=5)) == {
        "coders": ["An overlap image needs 5 annotators, and there are 4."]
    }


def test_one_coder_of_an_overlap_image() -> None:
    assert refused(replace(published(), coders=1)) == {
        "coders": ["An overlap image needs at least two annotators."]
    }


def test_nobody_and_nothing() -> None:
    assert refused(Design((), (), 0)) == {
        "images": ["There are no images to assign."],
        "annotators": ["There are no annotators."],
    }


TOO_MANY = {
    "annotators": [
        "A batch can have at most 500 annotators, not 501. Plan several batches, each with its own "
        "annotators and images."
    ]
}


def test_more_annotators_than_a_batch_may_have() -> None:
    many = tuple(PlanAnnotator(f"p{number:03}") for number in range(501))
    assert refused(replace(published(), annotators=many)) == TOO_MANY
    assert len(make_plan(replace(published(), annotators=many[1:])).balance.workload) == 500


def test_a_change_to_more_annotators_than_a_batch_may_have() -> None:
    plan = make_plan(replace(published(), overlap=0))
    held = tuple(Held(one.image, one.annotator, one.position, "open") for one in plan.placements)
    many = tuple(PlanAnnotator(f"p{number:03}") for number in range(501))
    owed = {image.key: 1 for image in plan.design.images}
    with pytest.raises(InvalidDesign) as caught:
        propose_change(ChangeDesign(plan.design.images, many, frozenset(), held, owed))
    assert caught.value.errors == TOO_MANY


def test_everything_twice_and_a_seed_that_does_not_fit() -> None:
    design = published()
    twice = replace(
        design,
        images=(*design.images, design.images[0]),
        annotators=(*design.annotators, design.annotators[1]),
        seed=2**63,
    )
    assert refused(twice) == {
        "images": [f"Image {design.images[0].key} is listed twice."],
        "annotators": ["Annotator B is listed twice."],
        "seed": ["The seed must be a whole number of 64 bits."],
    }


def test_capacities_that_do_not_suffice() -> None:
    few = replace(published(), annotators=annotators(4, 70, 70, 70, 70))
    assert refused(few) == {
        "annotators": ["The plan needs 300 annotations, the image limits allow 280: 20 missing."]
    }


def test_capacities_count_at_most_once_per_image() -> None:
    lopsided = Design(images(1, 1, 10), annotators(2, 100, 9), Fraction(1))
    assert refused(lopsided) == {
        "annotators": ["The plan needs 20 annotations, the image limits allow 19: 1 missing."]
    }
    three = Design(images(1, 1, 10), annotators(3, 10, 2, 2), 5, coders=2)
    assert refused(three) == {
        "annotators": ["The plan needs 15 annotations, the image limits allow 14: 1 missing."]
    }
    shared = Design(images(1, 1, 20), annotators(3, 20, 2, 2), 5, coders=2)
    assert refused(shared) == {
        "annotators": ["The plan needs 25 annotations, the image limits allow 24: 1 missing."]
    }


def test_different_annotators_for_the_overlap() -> None:
    design = Design(images(1, 1, 20), annotators(4, 20, 20, 1, 1), 10, coders=3)
    assert refused(design) == {
        "annotators": [
            "The 10 overlap images need 30 annotations by 3 different annotators each, "
            "the image limits allow 22: 8 missing."
        ]
    }


def test_a_negative_capacity() -> None:
    assert refused(replace(published(), annotators=annotators(4, -1))) == {
        "annotators": ["The image limit of annotator A is below 0."]
    }


# A name that tries to look like the design.
PEOPLE = (PlanAnnotator('a"design":{"annotators":[]', 4), PlanAnnotator("b ä"), PlanAnnotator("c"))
IMAGES = tuple(PlanImage(f"{at:02}", "g", "p") for at in range(6))


def plan_document() -> bytes:
    return make_plan(Design(IMAGES, PEOPLE, overlap=0)).document()


def change_document() -> bytes:
    held = tuple(Held(image.key, "gone", at, "open") for at, image in enumerate(IMAGES, start=1))
    owed = {image.key: 1 for image in IMAGES}
    design = ChangeDesign(IMAGES, PEOPLE, frozenset({"gone"}), held, owed, seed=1)
    return propose_change(design).document()


@pytest.mark.parametrize("document", [plan_document(), change_document()])
@pytest.mark.parametrize("length", [1, 7, 64, 10_000])
def test_in_pieces_of_any_length(document: bytes, length: int) -> None:
    pieces = (document[start : start + length] for start in range(0, len(document), length))
    assert annotators_first(pieces) == PEOPLE


def test_nothing_is_read_that_is_not_needed() -> None:
    def pieces() -> Iterator[bytes]:
        yield plan_document()[:200]
        raise AssertionError("read on")

    assert annotators_first(pieces()) == PEOPLE


@pytest.mark.thorough
def test_no_more_is_read_than_annotators_take() -> None:
    def pieces() -> Iterator[bytes]:
        yield b'{"algorithm":"anatomark-plan/1","design":{"annotators":['
        for _ in range(16):
            yield b'["a",null],' * 6_000
        raise AssertionError("read on")

    with pytest.raises(ValueError, match="no annotators"):
        annotators_first(pieces())


@pytest.mark.parametrize("document", [b"", b"{}", plan_document()[:60]])
def test_a_document_without_them(document: bytes) -> None:
    with pytest.raises(ValueError, match="no annotators"):
        annotators_first([document])
