"""The one-line results of an agreement report's sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from analysis.tables.agreement.findings import LOST, tied
from analysis.tables.listed import counting
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted, with_interval
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES

TITLES: Final = {**ERROR_TYPE_TITLES, **BODY_PART_TITLES}

Result = Mapping[str, Any]


def _all(result: Result) -> tuple[str, str]:
    alpha = result["pooled"]["cumulative_score"]
    size = counted(alpha["n_units"], "image")
    if alpha["value"] is None:
        return f"No alpha of the score: {alpha['refused']}", size
    bands, cells = result["pooled"]["overall_severity_all_images"], result["pooled"]["cells"]
    others = [
        f"{words} {with_interval(each)}{' (too low on average)' if each.get('caution') else ''}"
        for words, each in (("overall severity", bands), ("cells", cells))
        if each["value"] is not None
    ]
    return f"Alpha of the score {with_interval(alpha)}; {', '.join(others)}", size


_OF_CELLS: Final = (
    ("raw_agreement", "Cells are equal in"),
    ("positive_agreement", "agreement on marked cells (Dice)"),
)


def _coefficients(result: Result) -> tuple[str, str]:
    found = result["coefficients"]
    shown = [
        f"{words} {rounded(100 * found[name]['value'], 0)}%"
        for name, words in _OF_CELLS
        if found[name]["value"] is not None
    ]
    return "; ".join(shown) or "Nothing could be computed", ""


def _pairs(result: Result) -> tuple[str, str]:
    values = [pair["cumulative_score"]["value"] for pair in result["pairs"]]
    known = [value for value in values if value is not None]
    size = counted(len(values), "pair")
    if not known:
        return "No pair shares enough images", size
    low, high = _two(min(known)), _two(max(known))
    return f"Alpha of the score: {low}" if low == high else f"Alpha of the score from {low} to {high}", size


def _cells(result: Result) -> tuple[str, str]:
    parts = [_range(result["by"][key]) for key in ("error_type", "body_part")]
    said = "; ".join(filter(None, parts)) or "No cell was marked"
    return f"Alpha {said}" if any(parts) else said, "25 cells"


def _range(rows: Sequence[Result]) -> str:
    known = [row for row in rows if row["cells"]["value"] is not None]
    if len(known) < 2:
        return ""
    low, high = (pick(known, key=lambda row: row["cells"]["value"]) for pick in (min, max))
    if _two(low["cells"]["value"]) == _two(high["cells"]["value"]):
        return f"{_two(low['cells']['value'])} on all {len(known)}"
    return (
        f"highest on {tied(known, high, TITLES)} ({_two(high['cells']['value'])}), "
        f"lowest on {tied(known, low, TITLES)} ({_two(low['cells']['value'])})"
    )


def _steps(result: Result) -> tuple[str, str]:
    entry = result["ladder"]["overall"][0]
    shares = {rung: share["value"] for rung, share in entry["shares"].items()}
    if not entry["either"] or None in shares.values():
        return "No cell is marked in any doubly annotated image", ""
    before = dict(zip(shares, [1.0, *list(shares.values())[:-1]], strict=True))
    lost = max(shares, key=lambda rung: before[rung] - shares[rung])
    said = LOST[lost] if before[lost] > shares[lost] else "nothing is lost"
    return said[0].upper() + said[1:], counted(entry["either"], "marked cell")


def _images(result: Result) -> tuple[str, str]:
    rows = [row for row in result["by"]["generator"]["rows"] if row["cumulative_score"]["value"] is not None]
    if not rows:
        return "Too few doubly annotated images in each group", ""
    shown = ", ".join(f"{row['name']} {_two(row['cumulative_score']['value'])}" for row in rows[:4])
    return f"Alpha of the score: {shown}", ""


def _apart(result: Result) -> tuple[str, str]:
    rows = result["disagreements"]["rows"]
    if not rows:
        return "No image was judged differently", ""
    return f"Up to {_two(rows[0]['difference'])} between two scores of one image", counted(len(rows), "image")


def _two(value: float) -> str:
    return rounded(value, PLACES)


Maker = Callable[[Result], tuple[str, str]]
# Results stored by early versions have neither `by` nor intervals.
LINES: Final[Mapping[str, tuple[tuple[str, ...], Maker]]] = {
    "all": (("pooled", "by"), _all),
    "coefficients": (("coefficients",), _coefficients),
    "by-pair": (("pairs", "by"), _pairs),
    "cells": (("by",), _cells),
    "steps": (("ladder",), _steps),
    "images": (("by",), _images),
    "apart": (("disagreements",), _apart),
    "counted": (("answers",), counting),
}
