"""Numbers of the published study that documents print are those of the reports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from analysis.management.commands.reproduce import FITS, NO, YES, Value, printed_numbers
from analysis.stats.generic.tables import Json, rows_of

Found = dict[str, Value]
ROOT = Path(__file__).parents[3]


def text_of(name: str) -> str:
    """A document on one line, as the eye reads it."""
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def shown(value: float | str | None, places: int = 2) -> str:
    assert isinstance(value, float)
    return f"{value:.{places}f}".replace("-", "−")


def of_pair(rows: list[dict[str, Any]], a: str, b: str) -> dict[str, Any]:
    return next(row for row in rows if (row["a"], row["b"]) == (a, b))


def test_the_readme(reproduced: Found, study_agreement: Json, study_comparison: Json) -> None:
    text = text_of("README.md")
    rows = {row["variable"]: row for row in rows_of(study_agreement, "agreement")}

    def pooled(name: str) -> str:
        return shown(rows[name]["pooled"]["value"])

    def means_of(kind: str) -> str:
        first, *others = (
            shown(reproduced[f"{kind}.{name}"]) for name in ("dall-e3", "stablecascade", "sdxl")
        )
        return f"{first}, {others[0]} and {others[1]}"

    def tests_of(kind: str, named: str = "") -> str:
        sdxl, stable_cascade = (
            shown(reproduced[f"{kind}.dall-e3.{name}"]) for name in ("sdxl", "stablecascade")
        )
        return f"{sdxl}{named} and {stable_cascade}"

    def verdict_of(other: str) -> str:
        return shown(of_pair(rows_of(study_comparison, "differences"), "dall-e3", other)["p_holm"], 3)

    for phrase in (
        f"{pooled('Cumulative score')} (cumulative score), {pooled('Overall severity')} (overall severity) "
        f"and {pooled('Cells')} (cells)",
        f"{shown(reproduced['alpha.cumulative_score'])}, {shown(reproduced['alpha.overall_severity'])} and "
        f"{shown(reproduced['alpha.cells'])}, are under",
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
        assert shown(rows[title]["mean_of_pairs"]) == shown(reproduced[f"alpha.{name}"])


def test_the_count_over_the_list(reproduced: Found) -> None:
    outcomes = [line["outcome"] for line in printed_numbers(reproduced)]
    yes, fits, no = (outcomes.count(outcome) for outcome in (YES, FITS, NO))
    assert (
        f"of {yes + fits + no} numbers and statements, {yes} follow from the published data, {fits} agree "
        f"with another value (names swapped, sums counted twice, a digit cut off) and {no} do not follow"
    ) in text_of("README.md")


def test_statistics_of_agreement(reproduced: Found, study_agreement: Json) -> None:
    text = text_of("docs/reference/statistics.md")
    pooled = {row["variable"]: row["pooled"]["value"] for row in rows_of(study_agreement, "agreement")}
    names = ("Cells: positive agreement", "Cells: AC1", "Cells")
    three = [shown(pooled[name], 3) for name in names]
    severities = [shown(reproduced[f"alpha.{name}"]) for name in ("severity_all_images", "overall_severity")]
    for phrase in (
        " against ".join(severities),
        "positive agreement is {} and AC1 {} beside alpha {}".format(*three),
    ):
        assert phrase in text


def test_statistics_of_comparison(study_comparison: Json) -> None:
    text = text_of("docs/reference/statistics.md")
    pairs = rows_of(study_comparison, "differences")
    sdxl, cascade = (of_pair(pairs, "dall-e3", other) for other in ("sdxl", "stablecascade"))
    parts = {
        row["component"]: row["standard_deviation"]["value"] for row in rows_of(study_comparison, "variation")
    }
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
