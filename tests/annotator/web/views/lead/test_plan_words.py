"""A balance table says what can be checked: where shares differ, a mean alone contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.batches.planning import Design, PlanAnnotator, PlanImage, make_plan
from annotator.web.views.lead.plan_words import MarginRow, balance_table


def row_of(even: str, off: str, smallest: int, largest: int, **more: Any) -> MarginRow:
    margin = {"name": "pair", "smallest": smallest, "largest": largest, "even": even, "off": off}
    rest = {"within": True, "note": "", **more}
    return balance_table({"margins": [{**margin, **rest}], "workload": []}).margins[0]


@pytest.mark.parametrize(
    ("row", "even", "note"),
    [
        (row_of("20/3", "2/3", 6, 7), "6.67", ""),
        (row_of("10", "0", 10, 10), "10", ""),
        (row_of("10", "1/2", 5, 15), "10 on average", "individual shares, at most 0.5 off"),
        (row_of("20/3", "8/3", 4, 9, within=False), "6.67", "up to 2.67 from the even share"),
        (row_of("10", "2", 5, 15, within=False, note="impossible"), "10 on average", "impossible"),
    ],
)
def test_the_even_share_is_one_or_a_mean(row: MarginRow, even: str, note: str) -> None:
    assert (row.even, row.note) == (even, note)


def test_a_generator_with_fewer_images_has_a_smaller_share() -> None:
    images = tuple(PlanImage(f"{at:02}", "large" if at < 20 else "small", "p") for at in range(30))
    plan = make_plan(Design(images, (PlanAnnotator("a"), PlanAnnotator("b")), overlap=0))
    rows = {row.title: row for row in balance_table(plan.balance.as_json()).margins}
    row = rows["Images per annotator and generator"]
    assert (row.smallest, row.largest, row.even, row.within) == (5, 10, "7.5 on average", True)
    assert row.note == "individual shares, met exactly"
