"""The registry of protocol pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from annotator.models import Project
from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.anatomy.page import PAGE as ANATOMY
from annotator.protocols.base import Suggested
from annotator.protocols.defect.page import PAGES as DEFECT
from annotator.protocols.page import ProtocolPage
from annotator.protocols.presence.page import PAGE as PRESENCE
from annotator.protocols.rating_form.page import page_for
from annotator.protocols.realism.page import PAGE as REALISM
from annotator.protocols.sheet_format import CountedCells, SheetReader
from scoring.service import Registry, UnknownProtocol, get_protocol


@lru_cache(maxsize=256)
def _made(slug: str) -> ProtocolPage:
    """Return the page of a rating form; raises UnknownProtocol, which is a KeyError."""
    form = get_protocol(slug).form
    if form is None:
        raise KeyError(slug)
    return page_for(form)


def registry(*pages: ProtocolPage) -> Mapping[str, ProtocolPage]:
    """Return a read-only mapping of pages by protocol slug."""
    return Registry({page.slug: page for page in pages}, _made)


PAGES: Final = registry(ANATOMY, PRESENCE, REALISM, *DEFECT)


def page_of(slug: str) -> ProtocolPage:
    """Return the page of a protocol; raises UnknownProtocol if it has none."""
    try:
        return PAGES[slug]
    except KeyError:
        raise UnknownProtocol(slug) from None


def barring(slug: str) -> set[str]:
    """Return the protocols under which nobody who judges an image under this one may have judged it."""
    page = PAGES.get(slug)
    follows = page.follows if page else None
    return {slug, follows.protocol} if follows and follows.others_only else {slug}


def judged_later() -> set[str]:
    """Return the protocols whose annotations a later stage judges.

    No report names the images on which these differ.
    """
    return {page.follows.protocol for page in PAGES.values() if page.follows}


def blurring_faces() -> str:
    """Return the titles of the protocols that show images with faces blurred: `A” and “B`."""
    return "” and “".join(get_protocol(slug).title for slug in PAGES if page_of(slug).faces_blurred)


def adjudication_for(slug: str) -> type[AdjudicationForm]:
    """Return the adjudication form of a protocol; by default, a choice among the annotations."""
    return PAGES[slug].adjudicating if slug in PAGES else AdjudicationForm


def suggested_in(project: Project) -> dict[str, Suggested]:
    """Return what may be suggested under the protocols of a project, by kind; all if nobody was asked."""
    slugs = PAGES if project.protocols is None else project.protocols
    return {suggested.kind: suggested for slug in slugs if (suggested := page_of(slug).suggested)}


SUGGESTED: Final = {page.suggested.kind: page.suggested for page in PAGES.values() if page.suggested}
"""What may be suggested, by kind."""


def sheet_reader_of(slug: str) -> SheetReader | None:
    """Return the reader of a protocol's sheet; None for the counted sheet, and without a sheet."""
    sheet = page_of(slug).sheet
    return sheet.reader if sheet else None


def counted_cells_of(slug: str) -> CountedCells:
    """Return the converter of counted terms to payloads; raises KeyError for a protocol without counts."""
    sheet = page_of(slug).sheet
    if sheet is None or sheet.counted is None:
        raise KeyError(slug)
    return sheet.counted
