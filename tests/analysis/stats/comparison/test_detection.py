"""The worked table of four readers, six real and six generated images, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.stats.comparison.detection import detection_tables
from analysis.stats.generic.values import ValuesFrame, build_values
from scoring.rating_form.definition import FormDefinition, Item
from scoring.rating_form.protocol import protocol_of
from tests.analysis.stats.generic.making import row_of

# By reader: 1 is "generated", of six real images, then of six generated ones.
WORKED = ["001001111011", "011000101110", "000011111111", "101001011010"]
CHOICE = Item(
    "origin", "choice", "Real?", cannot_judge=True, detects="generated",
    options=(("real", "Real"), ("generated", "Generated")),
)  # fmt: skip
YES_NO = Item("origin", "yes_no", "Real?", cannot_judge=True, detects=False)


def framed(said: list[str], item: Item = CHOICE, real: int = 6) -> ValuesFrame:
    """Return readers' answers; x is cannot judge."""
    known, rows = protocol_of(FormDefinition("o", "O", "origin", (item,))), []
    words = {"1": "generated", "0": "real"} if item.kind == "choice" else {"1": False, "0": True}
    for place, given in enumerate(said):
        for image, text in enumerate(given):
            answers = {"origin": words.get(text, "cannot_judge")}
            ratings = known.ratings(known.clean({"answers": answers}), {})
            rows.append(row_of(image, f"r{place}", [list(map(str, one)) for one in ratings], "a"))
    return replace(build_values(rows, known), real=np.arange(real))


def rows(frame: ValuesFrame) -> list[dict[str, Any]]:
    (found,) = detection_tables(frame)
    names = [column["name"] for column in found["columns"]]
    return [dict(zip(names, row, strict=True)) for row in found["rows"]]


def whole(found: dict[str, Any]) -> list[float]:
    return [found[end] for end in ("value", "low", "high")]


@pytest.mark.parametrize("item", [CHOICE, YES_NO])
def test_the_worked_readers(item: Item) -> None:
    one, *others, every = rows(framed(WORKED, item))
    assert whole(one["accuracy"]) == pytest.approx([0.75, 0.4281, 0.9451], abs=1e-4)
    assert whole(one["sensitivity"]) == pytest.approx([5 / 6, 0.3588, 0.9958], abs=1e-4)
    assert whole(one["specificity"]) == pytest.approx([4 / 6, 0.2228, 0.9567], abs=1e-4)
    assert whole(one["d_prime"]) == pytest.approx([1.157745, -0.3666, 2.6821], abs=1e-4)
    assert one["d_prime"]["value"] == pytest.approx(1.157745, abs=1e-6)
    assert [row["d_prime"]["value"] for row in others] == pytest.approx([0.732213, 1.831340, 0], abs=1e-6)
    assert whole(every["accuracy"]) == pytest.approx([0.6875, 0.461576, 0.913424], abs=1e-6)
    assert whole(every["sensitivity"]) == pytest.approx([0.75, 0.422268, 1], abs=1e-6)
    assert whole(every["specificity"]) == pytest.approx([0.625, 0.337534, 0.912466], abs=1e-6)
    assert whole(every["d_prime"]) == pytest.approx([0.930324, -0.274211, 2.134860], abs=1e-6)
    assert (every["annotator"], every["generated"], every["real"]) == ("All readers", 6, 6)


def test_what_cannot_be_judged_does_not_count() -> None:
    one, *_ = rows(framed(["x01001111011", *WORKED[1:]]))
    assert (one["real"], one["generated"]) == (5, 6)
    assert one["specificity"]["value"] == pytest.approx(3 / 5)


def test_refusals_say_what_is_needed() -> None:
    *_, few = rows(framed([given[2:] for given in WORKED], real=4))
    reason = "too few: 6 generated and 4 real images; 5 of each are needed"
    assert (few["accuracy"]["value"], few["accuracy"]["refused"]) == (None, reason)
    *_, three = rows(framed(WORKED[:3]))
    assert three["accuracy"]["refused"] == "too few: 3 readers; at least 4 are needed"
    assert three["accuracy"]["value"] == pytest.approx((9 + 8 + 10) / 36)
    only, *_ = rows(framed(WORKED, real=0))
    assert only["d_prime"]["refused"] == "only one kind of image"
    assert only["specificity"]["value"] is None


def test_other_protocols_have_no_such_table() -> None:
    assert detection_tables(framed(WORKED, replace(CHOICE, detects=None))) == []
