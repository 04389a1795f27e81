"""Findings of an agreement report as sentences, including what cannot be computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from analysis.stats.estimates import LEAST
from analysis.tables.agreement.agreement import ENOUGH, SHORT
from analysis.tables.finding import Finding
from analysis.tables.table import rounded
from analysis.tables.wording import limits, with_interval
from scoring.grid.taxonomy import BODY_PART_TITLES, ERROR_TYPE_TITLES

# Krippendorff's customary bounds.
TENTATIVE: Final = 0.667
RELIABLE: Final = 0.8
PLACES: Final = 2
LOST: Final = {
    "both": "most agreement is lost on whether the cell has an error",
    "same_affected": "most agreement is lost on the number of affected parts",
    "same_total": "most agreement is lost on the total",
    "same_severity": "most agreement is lost on the severity",
}

Result = Mapping[str, Any]

FEWEST_IMAGES: Final = 20
"""Doubly annotated images below which agreement is not called that of chance."""


def is_chance(alpha: Result) -> bool:
    """Return whether an alpha cannot be distinguished from chance although there are enough images to see
    it."""
    return alpha["low"] is not None and alpha["n_units"] >= FEWEST_IMAGES and alpha["low"] <= 0


def in_words(alpha: Result) -> str:
    """Return how well annotators agree, as the beginning of a sentence; `alpha` has an interval."""
    if is_chance(alpha):
        return "Agreement is not clearly better than chance"
    if alpha["low"] <= 0:
        return "Too few images to tell whether annotators agree"
    if alpha["low"] >= RELIABLE:
        return "Annotators agree well"
    if alpha["low"] >= TENTATIVE:
        return "Annotators agree well enough for tentative conclusions"
    part, likely = "Annotators agree in part", "Annotators seem to agree, but it is not certain"
    return part if alpha["value"] < TENTATIVE else likely


def agreement_heading(result: Result) -> tuple[str, str]:
    """Return the heading of an agreement report and the sentence below it; empty for an early result."""
    if "by" not in result:
        return "", ""
    alpha = result["pooled"]["cumulative_score"]
    if alpha["value"] is None:
        return "Agreement is not known", f"Alpha of the score cannot be computed: {alpha['refused']}."
    where = f"over {alpha['n_units']:,} images annotated by two or more of {alpha['n_coders']} annotators"
    scale = f"1 is perfect agreement, 0 is chance; {TENTATIVE} is the usual minimum"
    value = rounded(alpha["value"], PLACES)
    if alpha["low"] is None:
        why = alpha["refused"]
        return (
            "How well annotators agree is not known",
            f"Alpha is {value}, {where}, without interval: {why}.",
        )
    return in_words(alpha), f"Alpha of the score is {value} ({limits(alpha)}), {where}. {scale}."


def agreement_findings(result: Result) -> list[Finding]:
    """Return the findings of an agreement report."""
    return [
        *_pooled(result["pooled"]["cumulative_score"]),
        *_over_annotators(result),
        *_adjusted(result),
        *_others(result["pooled"]),
        *_ladder(result["ladder"]["overall"][0]),
        *_needed(result["images_needed"]),
        *_pairs(result),
        *_pieces(result["by"]["error_type"], ERROR_TYPE_TITLES, "error types"),
        *_pieces(result["by"]["body_part"], BODY_PART_TITLES, "body parts"),
    ]


def _pooled(alpha: Result) -> Iterator[Finding]:
    if alpha["value"] is None:
        yield Finding("refused", f"Agreement on the score cannot be computed: {alpha['refused']}.")
        return
    short = f" {SHORT}" if alpha["n_units"] < ENOUGH else ""
    where = f"over {alpha['n_units']:,} images and {alpha['n_coders']} annotators"
    numbers = f"Krippendorff's alpha of the score is {with_interval(alpha)}, {where}"
    if alpha["low"] is None:
        yield Finding("refused", f"{numbers}. It has no interval: {alpha['refused']}.")
    else:
        kind, words = _verdict(alpha)
        yield Finding(kind, f"{numbers}{words}{short}")


def _verdict(alpha: Result) -> tuple[str, str]:
    """Return the kind of finding and the interpretation by the customary bounds."""
    if alpha["low"] >= RELIABLE:
        return "clear", ": reliable by convention, since the whole interval is at least 0.800."
    if alpha["low"] >= TENTATIVE:
        return "clear", ": enough for tentative conclusions by convention (at least 0.667)."
    if alpha["high"] < TENTATIVE:
        return "clear", ": too low even for tentative conclusions by convention (below 0.667)."
    return (
        "open",
        ". By convention 0.667 is enough for tentative conclusions; whether these annotators reach it is "
        "open, because the interval includes it.",
    )


def _over_annotators(result: Result) -> Iterator[Finding]:
    found = result["over_annotators"]["cumulative_score"]
    if result["pooled"]["cumulative_score"]["low"] is None:
        return
    fixed = "Intervals apply to these annotators and prompts"
    if found["low"] is None:
        yield Finding("note", f"{fixed}; there is none for other annotators: {found['refused']}.")
    else:
        yield Finding(
            "note", f"{fixed}. With other annotators like these, alpha may lie anywhere from {limits(found)}."
        )


def _adjusted(result: Result) -> Iterator[Finding]:
    raw = result["pooled"]["cumulative_score"]
    adjusted = result["pooled"]["cumulative_score_adjusted"]
    if None in (raw["value"], adjusted["value"]):
        return
    words = (
        "With every annotator's scores brought to one mean and spread, alpha of the score is "
        f"{with_interval(adjusted)}"
    )
    gap = result["adjusted_minus_raw"]
    if gap["low"] is None:
        yield Finding("note", f"{words}.")
        return
    changed = f"{words}, a difference of {with_interval(gap)}"
    if gap["low"] >= LEAST:
        yield Finding("clear", f"{changed}: part of the disagreement is that some annotators are stricter.")
    elif gap["high"] <= -LEAST:
        yield Finding("clear", f"{changed}: adjusted scores agree less.")
    else:
        yield Finding("open", f"{changed}. The data do not show whether leniency explains any disagreement.")


def _others(pooled: Result) -> Iterator[Finding]:
    bands, cells = pooled["overall_severity_all_images"], pooled["cells"]
    if None not in (bands["value"], cells["value"]):
        caution = f"; {bands['caution']}" if bands.get("caution") else ""
        yield Finding(
            "note",
            f"Alpha is {with_interval(bands)} for the overall severity of an image (low, medium or "
            f"high{caution}) and {with_interval(cells)} for whether a cell has an error.",
        )


def _ladder(entry: Result) -> Iterator[Finding]:
    if not entry["either"]:
        yield Finding("refused", "No cell is marked in any doubly annotated image.")
        return
    shares = {rung: share["value"] for rung, share in entry["shares"].items()}
    if None in shares.values():
        return
    before = dict(zip(shares, [1.0, *list(shares.values())[:-1]], strict=True))
    lost = max(shares, key=lambda rung: before[rung] - shares[rung])
    step = "" if before[lost] - shares[lost] <= 0 else f"; {LOST[lost]}"
    yield Finding(
        "note",
        f"Of {entry['either']:,} cells that at least one of two annotators marked, both marked "
        f"{_percent(shares['both'])} and entered the same in {_percent(shares['same_severity'])}{step}.",
    )


def _needed(found: Result) -> Iterator[Finding]:
    if found["needed"] is not None:
        yield Finding(
            "note",
            f"An interval of ± {found['width']:.2f} needs about {found['needed']:,} ({found['low']:,} to "
            f"{found['high']:,}) doubly annotated images; there are {found['images']:,}.",
        )


def _pairs(result: Result) -> Iterator[Finding]:
    known = [pair for pair in result["pairs"] if pair["cumulative_score"]["value"] is not None]
    if len(known) < 2:
        return
    low, high = (pick(known, key=lambda pair: pair["cumulative_score"]["value"]) for pick in (min, max))
    sizes = [pair["images"] for pair in known]
    estimate = result["mean_of_pairs_estimates"]["cumulative_score"]
    mean = rounded(result["mean_of_pairs"]["cumulative_score"], PLACES)
    if estimate["low"] is not None:
        mean = with_interval(estimate)
    images = f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"
    yield Finding(
        "note",
        f"By pair ({images} images each), alpha of the score ranges from {_of_pair(low)} to "
        f"{_of_pair(high)}; the unweighted mean of the pairs, as in the published study, is {mean}.",
    )


def _of_pair(pair: Result) -> str:
    return f"{with_interval(pair['cumulative_score'])} ({' – '.join(pair['annotators'])})"


def _pieces(rows: list[Result], titles: Mapping[str, str], heading: str) -> Iterator[Finding]:
    known = [row for row in rows if row["cells"]["value"] is not None]
    if len(known) < 2:
        return
    low, high = (pick(known, key=lambda row: row["cells"]["value"]) for pick in (min, max))
    if rounded(low["cells"]["value"], PLACES) == rounded(high["cells"]["value"], PLACES):
        return
    yield Finding(
        "note",
        f"Among {heading}, agreement is highest on {tied(known, high, titles)} "
        f"({with_interval(high['cells'])}) and lowest on {tied(known, low, titles)} "
        f"({with_interval(low['cells'])}).",
    )


def tied(rows: list[Result], best: Result, titles: Mapping[str, str]) -> str:
    """Return the names of all rows whose shown value is that of `best`."""
    shown = rounded(best["cells"]["value"], PLACES)
    return " and ".join(
        titles[row["name"]].lower() for row in rows if rounded(row["cells"]["value"], PLACES) == shown
    )


def _percent(share: float) -> str:
    return f"{rounded(100 * share, 0)}%"
