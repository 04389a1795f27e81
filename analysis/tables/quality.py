"""The lines of a quality report in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from analysis.tables.listed import rows_of
from analysis.tables.table import rounded
from analysis.tables.wording import counted, with_interval
from scoring.rounding import percent

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
    higher = sum(one["score"] > one["reference"] for one in last)
    lower = sum(one["score"] < one["reference"] for one in last)
    if not (higher or lower):
        return ""
    if len(last) in (higher, lower) and len(last) > 1:
        return f"Every one is {'higher' if higher else 'lower'}."
    said = [f"{count} {word}" for count, word in ((higher, "higher"), (lower, "lower")) if count]
    return f"{' and '.join(said)} of {len(last)}."


def seconds(milliseconds: float) -> str:
    """Return a duration as it is shown: `3.1 s`, from ten seconds on without a decimal."""
    value = milliseconds / 1000
    return f"{value:.1f} s" if value < 9.95 else f"{value:.0f} s"


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
    found = line["repeats"]
    alpha, pairs = with_interval(found["alpha"]), counted(found["pairs"], "repeat")
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


def quality_line(section: str, result: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the result of a section in a line, and how much is behind it; None without such a section."""
    rows, lines = rows_of(result, section), result["lines"]
    if section == "anchors" and rows:
        size = sum(row["anchors"] for row in rows)
        away = [line["annotator"] for line in lines if "away" in line["reasons"]]
        if not size:
            return "No anchors yet", ""
        named = f"Lately away from the references: {', '.join(away)}" if away else "Nobody is lately away"
        return named, counted(size, "anchor")
    if section == "repeats" and rows:
        known = sorted(row["alpha"]["value"] for row in rows if row["alpha"]["value"] is not None)
        size = counted(sum(row["pairs"] for row in rows), "repeat")
        if not known:
            none = not any(row["pairs"] for row in rows)
            return ("No repeats yet", "") if none else ("Too few repeats for alpha", size)
        ends = dict.fromkeys(rounded(each, PLACES) for each in (known[0], known[-1]))
        return f"Alpha of annotators with themselves {' to '.join(ends)}", size
    if section in ("speed", "speed_and_severities") and rows:
        size = counted(len(rows), "annotator")
        timed = sorted((row["median"], row["annotator"]) for row in rows if row["median"] is not None)
        if not timed:
            return "No times are known", size
        (low, fast), (high, slow) = ((seconds(1000 * median), who) for median, who in (timed[0], timed[-1]))
        return f"Median time per image from {low} ({fast}) to {high} ({slow})", size
    return None


def quality_methods(result: Mapping[str, Any]) -> str:
    """Return the methods paragraph of a quality report."""
    told, protocol = result["settings"], result["protocol"]
    what = protocol["headline"].lower()
    return (
        f"Images were annotated under the protocol “{protocol['title']}”. Anchors, images with a reference "
        f"among the work, were compared by the {what} minus that of the reference; the mean of the last "
        f"{told['recent']} was tested against 0 by Student's t-test at the level {told['level']}. Agreement "
        "of annotators with themselves is Krippendorff's alpha of repeated images, with 95% intervals from "
        "resampling images. Time and severities were measured over each annotator's last "
        f"{told['sample']} annotations."
    )
