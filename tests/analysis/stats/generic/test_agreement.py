"""Agreement of any protocol, beside the krippendorff package and worked numbers."""

from __future__ import annotations

from typing import Literal

import krippendorff
import numpy as np
import pytest

from analysis.stats.generic.agreement import agreement_of_values as agreement
from analysis.stats.generic.alphas import alpha_of_coincidences, coincidences
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.generic.making import presence, rows_of, stars

WORKED = [
    (1, "A", "extra.limbs extra.hands configuration.face"),
    (1, "B", "extra.limbs configuration.hands"),
    (2, "A", "extra.limbs"),
    (2, "B", "extra.limbs orientation.torso"),
]


def repeated(times: int) -> list[tuple[int, str, str]]:
    """The worked answers on several pairs of images, which changes no alpha but for N - 1."""
    return [(image + 2 * turn, who, cells) for turn in range(times) for image, who, cells in WORKED]


def test_too_few_images_have_no_alpha() -> None:
    found = rows_of(agreement(presence(WORKED)), "agreement")
    assert [(row["variable"], row["pooled"]["value"], row["pooled"]["refused"]) for row in found] == [
        ("Cells marked", None, "too few: 2 images"),
        ("Error present", None, "too few: 2 images"),
        ("Error present: raw agreement", None, "too few: 2 images"),
        ("Error present: AC1", None, "too few: 2 images"),
        ("Error present: positive agreement", None, "too few: 2 images"),
    ]


def test_the_worked_alpha_over_cells() -> None:
    marked = {(image, who): set(cells.split()) for image, who, cells in WORKED}
    yes = [sum(cell.key in marked[image, who] for who in "AB") for image in (1, 2) for cell in CELLS]
    counts = np.array([[2 - each, each] for each in yes])
    assert round(float(alpha_of_coincidences(coincidences(counts).sum(axis=0), 2, "nominal")), 6) == 0.461957


def test_alpha_over_cells_moves_with_whole_images() -> None:
    marked, present, raw, ac1, positive = rows_of(agreement(presence(repeated(20))), "agreement")
    alpha = present["pooled"]
    # 40 images of 25 cells, 2 values each: 2,000 values of which 160 are yes, and 80 images' disagreements.
    observed, expected = 80 * 2 / 2000, 2 * 160 * 1840 / (2000 * 1999)
    assert alpha["value"] == pytest.approx(1 - observed / expected, abs=1e-12)
    assert (alpha["n_units"], alpha["n_coders"], alpha["computed_by"]) == (40, 2, "krippendorff")
    assert alpha["low"] < alpha["value"] < alpha["high"]
    assert (marked["level"], present["level"]) == ("ratio", "nominal")
    assert (marked["images"], marked["annotators"], marked["annotations"]) == (40, 2, 80)
    assert present["mean_of_pairs"] == pytest.approx(alpha["value"], abs=1e-12)
    # 160 of 2,000 values are yes; 920 of 1,000 cells agree, and 40 pairs of marks.
    chance = 2 * 0.08 * 0.92
    assert raw["pooled"]["value"] == pytest.approx(0.92)
    assert ac1["pooled"]["value"] == pytest.approx((0.92 - chance) / (1 - chance))
    assert positive["pooled"]["value"] == pytest.approx(2 * 40 / 160)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_every_level_is_that_of_the_package(
    level: Literal["nominal", "ordinal", "interval", "ratio"],
) -> None:
    counts = np.random.default_rng(5).multinomial(3, [0.4, 0.3, 0.1, 0.2], size=60)
    domain = [0.0, 1.0, 2.5, 7.0]
    known = krippendorff.alpha(value_counts=counts, value_domain=domain, level_of_measurement=level)
    closed = alpha_of_coincidences(coincidences(counts).sum(axis=0), 4, level, domain)
    assert float(closed) == pytest.approx(known, abs=1e-12)


def test_pairs() -> None:
    answers = [
        (image, who, (image + (who == "C") * (image % 3 == 0)) % 5 + 1)
        for image in range(30)
        for who in ("A", "B" if image % 2 else "C")
    ]
    result = agreement(stars(answers))
    pairs = {" & ".join(row["annotators"]): row for row in rows_of(result, "pairs")}
    assert {name: row["images"] for name, row in pairs.items()} == {"A & B": 15, "A & C": 15}
    assert pairs["A & B"]["agreement"]["value"] == 1
    assert pairs["A & C"]["agreement"]["value"] < 1
    (pooled,) = rows_of(result, "agreement")
    values = [pair["agreement"]["value"] for pair in pairs.values()]
    assert pooled["mean_of_pairs"] == pytest.approx(np.mean(values))


def test_rare_errors_agree_although_alpha_is_0() -> None:
    """998 of 1,000 cells agree; each of two annotators alone marks one of the others."""
    answers = [(image, who, "") for image in range(2, 40) for who in "AB"]
    answers += [(0, "A", "extra.hands"), (0, "B", ""), (1, "A", ""), (1, "B", "missing.face")]
    rows = {
        row["variable"]: row["pooled"]["value"] for row in rows_of(agreement(presence(answers)), "agreement")
    }
    assert rows["Error present"] == pytest.approx(1 - (4 / 2000) / (2 * 2 * 1998 / (2000 * 1999)))
    assert rows["Error present: raw agreement"] == pytest.approx(0.998)
    chance = 2 * 0.001 * 0.999
    assert rows["Error present: AC1"] == pytest.approx((0.998 - chance) / (1 - chance))
    assert rows["Error present: positive agreement"] == 0


def test_images_judged_once_count_in_no_measure() -> None:
    answers = [(image, who, 1 + image % 3) for image in range(12) for who in "AB"]
    alone = [(image, "A", 5) for image in range(20, 40)]
    once, both = (agreement(stars(each)) for each in (answers, [*answers, *alone]))
    assert rows_of(once, "agreement") == rows_of(both, "agreement")


def test_a_value_that_the_variable_does_not_list_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^9 is no value of 'stars'$"):
        agreement(stars([(image, who, 9) for image in range(6) for who in "AB"]))
