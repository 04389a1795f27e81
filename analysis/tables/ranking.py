"""Sentences and methods of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.tables.comparison.finding import LEVEL, Finding
from analysis.tables.wording import counted, p_value, reason, with_interval

Result = Mapping[str, Any]
Row = Mapping[str, Any]


def _design(row: Row, _: Result) -> Finding:
    return Finding("note", row["note"])


def _apart(row: Row, result: Result) -> Finding:
    gap, higher = row["difference"], result["ranking"]["higher_is_better"]
    if row["p_holm"] is None:
        return Finding("refused", f"{row['a']} and {row['b']}: not compared: {reason(gap['refused'])}.")
    prompts, p = counted(row["prompts_shared"], "common prompt"), f"Holm-corrected {p_value(row['p_holm'])}"
    if row["p_holm"] >= LEVEL:
        told = f"difference {with_interval(gap)} over {prompts}, {p}"
        return Finding("open", f"{row['a']} and {row['b']} are not ranked apart: {told}.")
    better, worse = (row["a"], row["b"]) if (gap["value"] > 0) == higher else (row["b"], row["a"])
    away = (
        gap
        if better == row["a"]
        else {**gap, "value": -gap["value"], "low": -gap["high"], "high": -gap["low"]}
    )
    text = f"{better} is ranked above {worse}: difference {with_interval(away)} over {prompts}, {p}."
    return Finding("clear", text)


RANKING: Final[Mapping[str, Callable[[Row, Result], Finding]]] = {"design": _design, "apart": _apart}


def ranking_methods(result: Result) -> str:
    """Return the methods paragraph of a ranking."""
    about = result["ranking"]
    title, better = about["title"], "higher" if about["higher_is_better"] else "lower"
    if about["exact"]:
        drawn = f"all {about['drawn']:,} resamples of the prompts"
    else:
        drawn = f"{about['drawn']:,} seeded resamples of the prompts"
    ranks = f" Rank intervals hold the middle 95% of ranks over {drawn}." if about["drawn"] else ""
    return (
        f"Generators were ranked by “{title}”, of which {better} values are better. The unit is the prompt: "
        "a generator's images of a prompt were averaged, then its prompts with equal weight; intervals are "
        "Student's over prompts. Differences are paired over the prompts that both generators have, with "
        f"Holm's correction.{ranks}"
    )
