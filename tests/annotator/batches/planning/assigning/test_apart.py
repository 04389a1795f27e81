"""Nobody is given an image that they have already, and the plan stays as even as it was."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from annotator.batches.planning import Design, InvalidDesign, Plan, make_plan, read_document
from tests.annotator.batches.planning.designs import annotators, images


def given(plan: Plan) -> set[tuple[str, str]]:
    return {(one.image, one.annotator) for one in plan.placements}


@pytest.mark.parametrize("each", [1, 8])
@pytest.mark.parametrize("seed", range(3))
def test_images_go_to_people_who_do_not_have_them(each: int, seed: int) -> None:
    before = make_plan(Design(images(3, 6, each), annotators(5), Fraction(0), 2, seed=seed + 10))
    design = Design(images(3, 6, each), annotators(5), Fraction(1, 2), 2, seed)
    free, apart = make_plan(design), make_plan(replace(design, barred=frozenset(given(before))))
    assert given(free) & given(before)
    assert not given(apart) & given(before)
    for load, same in zip(free.balance.workload, apart.balance.workload, strict=True):
        assert (load.annotator, load.total) == (same.annotator, same.total)


def test_exchanges_within_generator_and_prompt_change_no_margin() -> None:
    design = Design(images(3, 6, 8), annotators(5), Fraction(0), 2, 4)
    free = make_plan(design)
    strata = {image.key: (image.generator, image.prompt) for image in design.images}
    one_each = {strata[key]: (key, code) for key, code in given(free)}
    apart = make_plan(replace(design, barred=frozenset(one_each.values())))
    assert not given(apart).intersection(one_each.values())
    assert apart.balance.margins == free.balance.margins


def test_the_document_holds_who_has_what() -> None:
    design = Design(images(2, 2, 4), annotators(4), Fraction(0), 2, 1)
    design = replace(design, barred=frozenset((image.key, "A") for image in design.images[:4]))
    plan = make_plan(design)
    read, coders = read_document(plan.document())
    assert read.barred == design.barred
    assert make_plan(read).placements == plan.placements
    assert coders == Counter(one.image for one in plan.placements)


def test_an_image_that_everybody_has_is_refused() -> None:
    design = Design(images(2, 2, 2), annotators(2), Fraction(0), 2, 1)
    held = frozenset((design.images[0].key, code) for code in "AB")
    with pytest.raises(InvalidDesign, match="1 of the 8 images cannot be given to anybody"):
        make_plan(replace(design, barred=held))
