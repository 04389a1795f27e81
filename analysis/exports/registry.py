"""The registry of layouts: the files that can be exported for each protocol.

The only list of layouts: pages, commands, the API, bundles and docs/reference/data-formats.md rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from analysis.exports.anatomy.layouts import ANATOMY
from analysis.exports.defect.layouts import LAYOUTS as DEFECT
from analysis.exports.generic.layouts import generic_layouts, sheet_layouts
from analysis.exports.layout import Layout
from analysis.exports.opinions import opinion_layouts
from analysis.exports.realism.layouts import realism_layouts
from analysis.exports.source import ExportRefused
from scoring import service
from scoring.service import UnknownProtocol, get_protocol

Layouts = tuple[Layout, ...]

OWN: Final[Mapping[str, Callable[[Layouts], Layouts]]] = {
    "anatomy": lambda _: ANATOMY,
    "realism": realism_layouts,
    **DEFECT,
}
"""Returns a protocol's layouts, given the generic ones."""


def layouts_of(slug: str) -> dict[str, Layout]:
    """Return the layouts of a protocol by slug, in display order.

    Raise UnknownProtocol.
    """
    protocol = get_protocol(slug)
    generic = (*sheet_layouts(protocol), *generic_layouts(protocol), *opinion_layouts(protocol))
    return {layout.slug: layout for layout in (OWN[slug](generic) if slug in OWN else generic)}


def layout_of(slug: str, layout: str) -> Layout:
    """Return a layout of a protocol; raise ExportRefused naming the known ones, or UnknownProtocol."""
    found = layouts_of(slug)
    if layout not in found:
        known = ", ".join(found)
        raise ExportRefused(f"The protocol {slug} has no layout {layout!r}. Known: {known}.", "no_layout")
    return found[layout]


def every_layout() -> list[str]:
    """Return the distinct slugs of all layouts of all protocols."""
    return list(dict.fromkeys(name for slug in service.PROTOCOLS for name in layouts_of(slug)))


def known_protocol(slug: str) -> str:
    """Return the slug of a protocol; raise ExportRefused naming an unknown one."""
    try:
        return get_protocol(slug).slug
    except UnknownProtocol as error:
        raise ExportRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.", "no_protocol") from error
