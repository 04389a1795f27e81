"""Draw figures as SVG and PNG without a browser or network.

Only for workers and commands: the renderer takes a second and 150 MB at first use, and a process that has
drawn must not fork.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from analysis.figures.figure import Figure
from analysis.figures.themes import theme

VEGA_LITE: Final = "6.4"
# Twice 96 dots per inch; printed 16 cm wide this is about 300 dots per inch.
SCALE: Final = 2.0
FONTS: Final = Path(__file__).with_name("fonts")
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class NothingToDraw(ValueError):
    """The figure was refused; the message says why."""


def svg(figure: Figure, look: str = "light") -> str:
    """Return the figure as SVG; raise NothingToDraw."""
    return str(_renderer().vegalite_to_svg(_spec(figure), **_options(look)))


def png(drawn: str) -> bytes:
    """Convert SVG to PNG, without another layout."""
    return bytes(_renderer().svg_to_png(drawn, scale=SCALE))


@cache
def _renderer() -> ModuleType:
    """Return the renderer, which measures and draws with our typeface whatever the machine has."""
    import vl_convert

    vl_convert.register_font_directory(str(FONTS))
    return vl_convert


def _spec(figure: Figure) -> dict[str, Any]:
    if figure.refused:
        raise NothingToDraw(figure.refused)
    return {_for_xml(key): _for_xml(item) for key, item in figure.spec().items()}


def _for_xml(value: Any) -> Any:
    """Return the JSON without characters that XML cannot hold, which would crash the renderer."""
    if isinstance(value, str):
        return _FORBIDDEN.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_for_xml(key): _for_xml(item) for key, item in value.items()}
    return [_for_xml(item) for item in value] if isinstance(value, (list, tuple)) else value


def _options(look: str) -> dict[str, Any]:
    return {"vl_version": VEGA_LITE, "config": theme(look), "allowed_base_urls": []}
