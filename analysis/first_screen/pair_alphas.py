"""How well each annotator agrees with the others, from the newest agreement report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from analysis.reports.lifecycle import newest_done
from analysis.tables.table import rounded
from annotator.models import Project
from scoring.service import get_protocol

PLACES = 2


def alphas_of(project: Project, protocol: str) -> dict[str, str]:
    """Return code → the mean alpha of the annotator's pairs, weighted by shared images; one query.

    Of the protocol's headline, over images drawn at random. Pairs too small for an alpha are left out, and
    annotators without any other.
    """
    report = newest_done(project, "agreement", protocol)
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for names, images, alpha in _pairs((report.result if report else None) or {}, protocol):
        for name in names:
            sums[name][0] += alpha * images
            sums[name][1] += images
    return {name: rounded(total / images, PLACES) for name, (total, images) in sums.items() if images}


def _pairs(result: Mapping[str, Any], protocol: str) -> Iterator[tuple[Sequence[str], int, float]]:
    """Yield annotators, shared images and alpha of each pair, from either form of the report."""
    headline = get_protocol(protocol).headline
    for pair in result.get("pairs", ()):
        found = pair.get(headline.name)
        if found and found["value"] is not None:
            yield pair["annotators"], pair["images"], found["value"]
    for table in result.get("tables", ()):
        if table["name"] == "pairs":
            for names, title, alpha, images in table["rows"]:
                if title == headline.title and alpha["value"] is not None:
                    yield names, images, alpha["value"]
