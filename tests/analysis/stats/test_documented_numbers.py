"""Numbers of the published study that documents print are those of the reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from analysis.management.commands.reproduce import FITS, NO, YES, Value, printed_numbers, values
from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.generic.making import rows_of

ROOT = Path(__file__).parents[3]


def text_of(name: str) -> str:
    """A document on one line, as the eye reads it."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def shown(value: float | str | None, places: int = 2) -> str:
    assert isinstance(value, float)
    return f"{value:.{places}f}".replace("-", "−")


@pytest.fixture(scope="module")
def compared(study_frame: RatingsFrame) -> dict[str, Any]:
    return comparison(study_frame)


@pytest.fixture(scope="module")
def agreed(study_frame: RatingsFrame) -> dict[str, Any]:
    return dict(agreement(study_frame))


@pytest.fixture(scope="module")
def found(study_tables: tuple[pd.DataFrame, pd.DataFrame]) -> dict[str, Value]:
    return values(*study_tables)


def of_pair(rows: list[dict[str, Any]], a: str, b: str) -> dict[str, Any]:
    return next(row for row in rows if (row["a"], row["b"]) == (a, b))


def test_the_readme(found: dict[str, Value], agreed: dict[str, Any], compared: dict[str, Any]) -> None:
    text = text_of("README.md")
    rows = {row["variable"]: row for row in rows_of(agreed, "agreement")}

    def pooled(name: str) -> str:
        return shown(rows[name]["pooled"]["value"])

    def means_of(kind: str) -> str:
        first, *others = (shown(found[f"{kind}.{name}"]) for name in ("dall-e3", "stablecascade", "sdxl"))
        return f"{first}, {others[0]} and {others[1]}"

    def tests_of(kind: str, named: str = "") -> str:
        sdxl, stable_cascade = (shown(found[f"{kind}.dall-e3.{name}"]) for name in ("sdxl", "stablecascade"))
        return f"{sdxl}{named} and {stable_cascade}"

    def verdict_of(other: str) -> str:
        return shown(of_pair(rows_of(compared, "differences"), "dall-e3", other)["p_holm"], 3)

    for phrase in (
        f"{pooled('Cumulative score')} (cumulative score), {pooled('Overall severity')} (overall severity) "
        f"and {pooled('Cells')} (cells)",
        f"{shown(found['alpha.cumulative_score'])}, {shown(found['alpha.overall_severity'])} and "
        f"{shown(found['alpha.cells'])}, are under",
        f"the means are {means_of('mean')}",
        f"DALL-E 3 against the others is {tests_of('t', ' (SDXL)')}",
        f"lower than SDXL (p = {verdict_of('sdxl')} after Holm) and, at the limit, than Stable Cascade "
        f"(p = {verdict_of('stablecascade')})",
        f"{means_of('images.mean')}",
        f"t of {tests_of('images.t')}",
    ):
        assert phrase in " ".join(text.split())
    # What the pages show is what the second implementation finds.
    for title in ("Cumulative score", "Overall severity", "Cells"):
        name = title.lower().replace(" ", "_")
        assert shown(rows[title]["mean_of_pairs"]) == shown(found[f"alpha.{name}"])


def test_the_count_over_the_list(found: dict[str, Value]) -> None:
    outcomes = [line["outcome"] for line in printed_numbers(found)]
    yes, fits, no = (outcomes.count(outcome) for outcome in (YES, FITS, NO))
    assert (
        f"of {yes + fits + no} numbers and statements, {yes} follow from the published data, {fits} agree "
        f"with another value (names swapped, sums counted twice, a digit cut off) and {no} do not follow"
    ) in text_of("README.md")


def test_statistics_of_agreement(found: dict[str, Value], agreed: dict[str, Any]) -> None:
    text = text_of("docs/reference/statistics.md")
    pooled = {row["variable"]: row["pooled"]["value"] for row in rows_of(agreed, "agreement")}
    names = ("Cells: positive agreement", "Cells: AC1", "Cells")
    three = [shown(pooled[name], 3) for name in names]
    for phrase in (
        f"{shown(found['alpha.severity_all_images'])} against {shown(found['alpha.overall_severity'])}",
        "positive agreement is {} and AC1 {} beside alpha {}".format(*three),
    ):
        assert phrase in text


def test_statistics_of_comparison(compared: dict[str, Any]) -> None:
    text = text_of("docs/reference/statistics.md")
    pairs = rows_of(compared, "differences")
    sdxl, cascade = (of_pair(pairs, "dall-e3", other) for other in ("sdxl", "stablecascade"))
    parts = {row["component"]: row["standard_deviation"]["value"] for row in rows_of(compared, "variation")}
    for phrase in (
        f"DALL-E 3 − SDXL is {_difference(sdxl)}, p = {shown(sdxl['p'], 4)} (Holm "
        f"{shown(sdxl['p_holm'], 4)})",
        f"DALL-E 3 − Stable Cascade {_difference(cascade)}, p = {shown(cascade['p'], 4)} (Holm "
        f"{shown(cascade['p_holm'], 4)}, at the limit)",
        f"{shown(parts['prompt'])} of prompts, {shown(parts['annotator'])} of annotators, "
        f"{shown(parts['generator and prompt'])} of generators by prompts, "
        f"{shown(parts['annotator and prompt'])} of annotators by prompts, "
        f"{shown(parts['annotator and generator'])} of annotators by generators, "
        f"{shown(parts['image'])} of images and {shown(parts['residual'])} of the residual",
    ):
        assert phrase in text


def _difference(test: dict[str, Any]) -> str:
    value, low, high = (shown(test["difference"][key]).replace("-", "−") for key in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"
