"""What suggestions do: the worked numbers, refusals, and intervals in simulated studies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.stats.generic.tables import rows_of
from analysis.stats.suggestions import (
    ANNOTATION,
    ITEM,
    ITEMS,
    LACKING,
    RESAMPLED,
    WRONG,
    Answers,
    newcombe,
    suggestions_tables,
)

HANDS = ITEMS.index("Hands")


def answers(*rows: tuple[str, int, bool, float, float, float], of_items: Any = None, **about: Any) -> Answers:
    """Rows of annotator, image, arm, and the hands suggested, annotated and adjudicated.

    `of_items` are, by place, further items: number, suggested, annotated and adjudicated.
    """
    n = len(rows)
    how = {"drawn": [True] * n, "active_ms": [30_000.0] * n, "marks": [0] * n, **about}
    annotations = [
        (*row[:3], drawn, 4000.0 if row[2] else np.nan, *timed)
        for row, drawn, *timed in zip(rows, how["drawn"], how["active_ms"], how["marks"], strict=True)
    ]
    items = [(at, HANDS, *hands, not np.isnan(hands[1])) for at, (_, _, _, *hands) in enumerate(rows)]
    items += [(at, *each, True) for at, each in of_items or ()]
    made = pd.DataFrame(annotations, columns=ANNOTATION), pd.DataFrame(items, columns=ITEM)
    return Answers("counter 1", True, how.get("is_withdrawn", False), *made)


def worked(hits: int, n: int, others: int, of: int, **about: Any) -> Answers:
    """Images with the wrong suggestion 6 of 4 hands, annotated once each; so many annotations have 6."""
    arms = [(True, place < hits) for place in range(n)] + [(False, place < others) for place in range(of)]
    rows = [
        ("AB"[image % 2], image, arm, 6.0, 6.0 if taken else 4.0, 4.0)
        for image, (arm, taken) in enumerate(arms)
    ]
    return answers(*rows, **about)


def effect_of(run: Answers, measure: str) -> dict[str, Any]:
    return next(row for row in rows_of(suggestions_tables([run]), "effect") if row["measure"] == measure)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((56, 70, 48, 80), (0.2, 0.0524, 0.3339)),
        ((9, 10, 3, 10), (0.6, 0.1705, 0.8090)),
        ((6, 7, 2, 7), (0.5714, 0.0582, 0.8062)),
        ((5, 56, 0, 29), (0.0893, -0.0381, 0.1926)),
        ((0, 10, 0, 10), (0.0, -0.2775, 0.2775)),
    ],
)
def test_the_interval_is_the_one_that_newcombe_printed(
    counts: tuple[int, int, int, int], expected: tuple[float, float, float]
) -> None:
    """Method 10 of table II of Newcombe (1998)."""
    found = newcombe(*counts)
    assert (found["value"], found["low"], found["high"]) == pytest.approx(expected, abs=5e-5)


def test_wrong_suggestions_taken_over_as_worked_in_the_design() -> None:
    row = effect_of(worked(9, 30, 2, 30), WRONG)
    gap = row["difference"]
    assert (row["with"], row["without"], row["n_with"], row["n_without"]) == (0.3, 2 / 30, 30, 30)
    assert [round(gap[end], 3) for end in ("value", "low", "high")] == [0.233, 0.035, 0.418]
    assert round(row["p"], 3) == 0.042


def test_fewer_than_twenty_in_an_arm_are_refused() -> None:
    row = effect_of(worked(3, 10, 1, 10), WRONG)
    assert row["difference"]["refused"] == "too few: 10 of 20 wrong suggestions without"
    assert (row["difference"]["value"], row["p"], row["with"]) == (None, None, 0.3)
    assert effect_of(worked(3, 19, 1, 30), WRONG)["difference"]["refused"].endswith(
        "19 of 20 wrong suggestions with"
    )


def test_right_suggestions_are_neither_wrong_nor_lacking() -> None:
    run = answers(*(("A", image, image < 30, 4.0, 4.0, 4.0) for image in range(60)))
    for measure in (WRONG, LACKING):
        assert effect_of(run, measure)["n_with"] == 0
    assert effect_of(run, "Equal to the decided value")["with"] == 1.0


def test_what_a_suggestion_lacks_counts_also_where_it_says_nothing() -> None:
    rows = [("A", image, image < 30, np.nan, 4.0 if image % 3 else 3.0, 4.0) for image in range(60)]
    row = effect_of(answers(*rows), LACKING)
    assert (row["n_with"], row["n_without"], row["with"], row["without"]) == (30, 30, 20 / 30, 20 / 30)
    assert effect_of(answers(*rows), WRONG)["n_with"] == 0


def test_images_with_several_numbers_are_resampled_without_p() -> None:
    rows = [
        (code, image, code == "A", 6.0, 6.0 if image % 3 else 4.0, 4.0)
        for image in range(40)
        for code in "AB"
    ]
    row = effect_of(answers(*rows), WRONG)
    assert row["p"] is None
    assert row["difference"]["method"] == RESAMPLED


def test_of_a_withdrawn_run_only_the_use_counts() -> None:
    found = suggestions_tables([worked(9, 30, 2, 30, is_withdrawn=True)])
    assert [table["name"] for table in found["tables"]] == ["use"]
    assert [each["code"] for each in found["findings"]] == ["run_withdrawn"]
    assert rows_of(found, "use")[0]["shown"] == 30


def test_use_by_annotator() -> None:
    rows = [
        ("A", 1, True, 6.0, 6.0, np.nan),
        ("A", 2, True, 6.0, 5.0, np.nan),
        ("B", 3, True, 6.0, np.nan, np.nan),
        ("B", 4, False, 6.0, 6.0, np.nan),
    ]
    found = rows_of(suggestions_tables([answers(*rows)]), "use")
    told = [
        [row[name] for name in ("annotator", "shown", "items", "taken", "changed", "ignored")]
        for row in found
    ]
    assert told == [["All annotators", 3, 3, 1, 1, 1], ["A", 2, 2, 1, 1, 0], ["B", 1, 1, 0, 0, 1]]
    assert [row["seconds"] for row in found] == [4.0, 4.0, 4.0]


def test_quality_is_against_adjudicated_values_else_annotations_without() -> None:
    rows = [
        ("A", 1, True, 6.0, 6.0, 4.0),
        ("B", 1, False, 6.0, 6.0, 4.0),
        ("A", 2, False, 6.0, 6.0, np.nan),
        ("B", 2, False, 6.0, 5.0, np.nan),
        ("A", 3, True, 6.0, 6.0, np.nan),
    ]
    found = rows_of(suggestions_tables([answers(*rows)]), "quality")
    assert [row["over"] for row in found] == ["All parts", "Hands"]
    row = found[0]
    assert (row["numbers"], row["adjudicated"]) == (2, 1)
    assert (row["equal"], row["within"], row["error"]) == (0.25, 0.5, 1.25)


def test_quality_by_people_as_annotators_without_count_them() -> None:
    people = [(image, (0, 1 + image % 6, 1 + image % 6, np.nan)) for image in range(60)]
    run = worked(9, 30, 2, 30, of_items=people)
    found = rows_of(suggestions_tables([run]), "quality")
    by_people = {row["over"]: row["numbers"] for row in found if row["over"].startswith("Number")}
    assert by_people == {
        "Number of people: 1": 5,
        "Number of people: 2": 5,
        "Number of people: 3–4": 10,
        "Number of people: 5+": 10,
    }


def test_times_and_marks_are_resampled_within_annotators() -> None:
    seen, place = np.arange(60) < 30, np.arange(60)
    active_ms = np.where(seen, 20_000, 30_000) + 100 * (place % 7)
    run = worked(9, 30, 2, 30, active_ms=active_ms, marks=np.where(seen, 1, 2) + place % 2)
    time, marks = (
        effect_of(run, name)["difference"] for name in ("Median active time (s)", "Defects marked")
    )
    assert (time["value"], marks["value"]) == (pytest.approx(-10.0), pytest.approx(-1.0))
    assert -10.5 < time["low"] < -10 < time["high"] < -9.5
    assert -1.3 < marks["low"] < -1 < marks["high"] < -0.7


def simulated(seed: int, images: int = 120) -> dict[str, Any]:
    """A study with three wrong numbers in every image, taken over in 27% with the suggestion, 7% without."""
    rng = np.random.default_rng(seed)
    seen = np.arange(images) % 2 == 0
    # Whoever takes over one number of an image takes over others more often.
    lean = rng.beta(4, 4, images) * 2
    items = []
    for place in (1, 2, 3):
        taken = rng.random(images) < np.where(seen, 0.27, 0.07) * lean
        items += [
            (image, (place, 6.0, 6.0 if is_taken else 4.0, 4.0)) for image, is_taken in enumerate(taken)
        ]
    rows = [
        ("AB"[image // 2 % 2], image, bool(arm), np.nan, np.nan, np.nan) for image, arm in enumerate(seen)
    ]
    run = answers(*rows, of_items=items)
    return effect_of(run, WRONG)


@pytest.mark.thorough
def test_the_resampled_interval_covers_a_true_difference_of_a_fifth(monkeypatch: pytest.MonkeyPatch) -> None:
    # A quarter of the resamples is enough to see the coverage.
    monkeypatch.setattr("analysis.stats.suggestions.REPLICATES", 500)
    gaps = [simulated(seed)["difference"] for seed in range(1000)]
    assert np.mean([gap["low"] <= 0.20 <= gap["high"] for gap in gaps]) >= 0.93
