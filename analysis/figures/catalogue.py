"""All figures of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from analysis.figures import ladder, pair_alphas
from analysis.figures.figure import Figure
from analysis.figures.generic import NamedFigure, table_figures
from analysis.figures.maps import cells

Builder = Callable[[Mapping[str, Any]], Figure]

BUILDERS: Final[Mapping[str, tuple[Builder, ...]]] = {
    "agreement": (pair_alphas.by_pair, cells.grid, ladder.ladder),
}


def named_figures(kind: str, result: Mapping[str, Any]) -> list[NamedFigure]:
    """Return the figures of a result by name, those of lists of tables not built yet."""
    if "tables" in result:
        return table_figures(result)
    built = [build(result) for build in BUILDERS.get(kind, ())]
    return [NamedFigure(each.slug, each.title, partial(_same, each)) for each in built]


def _same(figure: Figure) -> Figure:
    return figure


def figures(kind: str, result: Mapping[str, Any]) -> list[Figure]:
    """Return the figures of a result."""
    return [each.make() for each in named_figures(kind, result)]


def figure(kind: str, result: Mapping[str, Any], slug: str) -> Figure | None:
    """Return the figure of this name, or None."""
    return next((each.make() for each in named_figures(kind, result) if each.slug == slug), None)
