"""How many images an interval needs, and which images are furthest apart."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.stats.agreement.agreement import agreement
from analysis.stats.agreement.alpha import alpha_from
from analysis.stats.agreement.disagreements import LISTED, disagreements
from analysis.stats.agreement.sample_size import FEWEST
from analysis.stats.bootstrap_intervals import effective_df
from analysis.stats.frames import RatingsFrame
from analysis.stats.pairs import shared_images
from scoring.grid.notation import Term, read_cell
from scoring.grid.scores import cumulative_score
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.conftest import framed, rated, scored, summed


def integers(seed: int, images: int, most: int = 9) -> dict[str, dict[int, str]]:
    rng = np.random.default_rng(seed)
    return {name: {i: str(int(rng.integers(0, most))) for i in range(images)} for name in ("A", "B")}


def test_images_needed_scale_the_jackknife_error() -> None:
    scores = integers(5, FEWEST)
    found = agreement(scored(scores))["images_needed"]
    values = np.array([float(text) for images in scores.values() for text in images.values()])
    rows = summed(values, np.tile(np.arange(FEWEST), 2))
    without = np.array([float(alpha_from(rows.sum(axis=0) - row)) for row in rows])
    variance = 39 / 40 * ((without - without.mean()) ** 2).sum()
    (df,) = effective_df(without[:, None]) / 2
    squared = (1.959964 / 0.10) ** 2 * FEWEST * variance
    assert found["needed"] == int(np.ceil(squared))
    assert found["low"] == pytest.approx(squared * df / stats.chi2.ppf(0.975, df), abs=1)
    assert found["high"] == pytest.approx(squared * df / stats.chi2.ppf(0.025, df), abs=1)
    assert found["low"] < found["needed"] < found["high"]


def test_a_number_of_images_that_says_nothing_is_not_given() -> None:
    """Too few images, alpha that hangs on few of many, enough images already, and equal scores."""
    rare = {name: dict.fromkeys(range(60), "0") for name in ("A", "B")}
    rare["A"] |= {0: "1", 1: "1"}
    rare["B"] |= {1: "1", 2: "1"}
    agreed = {name: {i: str(i % 9) for i in range(60)} for name in ("A", "B")}
    agreed["B"] |= {0: "1", 1: "2", 2: "1"}
    equal = {name: dict.fromkeys(range(60), "1") for name in ("A", "B")}
    for scores in (integers(5, FEWEST - 1), rare, agreed, equal):
        found = agreement(scored(scores))["images_needed"]
        assert [found[key] for key in ("needed", "low", "high")] == [None] * 3


def test_images_in_the_order_of_their_distance() -> None:
    frame = framed(
        rated(1, "A", {"missing.limbs": "1/4c", "extra.face": "1/1a"})._replace(annotation=11),
        rated(1, "B", {"missing.limbs": "1/4b"})._replace(annotation=12),
        rated(2, "A", {})._replace(annotation=21),
        rated(2, "B", {"missing.face": "1/1c,1/1a"})._replace(annotation=22),
        rated(2, "C", {"missing.face": "1/1a"})._replace(annotation=23),
        rated(3, "A", {"missing.face": "1/2b"})._replace(annotation=31),
        rated(3, "B", {"extra.face": "1/2b"})._replace(annotation=32),
        rated(4, "A", {"missing.face": "1/2b"})._replace(annotation=41),
        rated(4, "B", {"missing.face": "1/2b"})._replace(annotation=42),
        rated(5, "A", {}),
    )
    found = disagreements(frame, shared_images(frame))
    assert (found["images"], found["left_out"]) == (4, 0)
    assert [(row["image"], row["annotators"], row["one_sided"]) for row in found["rows"]] == [
        (2, ["A", "B"], 1),
        (1, ["A", "B"], 1),
        (3, ["A", "B"], 2),
        (4, ["A", "B"], 0),
    ]
    first, second = found["rows"][:2]
    assert first["annotations"] == [21, 22]
    assert first["difference"] == pytest.approx(1.2)
    assert first["cells"] == [{"cell": "missing.face", "marks": ["", "1/1a,1/1c"]}]
    assert second["cells"] == [
        {"cell": "missing.limbs", "marks": ["1/4c", "1/4b"]},
        {"cell": "extra.face", "marks": ["1/1a", ""]},
    ]


def test_differences_that_are_equal_stay_equal_whatever_floats_make_of_them() -> None:
    """1/10 is 3/10 - 2/10, and not so in floats: only the cells flagged by one of the two decide."""
    assert 0.3 - 0.2 < 0.1
    frame = framed(
        rated(1, "A", {"missing.face": "3/10c"}),
        rated(1, "B", {"missing.limbs": "2/10c"}),
        rated(2, "A", {"missing.face": "1/10c"}),
        rated(2, "B", {}),
        rated(3, "A", {"missing.face": "1/10c", "missing.limbs": "1/10c"}),
        rated(3, "B", {"missing.face": "3/10c"}),
        rated(4, "A", {"missing.face": "3/10c"}),
        rated(4, "B", {"missing.limbs": "2/10c"}),
    )
    found = disagreements(frame, shared_images(frame))["rows"]
    assert [(row["image"], row["difference"], row["one_sided"]) for row in found] == [
        (1, 0.1, 2),
        (4, 0.1, 2),
        (2, 0.1, 1),
        (3, 0.1, 1),
    ]


@pytest.mark.study
def test_the_order_of_the_published_study_is_that_of_exact_fractions(
    study_frame: RatingsFrame, study_rows: list[dict[str, str]]
) -> None:
    """Subtracted in floats, places 46 and 47 and places 54 and 55 change places."""
    said: dict[tuple[str, ...], list[dict[str, tuple[Term, ...]]]] = {}
    for row in study_rows:
        cells = {cell.key: read_cell(row[cell.heading])[0] for cell in CELLS}
        said.setdefault((row["Model"], row["Prompt"], row["Pic Num."]), []).append(cells)
    # Images of the frame are numbered as the file comes to them; sorting keeps that order.
    twice = [
        (
            abs(cumulative_score(two[0]) - cumulative_score(two[1])),
            sum(bool(two[0][cell.key]) != bool(two[1][cell.key]) for cell in CELLS),
            key,
        )
        for key, two in said.items()
        if len(two) == 2
    ]
    twice.sort(key=lambda image: image[:2], reverse=True)
    rows = disagreements(study_frame, shared_images(study_frame))["rows"]
    assert len(rows) == 60
    found = [(row["generator"], row["prompt"], str(row["number"])) for row in rows]
    assert found == [key for _, _, key in twice]
    assert [row["difference"] for row in rows] == [float(apart) for apart, _, _ in twice]


def test_the_list_is_bounded() -> None:
    frame = scored({name: {i: str(i * k % 7) for i in range(LISTED + 50)} for k, name in enumerate("AB")})
    found = disagreements(frame, shared_images(frame))
    assert (len(found["rows"]), found["left_out"]) == (LISTED, 50)
    distances = [row["difference"] for row in found["rows"]]
    assert distances == sorted(distances, reverse=True)
