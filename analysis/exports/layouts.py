"""The registry of layouts: which files can be made of the answers of a protocol.

The only list of layouts: pages, commands, the API, bundles and docs/reference/data-formats.md rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from analysis.exports.anatomy.layouts import ANATOMY
from analysis.exports.generic.layouts import generic_layouts
from analysis.exports.generic.sheet import sheet_layouts
from analysis.exports.layout import Layout
from analysis.exports.reading import ExportRefused
from analysis.exports.reports.layouts import REPORTS
from scoring import service
from scoring.service import UnknownProtocol, get_protocol

Layouts = tuple[Layout, ...]

OWN: Final[Mapping[str, Callable[[Layouts], Layouts]]] = {"anatomy": lambda _: ANATOMY}
"""What a protocol has in place of the generic layouts of answers, or beside them: it is given those."""


def layouts_of(slug: str) -> dict[str, Layout]:
    """Return the layouts of a protocol by slug, in the order in which they are offered.

    Raises UnknownProtocol.
    """
    generic = (*sheet_layouts(get_protocol(slug)), *generic_layouts(get_protocol(slug)))
    of_answers = OWN[slug](generic) if slug in OWN else generic
    return {layout.slug: layout for layout in (*of_answers, *REPORTS)}


def layout_of(slug: str, layout: str) -> Layout:
    """Return a layout of a protocol; raises ExportRefused, naming those there are, and UnknownProtocol."""
    found = layouts_of(slug)
    if layout not in found:
        known = ", ".join(found)
        raise ExportRefused(f"The protocol {slug} has no layout {layout!r}. It has: {known}.", "no_layout")
    return found[layout]


def every_layout() -> list[str]:
    """Return the slugs of all layouts of all protocols, each once."""
    return list(dict.fromkeys(name for slug in service.PROTOCOLS for name in layouts_of(slug)))


def known_protocol(slug: str) -> str:
    """Return the slug of a protocol; raises ExportRefused for one that nobody knows, naming it."""
    try:
        return get_protocol(slug).slug
    except UnknownProtocol as error:
        raise ExportRefused(f"{str(error)[:1].upper()}{str(error)[1:]}.", "no_protocol") from error
