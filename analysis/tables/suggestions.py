"""What the report on suggestions finds and how it was made, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.tables.methods import computed_with
from analysis.tables.wording import PLACES, Finding, counted, listed, p_value, rounded, with_interval
from scoring.rounding import percent

Row = Mapping[str, Any]
EFFECT_UNKNOWN: Final = "Every annotator saw every suggestion, so their effect is unknown."
_ARMS: Final = ("with", "without")


def _effect(question: str, more: str, less: str) -> Callable[[Row, Row], Finding]:
    """Return what says whether a share differs between the arms; `more` and `less` if it clearly does."""

    def say(row: Row, _: Row) -> Finding:
        gap, of = row["difference"], f"“{row['run']}”"
        if gap["value"] is None:
            return Finding("refused", f"{question} is not known ({of}): {gap['refused']}.")
        shares = " and ".join(f"{percent(row[arm])}% of {row[f'n_{arm}']:,} {arm} it" for arm in _ARMS)
        test = "" if row["p"] is None else f", {p_value(row['p'])} by Fisher’s exact test"
        why = f", no interval: {gap['refused']}" if gap["low"] is None else test
        told = f"{of}: {shares}, a difference of {with_interval(gap)}{why}."
        if gap["low"] is None or gap["low"] <= 0 <= gap["high"]:
            return Finding("open", f"{question} is not clear. {told}")
        return Finding("clear", f"{less if gap['value'] < 0 else more}. {told}")

    return say


def _run_withdrawn(row: Row, _: Row) -> Finding:
    shown = counted(row["shown"], "annotation")
    return Finding(
        "note", f"“{row['run']}” was withdrawn: shown in {shown}, counted in no quality or effect."
    )


def _right(row: Row, _: Row) -> Finding:
    equal = f"{percent(row['equal'])}%"
    base = f"{row['adjudicated']:,} of them adjudicated" if row["adjudicated"] else "none of them adjudicated"
    told = f"“{row['run']}” is right in {equal} of {counted(row['numbers'], 'item')} ({base})"
    if row["error"] is None:
        return Finding("note", f"{told}.")
    within, error = f"{percent(row['within'])}%", rounded(row["error"], PLACES)
    return Finding("note", f"{told}, within 1 in {within}; its mean error is {error}.")


SENTENCES: Final[Mapping[str, Callable[[Row, Row], Finding]]] = {
    "adopted": _effect(
        "Whether annotators take over wrong suggestions",
        "Annotators take over wrong suggestions",
        "Annotators enter wrong suggestions less often when they see them",
    ),
    "omitted": _effect(
        "Whether annotators miss what suggestions lack",
        "Annotators find more of what suggestions lack when they see them",
        "Annotators miss what suggestions lack",
    ),
    "effect_unknown": lambda row, _: Finding("refused", f"{EFFECT_UNKNOWN} The run is “{row['run']}”."),
    "run_withdrawn": _run_withdrawn,
    "right": _right,
}


def suggestions_methods(result: Row) -> str:
    """Return the methods paragraph of a report on suggestions."""
    settings = result["settings"]
    made = f"{counted(settings['annotations'], 'annotation')} of {counted(settings['images'], 'image')}"
    drawn = f"{settings['replicates']:,} replicates, seed {settings['seed']}"
    return (
        f"{made} were made with or without suggestions of {listed(result['suggestions'])}. A suggestion is "
        "taken over if the annotation equals it, a mask from an overlap of 0.9, in both arms, because "
        "annotations made without it can equal it by chance; it is wrong if the adjudicated value is "
        "another, a mask if the checks keep none there. Differences of two shares have the interval of "
        "Newcombe (1998) and Fisher’s exact test where an image gives one number; others from "
        f"resampling images within annotators ({drawn}). With fewer than 20 in an arm there is none. "
        f"{computed_with(result)}"
    )
