"""The excerpt of a report: what other pages show of its large result, stored beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from analysis.models import Report
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
    rows = result["disagreements"]["rows"]
    return {
        "alpha": _alpha(result, protocol),
        "alphas": _alphas(result, protocol),
        "disagreements": [{"image": row["image"], "scores": row["scores"]} for row in rows if row["cells"]],
    }


def _alpha(result: Result, protocol: str) -> Result | None:
    """Return the pooled alpha of the protocol's headline; None if the report has none."""
    headline = get_protocol(protocol).headline
    for table in result.get("tables", ()):
        if table["name"] == "agreement":
            return next((row[2] for row in table["rows"] if row[0] == headline.title), None)
    pooled: Result = result.get("pooled", {})
    return pooled.get(headline.name)


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
    headline = get_protocol(protocol).headline
    for pair in result.get("pairs", ()):
        if (value := pair[headline.name]["value"]) is not None:
            yield pair["annotators"], pair["images"], value
    for table in result.get("tables", ()):
        if table["name"] == "pairs":
            for names, title, alpha, images in table["rows"]:
                if title == headline.title and alpha.get("value") is not None:
                    yield names, images, alpha["value"]


EXCERPTS: Final[Mapping[str, Callable[[Result, str], dict[str, Any]]]] = {
    Report.Kind.AGREEMENT: _of_agreement,
}
"""What makes the excerpt of a result, with the slug of its protocol, by kind of report."""
