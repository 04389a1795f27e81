"""The excerpt of a report: what other pages show of its large result, stored beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from analysis.models import Report
from analysis.stats.generic.tables import rows_of
from scoring.service import get_protocol

Result = Mapping[str, Any]


def excerpt_of(report: Report | None) -> Result:
    """Return the excerpt of a report; {} without a report, and of a kind that no other page shows."""
    return (report.excerpt if report else None) or {}


def excerpt_in(kind: str, result: Result, protocol: str) -> dict[str, Any] | None:
    """Return the excerpt of a result of this kind; None for a kind that no other page shows."""
    return EXCERPTS[kind](result, protocol) if kind in EXCERPTS else None


def _of_agreement(result: Result, protocol: str) -> dict[str, Any]:
    """Return `alpha` of the headline, `alphas` by annotator's code, and `disagreements` about cells."""
    title = get_protocol(protocol).headline.title
    measures = {row["variable"]: row["pooled"] for row in rows_of(result, "agreement")}
    pairs = [row for row in rows_of(result, "pairs") if row["variable"] == title]
    rows = rows_of(result, "disagreements")
    return {
        "alpha": measures.get(title),
        "alphas": _alphas(pairs),
        "disagreements": [{"image": row["image"], "scores": row["scores"]} for row in rows if row["cells"]],
    }


def _alphas(pairs: Iterable[Result]) -> dict[str, float]:
    """Return code → the mean alpha of the annotator's pairs, weighted by shared images.

    Over images drawn at random. Pairs too small for an alpha are left out, and annotators without any other.
    """
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for pair in pairs:
        if (alpha := pair["agreement"]["value"]) is not None:
            for name in pair["annotators"]:
                sums[name][0] += alpha * pair["images"]
                sums[name][1] += pair["images"]
    return {name: total / images for name, (total, images) in sums.items()}


EXCERPTS: Final[Mapping[str, Callable[[Result, str], dict[str, Any]]]] = {
    Report.Kind.AGREEMENT: _of_agreement,
}
"""What makes the excerpt of a result, with the slug of its protocol, by kind of report."""
