"""All figures of a report: first those of the published study, then our own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.figures import generators, ladder, pair_alphas, scores, sums, violins
from analysis.figures.figure import Figure
from analysis.figures.generic import table_figures
from analysis.figures.maps import body, cells, crossed

Builder = Callable[[Mapping[str, Any]], Figure]

BUILDERS: Final[Mapping[str, tuple[Builder, ...]]] = {
    "comparison": (
        scores.histogram,
        scores.bands,
        violins.by_annotator,
        violins.by_generator,
        sums.by_generator,
        violins.by_prompt,
        sums.by_prompt,
        sums.by_error_type,
        sums.by_body_part,
        sums.prompt_by_error_type,
        sums.prompt_by_body_part,
        sums.all_by_error_type,
        sums.all_by_body_part,
        generators.means,
        generators.differences,
        body.body_map,
        crossed.by_prompt_and_generator,
    ),
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
