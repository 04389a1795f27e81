"""Marks out of an answer's stored text without decoding it: a million answers are made of few marks.

The text is JSON, so a quotation mark inside a text is escaped and `{"` can be nothing but the beginning of an
object. Each mark that is unlike all before is decoded and checked; a text that is not of such marks from end
to end, as nothing here writes it, is decoded whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Generic, TypeVar

from analysis.exports.chunks import decoded

Made = TypeVar("Made")
Written = str | tuple[str, str]
"""A mark as it is written, without its pins: in one piece where they come last, else what is around them."""

_START: Final = '"marks": ['
# Every object but a pin, up to its first list: a whole mark as answers are saved, its pins last.
_SAVED: Final[Callable[[str, int], list[Written]]] = re.compile(r'\{("[^x][^\[]*)\[').findall
# Where the database keeps JSON in an order of its own (PostgreSQL: by length, then by letter) the pins stand
# in the middle, and after the marks come the counts.
_SORTED: Final[Callable[..., list[Written]]] = re.compile(r'\{("[^x][^\[]*)\[[^\]]*(\][^}]*)').findall
_SORTED_END: Final = '], "counts": {'
_KEYS: Final = {"type", "part", "severity", "affected", "total", "own_total", "pins"}
# Above what a project has, and small in memory.
_MOST: Final = 20_000


class Scanner(dict[Written, Made], Generic[Made]):
    """What is made of each mark, by how the mark is written; `made` gets a mark without its pins."""

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
        """Yield what the marks of each answer make, in their order."""
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
        """The same for a text that is not of the form looked for, which may be the other one from now on."""
        self._find = _sorted if payload.startswith('{"p', start + len(_START)) else _SAVED
        return [self._made(mark) for mark in decoded(payload)["marks"]]


def _sorted(payload: str, start: int) -> list[Written]:
    end = payload.find(_SORTED_END, start)
    return _SORTED(payload, start, end + 1) if end > 0 else []
