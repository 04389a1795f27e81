"""Colours and fonts of figures, light and dark, as in static/css/tokens.css.

A Vega-Lite `config` applied when drawing, so that one specification serves both. Severities differ in
lightness, which greyscale keeps; everything else differs in position, shape or text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Palette:
    """The colours of one theme; `severities` from mild to severe, `ramp` from low to high.

    `amounts` are nothing to show, then from little to much.
    """

    ground: str
    ink: str
    quiet: str
    line: str
    fill: str
    severities: tuple[str, str, str]
    edge: str
    ramp: tuple[str, ...]
    amounts: tuple[str, ...]


PALETTES: Final = {
    "light": Palette(
        ground="#ffffff",
        ink="#1f1e1b",
        quiet="#4f4c46",
        line="#dedbd5",
        fill="#a9c4de",
        severities=("#f8ebcb", "#e5a945", "#8a3a17"),
        edge="#6a4600",
        ramp=("#fbf3e2", "#e3cfa0", "#8fb08c", "#3b7f8c", "#143f63"),
        amounts=("#ffffff", "#eef1f3", "#d3e0eb", "#9dbdd9", "#5a8db9", "#1d5b94"),
    ),
    "dark": Palette(
        ground="#1e1e1c",
        ink="#f2f0eb",
        quiet="#cdc9c0",
        line="#383733",
        fill="#3d5f80",
        severities=("#4a3c18", "#c48d33", "#ffdcc4"),
        edge="#e2c27c",
        ramp=("#2a2620", "#5a4c2a", "#5f7f58", "#74b3b5", "#d6ecf5"),
        amounts=("#1e1e1c", "#26292b", "#2b4156", "#3d6388", "#5f92c2", "#8fc0ee"),
    ),
}


def theme(name: str) -> dict[str, Any]:
    """Return the Vega-Lite config of `light` or `dark`."""
    colours = PALETTES[name]
    text = {"labelColor": colours.ink, "titleColor": colours.quiet, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": colours.ground,
        "font": "Inter, sans-serif",
        "padding": 12,
        "view": {"stroke": None},
        "title": {
            "color": colours.ink,
            "subtitleColor": colours.quiet,
            "fontSize": 16,
            "subtitleFontSize": 12,
            "subtitlePadding": 6,
            "offset": 14,
        },
        "axis": {
            **text,
            "domainColor": colours.quiet,
            "tickColor": colours.quiet,
            "gridColor": colours.line,
            "titleFontWeight": "normal",
            "labelLimit": 260,
            "labelFlush": False,
        },
        "header": {**text, "titleFontWeight": "normal", "labelLimit": 320},
        "legend": {**text, "symbolStrokeColor": colours.edge, "titleFontWeight": "normal"},
        "range": {
            "ordinal": list(colours.severities),
            "heatmap": list(colours.ramp),
            "diverging": list(colours.amounts),
        },
        "bar": {"stroke": colours.edge, "strokeWidth": 0.6, "fill": colours.fill},
        "rect": {"stroke": colours.ground, "strokeWidth": 2},
        "point": {"stroke": colours.ink, "fill": colours.ink, "filled": True, "size": 60, "opacity": 1},
        "rule": {"color": colours.ink},
        "text": {"color": colours.ink, "fontSize": 11},
        "style": {"body": {"stroke": colours.quiet, "strokeWidth": 0.8}},
    }
