"""Tables of groups of images: balance, prompts, attributes and tags and distribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.comparison import UNEVENLY
from analysis.stats.comparison import balance as module
from analysis.stats.comparison.generic import comparison as of_values
from analysis.stats.estimates import TOO_WIDE
from analysis.stats.frames import RatingsFrame
from analysis.stats.generic.tables import Json, rows_of
from tests.analysis.stats.comparison.test_comparison import ANSWERS
from tests.analysis.stats.conftest import framed, rated
from tests.analysis.stats.generic.making import stars


def test_the_published_means_of_prompts(study_frame: RatingsFrame, study_comparison: Json) -> None:
    result = study_comparison
    prompts = {row["prompt"]: row for row in rows_of(result, "prompts")}
    highest = max(prompts.values(), key=lambda row: float(row["mean"]["value"]))
    assert highest["prompt"] == "five people sunbathing on beach"
    salto = prompts["athlete performing salto"]["generator dall-e3"]
    assert [round(salto[key], 2) for key in ("value", "low", "high")] == [0.49, 0.24, 0.74]
    assert (salto["n_units"], salto["n_coders"]) == (8, 3)
    scores = study_frame.parts("annotator", study_frame.scores)
    assert {row["annotator"]: row["mean"]["value"] for row in rows_of(result, "annotators")} == {
        name: pytest.approx(own.mean()) for name, own in scores.items()
    }


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


def test_an_annotator_who_judged_mostly_one_generator() -> None:
    """R: chisq.test(matrix(c(28, 12, 8, 32), 2), correct = FALSE)$p.value is 6.967931e-06."""
    result = comparison(spread({("ada", "x"): 28, ("bo", "x"): 12, ("ada", "y"): 8, ("bo", "y"): 32}))
    counts = [list(row.values()) for row in rows_of(result, "balance_annotators")]
    assert counts == [["ada", 28, 8, 36], ["bo", 12, 32, 44]]
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


def test_adjudicated_and_targeted_images_are_counted_by_generator() -> None:
    rows = [rated(k, "ab"[k % 2], {"missing.face": f"1/{k + 2}c"}, generator="xy"[k // 4]) for k in range(8)]
    result = comparison(framed(*rows), adjudicated={5: np.zeros((25, 3)), 99: np.zeros((25, 3))})
    assert [
        (row["generator"], row["images"], row["annotators"], row["adjudicated"], row["targeted"])
        for row in rows_of(result, "balance")
    ] == [("x", 4, 2, 0, 0), ("y", 4, 2, 1, 0)]


def test_a_histogram_has_round_steps_and_loses_nothing() -> None:
    texts = ("", "1/10c", "2/10c", "3/10c", "3/10c", "7/10c", "10/10c", "9/10c")
    answers = [
        rated(k, "ada", {"missing.face": text} if text else {}, generator="xy"[k % 2])
        for k, text in enumerate(texts)
    ]
    found = rows_of(comparison(framed(*answers)), "distribution")
    low, high = found[0]["from"], found[0]["to"]
    assert (low, high in (0.5, 1.0)) == (0.0, True)
    edges = [row["from"] for row in found] + [found[-1]["to"]]
    assert edges == [k * high for k in range(len(found) + 1)]
    scores = np.array([0.0, 0.1, 0.2, 0.3, 0.3, 0.7, 1.0, 0.9])
    assert [row["images"] for row in found] == np.histogram(scores, bins=edges)[0].tolist()
    assert [row["images"] for row in found] == [row["generator x"] + row["generator y"] for row in found]


def test_attributes_divide_the_images_that_have_them() -> None:
    attributes = {
        "sampler": {0: "x", 2: "x", 4: "y", 1: "y", 3: "y", 99: "z"},
        "lens": {},
        "camera": dict.fromkeys(range(7), "phone"),
    }
    result = of_values(stars(ANSWERS), attributes=attributes)
    x, y = rows_of(result, "slices")
    names = ("attribute_value", "generators", "annotations", "images")
    assert [tuple(row[name] for name in names) for row in (x, y)] == [("x", 1, 3, 2), ("y", 2, 3, 3)]
    # Images 0 and 2 have 3 and 1; 4, 1 and 3 have 2, 5 and 4.
    assert [row["mean"]["value"] for row in (x, y)] == [2.0, pytest.approx(11 / 3)]
    assert [row["mean"]["n_coders"] for row in (x, y)] == [2, 2]
    low, high = stats.t.interval(0.95, 2, 11 / 3, stats.sem([2, 5, 4]))
    assert low < 1 < 5 < high
    assert [y["mean"][key] for key in ("low", "high", "refused")] == [None, None, TOO_WIDE]
    (words,) = (table["words"] for table in result["tables"] if table["name"] == "slices")
    assert words.endswith("camera has one value and is left out. sampler: 3 images have no value.")
