"""The lines of a quality report in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.tables.wording import counted, rounded, with_interval
from scoring.rounding import percent, seconds

Line = Mapping[str, Any]

PLACES: Final = 2
VERDICTS: Final = {"stop": "Check", "look": "Look", "fine": "Fine", "few": "Too few"}
RULES: Final = {
    "stop": "The median time is too short.",
    "look": "Lately away from the references, inconsistent repeats, often too fast, all annotations equal, a "
    "severity never used, or inactive.",
    "fine": "No problems found.",
    "few": "Too few annotations, anchors and repeats to tell.",
}
"""What each verdict rests on."""


def title_of(lines: Sequence[Line]) -> str:
    """Return the verdicts in one sentence: `1 annotator to check, 2 to look at, 1 fine`."""
    counts = {verdict: sum(line["verdict"] == verdict for line in lines) for verdict in VERDICTS}
    words = {"stop": "to check", "look": "to look at", "fine": "fine", "few": "with too few annotations"}
    first, *rest = [verdict for verdict in VERDICTS if counts[verdict]] or ["fine"]
    said = [f"{counted(counts[first], 'annotator')} {words[first]}"]
    return ", ".join([*said, *(f"{counts[verdict]} {words[verdict]}" for verdict in rest)])


def needed_for_verdict(settings: Mapping[str, Any]) -> str:
    """Return what an annotator needs for a verdict, by the settings of a report."""
    return (
        f"A verdict needs {settings['equal']} annotations, or {settings['timed']} with a known time, or "
        f"{settings['fewest_anchors']} anchors, or {settings['repeat_pairs']} repeats."
    )


def reasons_of(line: Line, result: Mapping[str, Any]) -> list[str]:
    """Return why an annotator has their verdict, a phrase for each reason, the worst first."""
    return [_reason(code, line, result["settings"]) for code in line["reasons"]]


def leaning_of(last: Sequence[Mapping[str, Any]]) -> str:
    """Return on which side of their references the last anchors lie; empty if all are equal to them."""
    higher = sum(anchor["score"] > anchor["reference"] for anchor in last)
    lower = sum(anchor["score"] < anchor["reference"] for anchor in last)
    if not (higher or lower):
        return ""
    if len(last) in (higher, lower) and len(last) > 1:
        return f"Every one is {'higher' if higher else 'lower'}."
    said = [f"{count} {word}" for count, word in ((higher, "higher"), (lower, "lower")) if count]
    return f"{' and '.join(said)} of {len(last)}."


def signed(value: float) -> str:
    """Return a difference with its sign, `+0.23` or `−0.10`."""
    text = rounded(value, PLACES)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def _reason(code: str, line: Line, settings: Mapping[str, Any]) -> str:
    match code:
        case "fast":
            return f"{seconds(line['median_ms'])} per image"
        case "away":
            lately, anchors = line["references"]["lately"]["value"], line["references"]["anchors"]
            count = min(anchors, settings["recent"])
            word = "higher" if lately > 0 else "lower"
            return f"Lately {word} than the references: {signed(lately)} over {count} anchors"
        case "equal":
            return f"The last {settings['equal']} annotations are all equal"
        case "unstable":
            alpha, pairs = line["repeats"]["alpha"], counted(line["repeats"]["pairs"], "repeat")
            return f"Judges images differently the second time: alpha {with_interval(alpha)}, {pairs}"
        case "hasty":
            return f"{percent(line['fast_share'])}% of the images in under {settings['fast_ms'] / 1000:g} s"
        case _:
            return f"Never uses {' or '.join(settings['severities'][place] for place in line['unused'])}"
