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
    return [_REASONS[code](line, result["settings"]) for code in line["reasons"]]


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


def _fast(line: Line, _: Mapping[str, Any]) -> str:
    return f"{seconds(line['median_ms'])} per image"


def _away(line: Line, settings: Mapping[str, Any]) -> str:
    lately = line["references"]["lately"]
    word = "higher" if lately["value"] > 0 else "lower"
    count = min(line["references"]["anchors"], settings["recent"])
    return f"Lately {word} than the references: {signed(lately['value'])} over {count} anchors"


def _equal(_: Line, settings: Mapping[str, Any]) -> str:
    return f"The last {settings['equal']} annotations are all equal"


def _unstable(line: Line, _: Mapping[str, Any]) -> str:
    repeats = line["repeats"]
    alpha, pairs = with_interval(repeats["alpha"]), counted(repeats["pairs"], "repeat")
    return f"Judges images differently the second time: alpha {alpha}, {pairs}"


def _hasty(line: Line, settings: Mapping[str, Any]) -> str:
    return f"{percent(line['fast_share'])}% of the images in under {settings['fast_ms'] / 1000:g} s"


def _unused(line: Line, settings: Mapping[str, Any]) -> str:
    return f"Never uses {' or '.join(settings['severities'][place] for place in line['unused'])}"


_REASONS: Final = {
    "fast": _fast,
    "away": _away,
    "unstable": _unstable,
    "hasty": _hasty,
    "equal": _equal,
    "unused": _unused,
}
