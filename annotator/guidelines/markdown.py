"""Markdown to HTML that is safe in a page, and to plain text.

markdown-it-py reads CommonMark without HTML and without images; nh3 then keeps only the listed elements, so
that a mistake in one of the two is not enough for a script.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import Any, Final

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

DEEPEST: Final = 12
"""Nested lists and quotes; what is deeper is left out."""
ELEMENTS: Final = frozenset(
    {"p", "br", "hr", "strong", "em", "code", "pre", "blockquote", "ul", "ol", "li", "a", "h3"}
    | {"table", "thead", "tbody", "tr", "th", "td"}
)
SCHEMES: Final = frozenset({"http", "https", "mailto"})
_ENDS: Final = re.compile(r"</(?:p|li|h3|td|th|pre|blockquote)>|<br>|<hr>")


def to_html(text: str) -> SafeString:
    """Return Markdown as HTML: no HTML of its own, no images, links of known schemes with rel=noopener.

    Headings become h3, because the page has its own above them.
    """
    drawn = _READER.renderer.render(_levelled(_READER.parse(text)), _READER.options, {})
    clean = nh3.clean(
        drawn,
        tags=set(ELEMENTS),
        attributes={"a": {"href"}, "ol": {"start"}, "*": set()},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer",
    )
    return mark_safe(clean)  # noqa: S308 - the line above


def to_text(text: str) -> str:
    """Return Markdown as one line of plain text, without marks of emphasis and addresses of links."""
    spaced = _ENDS.sub(lambda end: end.group() + " ", str(to_html(text)))
    return " ".join(html.unescape(nh3.clean(spaced, tags=set())).split())


def _levelled(tokens: Sequence[Token]) -> Sequence[Token]:
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h3"
    return tokens


def _reader() -> MarkdownIt:
    options: dict[str, Any] = {"html": False, "linkify": False, "typographer": False, "maxNesting": DEEPEST}
    return MarkdownIt("commonmark", options).enable("table").disable(["image", "html_block", "html_inline"])


_READER: Final = _reader()
