"""The excerpt of an agreement report: what other pages show of its large result, stored beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.models import Report
from scoring.service import PROTOCOLS

Result = Mapping[str, Any]


def excerpt_of(report: Report | None) -> Result:
    """Return the excerpt of an agreement report; {} without a report."""
    if report is None:
        return {}
    # Restored reports, and those of earlier versions, have none.
    return excerpt_in(report.result or {}, report.protocol) if report.excerpt is None else report.excerpt


def excerpt_in(result: Result, protocol: str) -> dict[str, Any]:
    """Return `alpha` of anatomy scores, `alphas` by annotator's code, and `disagreements` about cells."""
    alpha = result.get("pooled", {}).get("cumulative_score")
    rows = result.get("disagreements", {}).get("rows") or ()
    return {
        "alpha": alpha if alpha and "low" in alpha else None,
        "alphas": _alphas(result, protocol),
        "disagreements": [{"image": row["image"], "scores": row["scores"]} for row in rows if row["cells"]],
    }


def _alphas(result: Result, protocol: str) -> dict[str, float]:
    """Return code → the mean alpha of the annotator's pairs, weighted by shared images.

    Of the protocol's headline, over images drawn at random. Pairs too small for an alpha are left out, and
    annotators without any other.
    """
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for names, images, alpha in _pairs(result, protocol):
        for name in names:
            sums[name][0] += alpha * images
            sums[name][1] += images
    return {name: total / images for name, (total, images) in sums.items() if images}


def _pairs(result: Result, protocol: str) -> Iterator[tuple[Sequence[str], int, float]]:
    """Yield annotators, shared images and alpha of each pair, from either form of the report."""
    known = PROTOCOLS.get(protocol)
    if known is None:
        return  # an old report of a protocol that this version no longer knows
    headline = known.headline
    for pair in result.get("pairs", ()):
        found = pair.get(headline.name)
        if found and found.get("value") is not None:
            yield pair["annotators"], pair["images"], found["value"]
    for table in result.get("tables", ()):
        if table["name"] == "pairs":
            for names, title, alpha, images in table["rows"]:
                if title == headline.title and alpha.get("value") is not None:
                    yield names, images, alpha["value"]
