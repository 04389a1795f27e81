"""Figures as SVG and PNG, without a browser and without a network.

For workers and commands only: the renderer costs a second and 150 MB at first use, and a process that
has drawn once must not fork afterwards.
"""

from __future__ import annotations

import re
from typing import Any, Final

from analysis.figures.figure import Figure
from analysis.figures.themes import theme

VEGA_LITE: Final = "6.4"
# Twice as fine as a screen of 96 dots an inch: print at 16 cm has about 300 dots an inch.
SCALE: Final = 2.0
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class NothingToDraw(ValueError):
    """The figure was refused; the text says why."""


def svg(figure: Figure, look: str = "light") -> str:
    """The figure as an SVG file; raises NothingToDraw."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(_spec(figure), **_options(look)))


def png(drawn: str) -> bytes:
    """An SVG file as a PNG file: nothing has to be laid out again."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(drawn, scale=SCALE))


def _spec(figure: Figure) -> dict[str, Any]:
    if figure.refused:
        raise NothingToDraw(figure.refused)
    return {_for_xml(key): _for_xml(item) for key, item in figure.spec().items()}


def _for_xml(value: Any) -> Any:
    """The same JSON without characters that XML cannot hold: a drawing of them ends the renderer."""
    if isinstance(value, str):
        return _FORBIDDEN.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_for_xml(key): _for_xml(item) for key, item in value.items()}
    return [_for_xml(item) for item in value] if isinstance(value, (list, tuple)) else value


def _options(look: str) -> dict[str, Any]:
    return {"vl_version": VEGA_LITE, "config": theme(look), "allowed_base_urls": []}
