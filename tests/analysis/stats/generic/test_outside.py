"""Outside metrics beside people: against scipy within prompts, and what is too little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from analysis.stats.building import RatedAnnotation
from analysis.stats.frames import Floats
from analysis.stats.generic.outside import FEWEST, OutsideMetric, outside_tables
from analysis.stats.generic.tables import rows_of
from analysis.stats.generic.values import ValuesFrame, build_values
from tests.protocols.stars.rules import STARS

PROMPTS = 12
EACH = 5

Made = tuple[ValuesFrame, Floats]


def frame(prompts: int = PROMPTS, each: int = EACH) -> Made:
    """One annotation of every image, of two generators in turn; and the scores."""
    scores = np.random.default_rng(5).integers(1, 6, prompts * each)
    rows = []
    for place, stars in enumerate(scores.tolist()):
        prompt, rated = f"p{place // each:02}", [["stars", "", str(stars)]]
        rows.append(RatedAnnotation(place, "A", "ab"[place % 2], prompt, "one", "batch", rated, 0, place))
    return build_values(rows, STARS), scores.astype(float)


def row(values: Floats, made: Made, *, higher: bool = True) -> dict[str, Any]:
    (found,) = rows_of({"tables": both(values, made, higher=higher)}, "outside")
    return found


def both(values: Floats, made: Made, *, higher: bool) -> list[dict[str, Any]]:
    metric = OutsideMetric("clip", dict(enumerate(values.tolist())))
    return outside_tables(made[0], np.arange(len(made[1])), made[1], [metric], higher_is_better=higher)


def test_images_are_related_within_prompts() -> None:
    made = frame()
    noise = np.random.default_rng(6).normal(0, 1, len(made[1]))
    # What a whole prompt adds to the metric says nothing of its images.
    values = made[1] + noise + 100 * (np.arange(len(made[1])) // EACH % 3)
    found = row(values, made)
    ranks = [
        [stats.rankdata(part[start : start + EACH]) - (EACH + 1) / 2 for start in range(0, len(values), EACH)]
        for part in (made[1], values)
    ]
    expected = np.corrcoef(np.concatenate(ranks[0]), np.concatenate(ranks[1]))[0, 1]
    assert found["correlation"]["value"] == pytest.approx(expected, abs=1e-12)
    assert found["correlation"]["low"] < expected < found["correlation"]["high"] <= 1
    assert (found["images"], found["prompts"], found["correlation"]["n_units"]) == (60, 12, 12)
    if_lower = row(values, made, higher=False)
    assert if_lower["correlation"]["value"] == pytest.approx(-expected, abs=1e-12)
    assert abs(stats.spearmanr(made[1], values).statistic) < expected / 2


def test_pairs_of_a_prompt_that_people_order() -> None:
    made = frame()
    values = np.round(made[1] + np.random.default_rng(7).normal(0, 1, len(made[1])))
    alike = ordered = 0
    for start in range(0, len(values), EACH):
        for i in range(start, start + EACH):
            for j in range(i + 1, start + EACH):
                gap = made[1][i] - made[1][j]
                ordered += gap != 0
                alike += gap * (values[i] - values[j]) > 0
    found = row(values, made)["alike"]
    assert found["value"] == pytest.approx(alike / ordered)
    assert found["low"] < found["value"] < found["high"]


def test_ties_are_predicted_by_a_threshold_chosen_on_the_other_prompts() -> None:
    made = frame()
    values = made[1] + np.random.default_rng(8).normal(0, 0.4, len(made[1]))
    pairs = [
        (start, np.sign(made[1][i] - made[1][j]), values[i] - values[j])
        for start in range(0, len(values), EACH)
        for i in range(start, start + EACH)
        for j in range(i + 1, start + EACH)
    ]
    thresholds = [0.0, *np.quantile([abs(gap) for *_, gap in pairs], np.linspace(0, 1, 21))]

    def right(rule: tuple[int, float], *, start: int, within: bool) -> int:
        way, threshold = rule
        kept = [(order, gap) for at, order, gap in pairs if (at == start) is within]
        return sum(order == (way * np.sign(gap) if abs(gap) > threshold else 0) for order, gap in kept)

    predicted = 0
    for start in range(0, len(values), EACH):
        rules = [(way, threshold) for way in (1, -1) for threshold in thresholds]
        best = max(rules, key=lambda rule: right(rule, start=start, within=False))
        predicted += right(best, start=start, within=True)
    found = row(values, made)
    assert found["predicted"] == pytest.approx(predicted / len(pairs))
    assert found["always_tie"] == pytest.approx(sum(order == 0 for _, order, _ in pairs) / len(pairs))
    assert found["predicted"] > found["always_tie"] > 0
    assert row(-values, made)["predicted"] == found["predicted"]
    few = frame(prompts=FEWEST - 1)
    assert (row(few[1], few)["predicted"], row(few[1], few)["always_tie"]) == (None, None)


def test_too_few_prompts_and_equal_values_are_refused_with_the_reason() -> None:
    made = frame(prompts=FEWEST - 1)
    found = row(made[1], made)
    assert found["correlation"]["refused"] == "fewer than 8 prompts with several images"
    alone = frame(prompts=20, each=1)
    assert row(alone[1], alone)["prompts"] == 0
    same = row(np.ones(PROMPTS * EACH), frame())
    assert (same["correlation"]["value"], same["correlation"]["refused"]) == (None, "all values are equal")
    assert same["alike"]["value"] == 0
