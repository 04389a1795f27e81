"""Estimate a figure's drawn size, so that a page can reserve the space.

Vega determines the size when it lays out axes and legends. Parts that vary with the data are counted here,
the rest are measured constants; a test compares the estimate with the drawing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any, Final, NamedTuple

from analysis.figures.figure import Figure, Row, Spec

PADDING: Final = 24
AXIS: Final = 16
AXIS_TITLE: Final = 17
HEADER: Final = 24
LEGEND_TITLED: Final = 49
LEGEND: Final = 38
LEGEND_ASIDE: Final = 56
CHARACTER: Final = 6.3
GAP: Final = 8
# Default spacing of facets.
SPACING: Final = 20


class Size(NamedTuple):
    """Width and height in screen pixels."""

    width: int
    height: int


def size_of(figure: Figure) -> Size:
    """Return the approximate size of a figure; zero for a refused one."""
    if figure.refused:
        return Size(0, 0)
    rows = figure.drawn[figure.view["data"]["name"]]
    size = (_facets if "facet" in figure.view else _single)(figure.view, rows)
    return Size(round(size.width + PADDING), round(size.height + PADDING))


def _single(view: Spec, rows: Sequence[Row]) -> Size:
    width, height = _plot(view, rows)
    encodings = _encodings(view)
    legend = _legend(encodings)
    y = _labels(encodings, rows)
    return Size(ceil(width + y + legend.width), ceil(height + _axis(encodings) + legend.height))


def _facets(view: Spec, rows: Sequence[Row]) -> Size:
    """Return the size of views in rows, and maybe columns."""
    facet, inner = view["facet"], view["spec"]
    encodings = _encodings(inner)
    width, height = _plot(inner, rows)
    legend, labels = _legend(encodings), _labels(encodings, rows)
    across, down = _spacing(view)
    names = _values(rows, facet["row"]["field"])
    columns = len(_values(rows, facet["column"]["field"])) if "column" in facet else 1
    head = HEADER if "column" in facet else 0
    high = len(names) * height + (len(names) - 1) * down + head + _axis(encodings) + legend.height
    wide = columns * width + (columns - 1) * across + labels
    return Size(ceil(wide + GAP + _longest(names)), ceil(high))


def _spacing(view: Spec) -> tuple[float, float]:
    spacing = view.get("spacing", SPACING)
    if isinstance(spacing, Mapping):
        return spacing.get("column", SPACING), spacing.get("row", SPACING)
    return spacing, spacing


def _plot(view: Spec, rows: Sequence[Row]) -> tuple[float, float]:
    encodings = _encodings(view)
    return _extent(view["width"], encodings, "x", rows), _extent(view["height"], encodings, "y", rows)


def _extent(given: Any, encodings: Sequence[Spec], channel: str, rows: Sequence[Row]) -> float:
    if not isinstance(given, Mapping):
        return float(given)
    field = next(encoding[channel]["field"] for encoding in encodings if channel in encoding)
    return float(given["step"] * len(_values(rows, field)))


def _encodings(view: Spec) -> list[Spec]:
    """Return the encodings of the view's own rows, without reference lines."""
    layers = [layer for layer in view["layer"] if "data" not in layer] if "layer" in view else [view]
    return [layer["encoding"] for layer in layers]


def _axis(encodings: Sequence[Spec]) -> int:
    x = next(encoding["x"] for encoding in encodings if "x" in encoding)
    if "axis" in x and x["axis"] is None:
        return 0
    return AXIS + (AXIS_TITLE if x.get("title") else 0)


def _labels(encodings: Sequence[Spec], rows: Sequence[Row]) -> float:
    y = next(encoding["y"] for encoding in encodings if "y" in encoding)
    if "axis" in y and y["axis"] is None:
        return 0
    if y["type"] == "quantitative":
        return 42
    return GAP + _longest(_values(rows, y["field"]))


def _legend(encodings: Sequence[Spec]) -> Size:
    for channel in ("color", "fill", "shape"):
        for encoding in encodings:
            drawn = encoding.get(channel, {})
            legend = drawn.get("legend", {})
            if "field" not in drawn or legend is None:
                continue
            if legend.get("orient") != "top":
                return Size(LEGEND_ASIDE, 0)
            return Size(0, LEGEND_TITLED if drawn.get("title") else LEGEND)
    return Size(0, 0)


def _values(rows: Sequence[Row], field: str) -> list[str]:
    return list(dict.fromkeys(str(row[field]) for row in rows if field in row))


def _longest(names: Sequence[str]) -> float:
    return CHARACTER * max((len(name) for name in names), default=0)
