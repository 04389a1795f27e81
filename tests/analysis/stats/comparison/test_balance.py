"""How annotators, prompts, adjudicated and targeted images are spread over generators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.comparison import balance
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of


def spread(counts: dict[tuple[str, str], int]) -> RatingsFrame:
    """A frame with so many images of each annotator and generator."""
    rows = [names for names, count in counts.items() for _ in range(count)]
    return framed(*(rated(k, who, {}, generator=generator) for k, (who, generator) in enumerate(rows)))


def line_of(result: dict[str, Any]) -> str:
    (line,) = (table["line"] for table in result["tables"] if table["name"] == "balance")
    return str(line)


@pytest.mark.parametrize(
    ("of_y", "said"),
    [
        ((8, 32), "Annotators are spread unevenly over the generators, more than by chance"),
        ((25, 15), "Annotators are spread over the generators no more unevenly than by chance"),
        ((20, 20), "Annotators are spread evenly over the generators"),
    ],
)
def test_the_spread_of_annotators_is_held_against_chance(of_y: tuple[int, int], said: str) -> None:
    """Of 20 and 20 images of x. R: chisq.test(matrix(c(20, 20, 8, 32), 2), correct = FALSE): p = 0.0048."""
    counts = {("ada", "x"): 20, ("bo", "x"): 20, ("ada", "y"): of_y[0], ("bo", "y"): of_y[1]}
    assert (
        line_of(anatomy_comparison(spread(counts)))
        == f"{said}; prompts are too few to spread over the generators"
    )


def test_counts_by_generator() -> None:
    rows = [
        rated(k // 2, "ab"[k % 2], {}, generator="xy"[k // 8], prompt="pq"[k // 4 % 2]) for k in range(12)
    ]
    frame = framed(*(row._replace(annotation=k + 1) for k, row in enumerate(rows)))
    frame = replace(frame, targeted=np.array([2, 4]))
    result = anatomy_comparison(frame, adjudicated={0: np.zeros((25, 3)), 99: np.zeros((25, 3))})
    first, second = rows_of(result, "balance")
    assert list(first.values()) == ["x", 8, 4, 2, 2, 1, 2]
    assert list(second.values()) == ["y", 4, 2, 2, 1, 0, 0]
    assert [list(row.values()) for row in rows_of(result, "balance_prompts")] == [
        ["p", 4, 4, 8],
        ["q", 4, 0, 4],
    ]
    assert [list(row.values()) for row in rows_of(result, "balance_annotators")] == [
        ["a", 4, 2, 6],
        ["b", 4, 2, 6],
    ]


def test_long_lists_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balance, "LISTED", 2)
    rows = [rated(k, "abc"[min(k // 2, 2)], {}, generator="xy"[k % 2]) for k in range(9)]
    result = anatomy_comparison(framed(*rows))
    assert [row["annotator"] for row in rows_of(result, "balance_annotators")] == ["a", "c"]
    (words,) = (table["words"] for table in result["tables"] if table["name"] == "balance_annotators")
    assert words.endswith("1 annotators with fewer annotations are not listed.")


def test_many_generators_have_only_the_fewest_and_the_most() -> None:
    rows = [rated(k, "ada", {}, generator=f"g{k % 13:02}") for k in range(20)]
    (row,) = rows_of(anatomy_comparison(framed(*rows)), "balance_annotators")
    assert list(row.values()) == ["ada", 1, 2, 20]


@pytest.mark.study
def test_the_published_study(study_frame: RatingsFrame) -> None:
    result = anatomy_comparison(study_frame)
    assert [list(row.values())[1:] for row in rows_of(result, "balance")] == [[100, 80, 4, 10, 0, 0]] * 3
    assert [list(row.values())[1:] for row in rows_of(result, "balance_annotators")] == [[25, 25, 25, 75]] * 4
    assert line_of(result) == ("Annotators and prompts are spread evenly over the generators")
