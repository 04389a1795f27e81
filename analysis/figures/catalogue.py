"""All figures of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.figures import ladder, pair_alphas
from analysis.figures.figure import Figure
from analysis.figures.generic import table_figures
from analysis.figures.maps import cells

Builder = Callable[[Mapping[str, Any]], Figure]

BUILDERS: Final[Mapping[str, tuple[Builder, ...]]] = {
    "agreement": (pair_alphas.by_pair, cells.grid, ladder.ladder),
}


def figures(kind: str, result: Mapping[str, Any]) -> list[Figure]:
    """Return the figures of a result."""
    if "tables" in result:
        return table_figures(result)
    return [build(result) for build in BUILDERS.get(kind, ())]


def figure(kind: str, result: Mapping[str, Any], slug: str) -> Figure | None:
    """Return the figure of this name, or None."""
    return next((made for made in figures(kind, result) if made.slug == slug), None)
