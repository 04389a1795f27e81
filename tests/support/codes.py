"""A page's messages by code: sentences may be rewritten, codes stay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any

import pytest

from annotator.inputs.refusal import Refusal

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class _Reader(HTMLParser):
    """The text of every element with a data-code, in page order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, list[str]]] = []
        self._open: list[list[str] | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        code = dict(attrs).get("data-code")
        texts: list[str] | None = [] if code else None
        if code and texts is not None:
            self.found.append((code, texts))
        self._open.append(texts)

    def handle_endtag(self, tag: str) -> None:
        if self._open and tag not in VOID:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for texts in self._open:
            if texts is not None:
                texts.append(data)


def _found(page: Any) -> list[tuple[str, str]]:
    reader = _Reader()
    reader.feed(page if isinstance(page, str) else page.content.decode())
    return [(code, " ".join("".join(texts).split())) for code, texts in reader.found]


def codes(page: Any) -> list[str]:
    """Return the codes of a page, given as response or text, in order."""
    return [code for code, _ in _found(page)]


def said(page: Any, code: str) -> str:
    """Return the message of a code; fail unless the page has it once."""
    [text] = [text for each, text in _found(page) if each == code]
    return text


def numbers(page: Any, code: str) -> list[str]:
    """Return the numbers in a code's message, as written."""
    return re.findall(r"\d[\d,.]*(?<![.,])", said(page, code))


@contextmanager
def refused(kind: type[Refusal], code: str) -> Iterator[None]:
    """Expect the block to be refused for this reason."""
    with pytest.raises(kind) as caught:
        yield
    assert caught.value.code == code
