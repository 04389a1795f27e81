"""What an agreement report says, in sentences; what cannot be said is said too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from analysis.tables.agreement.agreement import ENOUGH, SHORT
from analysis.tables.comparison.findings import Finding
from analysis.tables.table import rounded
from analysis.tables.wording import with_interval
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES

# Krippendorff's customary bounds.
TENTATIVE: Final = 0.667
RELIABLE: Final = 0.8
WIDTH: Final = 0.10
PLACES: Final = 2
LOST: Final = {
    "both": "most of it is lost at the first step, whether both see an error in the cell at all",
    "same_affected": "most of it is lost where they count the affected parts",
    "same_total": "most of it is lost where they say out of how many",
    "same_severity": "most of it is lost where they choose the severity",
}

Result = Mapping[str, Any]


def agreement_findings(result: Result) -> list[Finding]:
    """The sentences of an agreement report; none for a result stored before there were intervals."""
    if "by" not in result:
        return []
    return [
        *_pooled(result["pooled"]["cumulative_score"]),
        *_adjusted(result["pooled"]),
        *_others(result["pooled"]),
        *_ladder(result["ladder"]["overall"][0]),
        *_planner(result["planner"]),
        *_pairs(result),
        *_pieces(result["by"]["error_type"], ERROR_TYPE_TITLES, "error types"),
        *_pieces(result["by"]["body_part"], BODY_PART_TITLES, "body parts"),
    ]


def _pooled(alpha: Result) -> Iterator[Finding]:
    if alpha["value"] is None:
        yield Finding("refused", f"No agreement on the score can be stated: {alpha['refused']}.")
        return
    short = f" {SHORT}" if alpha["n_units"] < ENOUGH else ""
    where = f"over {alpha['n_units']:,} images and {alpha['n_coders']} annotators"
    numbers = f"Krippendorff's alpha of the cumulative score is {with_interval(alpha)}, {where}"
    if alpha["low"] is None:
        yield Finding("refused", f"{numbers}. It has no interval: {alpha['refused']}.")
    else:
        kind, words = _verdict(alpha)
        yield Finding(kind, f"{numbers}{words}{short}")


def _verdict(alpha: Result) -> tuple[str, str]:
    """The kind of finding an interval makes, and what it says of the customary bounds."""
    if alpha["low"] >= RELIABLE:
        return "clear", ": by custom reliable, the whole interval lies above 0.800."
    if alpha["low"] >= TENTATIVE:
        return "clear", ": by custom enough for tentative conclusions, at least 0.667."
    if alpha["high"] < TENTATIVE:
        return "clear", ": by custom too little even for tentative conclusions, under 0.667."
    return (
        "open",
        ". Whether that is enough for tentative conclusions (0.667 by custom) is open: the interval holds "
        "values on both sides.",
    )


def _adjusted(pooled: Result) -> Iterator[Finding]:
    raw, adjusted = pooled["cumulative_score"], pooled.get("cumulative_score_adjusted")
    if adjusted is None or None in (raw["value"], adjusted["value"]):
        return
    more = adjusted["value"] > raw["value"]
    yield Finding(
        "note",
        f"With each annotator's own level and spread taken out it is {with_interval(adjusted)}: "
        + (
            "part of the disagreement is leniency; annotators order images more alike than they score them."
            if more
            else "leniency does not explain the disagreement."
        ),
    )


def _others(pooled: Result) -> Iterator[Finding]:
    bands, cells = pooled["overall_severity"], pooled["cells"]
    if None not in (bands["value"], cells["value"]):
        yield Finding(
            "note",
            f"Whether an image is low, medium or high: {with_interval(bands)}. Whether a cell has an error: "
            f"{with_interval(cells)}.",
        )


def _ladder(entry: Result) -> Iterator[Finding]:
    if not entry["either"]:
        yield Finding("refused", "No cell was flagged in an image that two annotators judged.")
        return
    shares = {rung: share["value"] for rung, share in entry["shares"].items()}
    if None in shares.values():
        return
    before = dict(zip(shares, [1.0, *list(shares.values())[:-1]], strict=True))
    lost = max(shares, key=lambda rung: before[rung] - shares[rung])
    step = "" if before[lost] - shares[lost] <= 0 else f"; {LOST[lost]}"
    yield Finding(
        "note",
        f"Of {entry['either']:,} cells that one of two annotators flagged, both flagged "
        f"{_percent(shares['both'])}, and they agree in everything on "
        f"{_percent(shares['same_severity'])}{step}.",
    )


def _planner(planner: Result) -> Iterator[Finding]:
    row = next((row for row in planner["rows"] if row["name"] == "cumulative_score"), None)
    if row is None or row["refused"]:
        return
    needed = {each["width"]: each["images"] for each in row["needed"]}
    if WIDTH in needed:
        yield Finding(
            "note",
            f"For an interval of ± {WIDTH:.2f} about {needed[WIDTH]:,} images have to be judged by at least "
            f"two annotators; there are {planner['images']:,}.",
        )


def _pairs(result: Result) -> Iterator[Finding]:
    known = [pair for pair in result["pairs"] if pair["cumulative_score"]["value"] is not None]
    if len(known) < 2:
        return
    low, high = (pick(known, key=lambda pair: pair["cumulative_score"]["value"]) for pick in (min, max))
    sizes = [pair["images"] for pair in known]
    mean = rounded(result["mean_of_pairs"]["cumulative_score"], PLACES)
    images = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
    yield Finding(
        "note",
        f"Pair by pair, {images} images each, alpha of the score reaches from {_of_pair(low)} to "
        f"{_of_pair(high)}; the plain mean of the pairs, as the published study averaged, is {mean}.",
    )


def _of_pair(pair: Result) -> str:
    return f"{with_interval(pair['cumulative_score'])} ({' – '.join(pair['annotators'])})"


def _pieces(rows: list[Result], titles: Mapping[str, str], heading: str) -> Iterator[Finding]:
    known = [row for row in rows if row["cells"]["value"] is not None]
    if len(known) < 2:
        return
    low, high = (pick(known, key=lambda row: row["cells"]["value"]) for pick in (min, max))
    yield Finding(
        "note",
        f"Of the {heading}, annotators mark {titles[high['name']].lower()} most alike "
        f"({with_interval(high['cells'])}) and {titles[low['name']].lower()} least "
        f"({with_interval(low['cells'])}).",
    )


def _percent(share: float) -> str:
    return f"{rounded(100 * share, 0)} %"
