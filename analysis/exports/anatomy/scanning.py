"""Read marks from stored JSON text without decoding it, because a million annotations repeat few marks.

In JSON, a quotation mark inside a string is escaped, so `{"` always begins an object. Each distinct mark is
decoded and checked once; a text that does not consist only of such marks is decoded whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar

from analysis.exports.chunks import decoded

Made = TypeVar("Made")
Written = str | tuple[str, str]
"""A mark as written, without its pins: one piece if they come last, else the parts around them."""

_START: Final = '"marks": ['
# Every object but a pin, up to its first list: a whole mark as annotations are saved, with pins last.
_SAVED: Final[Callable[[str, int], list[Written]]] = re.compile(r'\{("[^x][^\[]*)\[').findall
# If the database reorders JSON keys (PostgreSQL: by length, then alphabetically), the pins are in the middle
# and the counts follow the marks.
_SORTED: Final[Callable[..., list[Written]]] = re.compile(r'\{("[^x][^\[]*)\[[^\]]*(\][^}]*)').findall
_SORTED_END: Final = '], "counts": {'
_KEYS: Final = {"type", "part", "severity", "affected", "total", "own_total", "pins"}
# More than a project has, yet small in memory.
_MOST: Final = 20_000


class Scanner(dict[Written, Made], Generic[Made]):
    """A cache of converted marks by their text; `made` converts a mark without its pins."""

    def __init__(self, made: Callable[[Mapping[str, Any]], Made]) -> None:
        super().__init__()
        self._made = made
        self._find: Callable[[str, int], list[Written]] = _SAVED

    def __missing__(self, written: Written) -> Made:
        before, after = (written, "]") if isinstance(written, str) else written
        mark = decoded(f"{{{before}[{after}}}")
        if mark.keys() != _KEYS:
            raise ValueError("not a mark")
        if len(self) >= _MOST:
            self.clear()
        found = self[written] = self._made(mark)
        return found

    def marks(self, payloads: Iterable[str]) -> Iterator[list[Made]]:
        """Yield the converted marks of each annotation, in order."""
        known = self.__getitem__
        for payload in payloads:
            start = payload.find(_START)
            try:
                found = list(map(known, self._find(payload, start)))
            except ValueError:
                found = self._decoded(payload, start)
            else:
                if not found and not payload.startswith("]", start + len(_START)):
                    found = self._decoded(payload, start)
            yield found

    def _decoded(self, payload: str, start: int) -> list[Made]:
        """Return the converted marks of a text in another form, which may be used from now on."""
        self._find = _sorted if payload.startswith('{"p', start + len(_START)) else _SAVED
        return [self._made(mark) for mark in decoded(payload)["marks"]]


def _sorted(payload: str, start: int) -> list[Written]:
    end = payload.find(_SORTED_END, start)
    return _SORTED(payload, start, end + 1) if end > 0 else []
