"""How annotators, prompts and decided images are spread over generators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.comparison import UNEVENLY
from analysis.stats.comparison import balance as module
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.tables import Json
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import rows_of


def spread(counts: dict[tuple[str, str], int], prompts: str = "p") -> RatingsFrame:
    """A frame with so many images of each annotator and generator."""
    rows = [names for names, count in counts.items() for _ in range(count)]
    return framed(
        *(
            rated(k, who, {}, generator=generator, prompt=prompts[k % len(prompts)])
            for k, (who, generator) in enumerate(rows)
        )
    )


def line_of(result: Json) -> str:
    return next(str(table["line"]) for table in result["tables"] if table["name"] == "balance")


def counts_of(result: Json, column: str) -> list[list[Any]]:
    return [list(row.values()) for row in rows_of(result, f"balance_{column}s")]


def test_an_annotator_who_judged_mostly_one_generator() -> None:
    """R: chisq.test(matrix(c(28, 12, 8, 32), 2), correct = FALSE)$p.value is 6.967931e-06."""
    result = comparison(spread({("ada", "x"): 28, ("bo", "x"): 12, ("ada", "y"): 8, ("bo", "y"): 32}))
    assert counts_of(result, "annotator") == [["ada", 28, 8, 36], ["bo", 12, 32, 44]]
    assert line_of(result) == (
        f"Annotators are {UNEVENLY}; prompts are too few to spread over the generators"
    )


def test_even_and_by_chance() -> None:
    even = comparison(
        spread({("ada", "x"): 20, ("bo", "x"): 20, ("ada", "y"): 20, ("bo", "y"): 20}, prompts="pq")
    )
    assert line_of(even) == ("Annotators and prompts are spread evenly over the generators")
    chance = comparison(spread({("ada", "x"): 20, ("bo", "x"): 20, ("ada", "y"): 25, ("bo", "y"): 15}))
    assert stats.chi2_contingency([[20, 25], [20, 15]], correction=False).pvalue > module.CHANCE
    assert line_of(chance).startswith(
        "Annotators are spread over the generators no more unevenly than by chance; "
    )


@pytest.mark.thorough
def test_random_assignments_are_seldom_called_uneven() -> None:
    """The chi-square test at 0.01, over 60 random assignments of 60 images to 4 annotators."""
    rng = np.random.default_rng(2)
    uneven = 0
    for _ in range(60):
        who = rng.integers(0, 4, 60)
        made = {(f"a{a}", "xyz"[g]): int((who[g::3] == a).sum()) for a in range(4) for g in range(3)}
        uneven += UNEVENLY in line_of(comparison(spread({pair: n for pair, n in made.items() if n})))
    assert uneven <= 3


def test_long_lists_are_cut_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED", 2)
    rows = [rated(k, "abc"[min(k // 2, 2)], {}, generator="xy"[k % 2], prompt="pqr"[k % 3]) for k in range(9)]
    result = comparison(framed(*rows))
    assert [row[0] for row in counts_of(result, "annotator")] == ["a", "c"]
    words = next(table["words"] for table in result["tables"] if table["name"] == "balance_annotators")
    assert words.endswith("1 annotators with fewer annotations are not listed.")


def test_adjudicated_and_targeted_images_are_counted_by_generator() -> None:
    rows = [rated(k, "ab"[k % 2], {"missing.face": f"1/{k + 2}c"}, generator="xy"[k // 4]) for k in range(8)]
    result = comparison(framed(*rows), adjudicated={5: np.zeros((25, 3)), 99: np.zeros((25, 3))})
    assert [
        (row["generator"], row["images"], row["annotators"], row["adjudicated"], row["targeted"])
        for row in rows_of(result, "balance")
    ] == [("x", 4, 2, 0, 0), ("y", 4, 2, 1, 0)]


def test_the_published_study(study_frame: RatingsFrame) -> None:
    result = comparison(study_frame)
    assert [row[1:] for row in counts_of(result, "annotator")] == [[25, 25, 25, 75]] * 4
    assert [row[1:] for row in counts_of(result, "prompt")] == [[10, 10, 10, 30]] * 10
    assert line_of(result) == ("Annotators and prompts are spread evenly over the generators")
