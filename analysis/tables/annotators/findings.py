"""Findings of an annotators report as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from analysis.tables.comparison.findings import Finding
from analysis.tables.table import rounded
from analysis.tables.wording import listed, with_interval

# At most this many annotators get a sentence; the tables list all.
PEOPLE: Final = 4

Result = Mapping[str, Any]


def annotator_findings(result: Result) -> list[Finding]:
    """Return the findings of an annotators report."""
    people = result["annotators"]
    if not people:
        return []
    return [*_against_others(people), *_detection(people)]


def annotator_heading(result: Result) -> str:
    """Return the heading of an annotators report; empty without annotators, and for other protocols."""
    people = result.get("annotators")
    if not people:
        return ""
    if all(entry["against_others"]["low"] is None for entry in people):
        return "Annotators cannot be compared yet"
    higher, lower = (
        [entry["annotator"] for entry in people if _side(entry["against_others"]) == side] for side in (1, -1)
    )
    if not higher and not lower:
        return "No annotator scores clearly higher or lower than the others"
    first, second = (("higher", higher), ("lower", lower)) if higher else (("lower", lower), ("", []))
    verb = "scores" if len(first[1]) == 1 else "score"
    also = f", {_several(second[1])} {second[0]}" if second[1] else ""
    return f"{_several(first[1])} {verb} {first[0]} than the others{also}"


def _several(codes: list[str]) -> str:
    return listed(codes) if len(codes) <= PEOPLE else f"{len(codes)} annotators"


def _against_others(people: list[Result]) -> Iterator[Finding]:
    known = [entry for entry in people if entry["against_others"]["low"] is not None]
    if not known:
        why = people[0]["against_others"]["refused"] or "they share no images"
        yield Finding("refused", f"Annotators cannot be compared on the same images: {why}.")
        return
    clear = [entry for entry in known if _side(entry["against_others"])]
    clear.sort(key=lambda entry: -abs(entry["against_others"]["value"]))
    for entry in clear[:PEOPLE]:
        estimate = entry["against_others"]
        word = "higher" if estimate["value"] > 0 else "lower"
        yield Finding(
            "clear",
            f"{entry['annotator']} scores {word} than the others who annotated the same images: difference "
            f"{with_interval(estimate)} over {entry['shared_images']:,} images.",
        )
    if len(clear) > PEOPLE:
        yield Finding(
            "note", f"Another {len(clear) - PEOPLE} also differ from the others; the table lists them."
        )
    if not clear:
        yield Finding("open", "No significant difference between annotators was found on the same images.")


def _detection(people: list[Result]) -> Iterator[Finding]:
    known = [entry for entry in people if entry["found"]["value"] is not None]
    if len(known) < 2:
        return
    least, most = (pick(known, key=lambda entry: entry["found"]["value"]) for pick in (min, max))
    if _percent(least) == _percent(most):
        return
    yield Finding(
        "note",
        f"Of the cells that others marked, {_tied(known, most)} also marked the most "
        f"({_share(most['found'])}) and {_tied(known, least)} the fewest ({_share(least['found'])}).",
    )


def _percent(entry: Result) -> str:
    return rounded(100 * entry["found"]["value"], 0)


def _tied(people: list[Result], best: Result) -> str:
    """Return everybody whose shown share is that of `best`."""
    tied = [entry["annotator"] for entry in people if _percent(entry) == _percent(best)]
    return " and ".join(tied) if len(tied) <= PEOPLE else f"{len(tied)} annotators"


def _side(estimate: Result) -> int:
    """Return 1 above zero, −1 below, 0 if the interval contains zero or is missing."""
    if estimate["low"] is None:
        return 0
    return int(estimate["low"] > 0) - int(estimate["high"] < 0)


def _share(estimate: Result) -> str:
    if estimate["low"] is None:
        return f"{rounded(100 * estimate['value'], 0)}%"
    low, high = (rounded(100 * estimate[end], 0) for end in ("low", "high"))
    return f"{rounded(100 * estimate['value'], 0)}% [{low}, {high}]"
