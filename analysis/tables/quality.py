"""The lines of a quality report in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from analysis.tables.listed import rows_of
from analysis.tables.table import rounded
from analysis.tables.wording import counted, with_interval
from scoring.rounding import percent

Line = Mapping[str, Any]

PLACES: Final = 2
VERDICTS: Final = {"stop": "Check", "look": "Look", "fine": "Fine", "few": "Too few"}
RULES: Final = {
    "stop": "The median time is too short, or too many annotations in a row are identical.",
    "look": "Outside the anchor limits, inconsistent repeats, often too fast, a severity never used, or "
    "inactive.",
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
        f"A verdict needs {settings['long_run']} annotations, or {settings['timed']} with a known time, or "
        f"{settings['baseline']} anchors, or {settings['repeat_pairs']} repeats."
    )


def reasons_of(line: Line, result: Mapping[str, Any]) -> list[str]:
    """Return why an annotator has their verdict, a phrase for each reason, the worst first."""
    return [_REASONS[code](line, result["settings"]) for code in line["reasons"]]


def ahead_of(result: Mapping[str, Any]) -> str:
    """Return whose annotations have a time in the future, `ada 3, bob 1`; empty without any."""
    return ", ".join(f"{one['annotator']} {one['count']:,}" for one in result.get("ahead", ()))


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


def day_of(microseconds: int) -> str:
    """Return the day of a moment, `18 Nov`, in UTC."""
    moment = datetime.fromtimestamp(microseconds / 1_000_000, UTC)
    return f"{moment.day} {moment:%b}"


def _fast(line: Line, _: Mapping[str, Any]) -> str:
    return f"{seconds(line['median_ms'])} per image"


def _flat(line: Line, _: Mapping[str, Any]) -> str:
    return f"{line['run']} equal annotations in a row"


def _drift(line: Line, _: Mapping[str, Any]) -> str:
    found = line["score"]
    word = "Higher" if found["mean_since"] > 0 else "Lower"
    return f"{word} than the references since {day_of(found['since_at'])}: {signed(found['mean_since'])}"


def _steps(line: Line, _: Mapping[str, Any]) -> str:
    found = line["step"]
    word = "More" if found["mean_since"] > 0 else "Less"
    return f"{word} severe since {day_of(found['since_at'])}: {signed(found['mean_since'])} steps"


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
    "flat": _flat,
    "drift": _drift,
    "steps": _steps,
    "unstable": _unstable,
    "hasty": _hasty,
    "unused": _unused,
}


def quality_line(section: str, result: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the result of a section in a line, and how much is behind it; None without such a section."""
    rows, lines = rows_of(result, section), result["lines"]
    if section in _CHARTS and not rows:
        return "No anchors yet", ""
    if section in _CHARTS:
        key, code = _CHARTS[section]
        charts = [line for line in lines if not line[key]["refused"]]
        out = [line["annotator"] for line in charts if code in line["reasons"]]
        if not charts:
            return "Too few anchors for limits", counted(len(rows), "anchor")
        who = f"{len(out) or 'none'} of {counted(len(charts), 'annotator')}"
        said = f"{who} beyond the limits{': ' if out else ''}{', '.join(out)}"
        return said[0].upper() + said[1:], counted(len(rows), "anchor")
    if section == "repeats" and rows:
        known = sorted(row["alpha"]["value"] for row in rows if row["alpha"]["value"] is not None)
        size = counted(sum(row["pairs"] for row in rows), "repeat")
        if not known:
            none = not any(row["pairs"] for row in rows)
            return ("No repeats yet", "") if none else ("Too few repeats for alpha", size)
        ends = dict.fromkeys(rounded(each, PLACES) for each in (known[0], known[-1]))
        return f"Alpha of annotators with themselves {' to '.join(ends)}", size
    if section == "speed_and_flatness" and rows:
        size = counted(len(rows), "annotator")
        timed = sorted((row["median"], row["annotator"]) for row in rows if row["median"] is not None)
        if not timed:
            return "No times are known", size
        (low, fast), (high, slow) = ((seconds(1000 * median), who) for median, who in (timed[0], timed[-1]))
        return f"Median time per image from {low} ({fast}) to {high} ({slow})", size
    return None


_CHARTS: Final = {"anchors": ("score", "drift"), "severity_steps": ("step", "steps")}


def quality_methods(result: Mapping[str, Any]) -> str:
    """Return the methods paragraph of a quality report."""
    told, protocol = result["settings"], result["protocol"]
    what = protocol["headline"].lower()
    return (
        f"Images were annotated under the protocol “{protocol['title']}”. Anchors, images with a reference "
        f"among the work, were followed by control charts of the {what} minus that of the reference: an "
        f"exponentially weighted moving average with λ = {told['lambda']} and limits of "
        f"{told['limit_width']} standard deviations (Roberts, 1959; Lucas and Saccucci, 1990), estimated "
        f"within annotators over their first {told['baseline']} anchors; {told['lasting']} averages in a "
        "row beyond a limit make an alarm. Agreement of annotators with themselves is Krippendorff's alpha "
        "of repeated images, with 95% intervals from resampling images. Speed and runs of equal "
        f"annotations were measured over each annotator's last {told['sample']} annotations."
    )
