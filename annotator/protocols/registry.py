"""The registry of pages: on which page a protocol's answers are given."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from annotator.protocols.anatomy.page import PAGE as ANATOMY
from annotator.protocols.page import ProtocolPage
from annotator.protocols.presence.page import PAGE as PRESENCE
from annotator.protocols.settling import SettlingForm
from annotator.protocols.sheet import CountedCells, SheetReader


def registry(*pages: ProtocolPage) -> Mapping[str, ProtocolPage]:
    """Pages by the slug of their protocol, fixed."""
    return MappingProxyType({page.slug: page for page in pages})


PAGES: Final = registry(ANATOMY, PRESENCE)


def page_of(slug: str) -> ProtocolPage:
    """Return the page of a protocol; raises KeyError for one that has none."""
    return PAGES[slug]


def settling_for(slug: str) -> type[SettlingForm]:
    """Return the form that settles a protocol's disagreements; without a page, whose annotation holds."""
    return PAGES[slug].settling if slug in PAGES else SettlingForm


def sheet_reader_of(slug: str) -> SheetReader | None:
    """Return what reads a protocol's sheet; None for the counted one, and where there is no sheet."""
    sheet = page_of(slug).sheet
    return sheet.reader if sheet else None


def counted_cells_of(slug: str) -> CountedCells:
    """Return what makes payloads of counted terms; raises KeyError for a protocol that counts none."""
    sheet = page_of(slug).sheet
    if sheet is None or sheet.counted is None:
        raise KeyError(slug)
    return sheet.counted
