"""Read the parts of an XLSX file as streams, counting before building.

A library that builds the sheet first expands a malicious file of 12 KB before it can be counted. Only what a
table of texts needs is read: strings, date styles and cells.
"""

from __future__ import annotations

import posixpath
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from xml.parsers.expat import ExpatError, ParserCreate
from zipfile import BadZipFile, ZipFile

from annotator.work.machine_faults import blames_machine

MOST_DEPTH: Final = 50
"""Levels of elements; spreadsheets have a dozen."""
MOST_ELEMENTS: Final = 20_000_000
_MOST_ABOUT: Final = 500_000
"""Elements of the parts that describe other parts."""
_PIECE: Final = 64 * 1024
_LONGEST_TAG: Final = 1024 * 1024
"""Bytes of a tag or a comment; a spreadsheet's have a few hundred. Text may be longer."""
_LONGEST_FORMAT: Final = 255
# Built-in number formats of dates and times (ECMA-376, 18.8.30).
_DATE_FORMATS: Final = {*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)}
_NO_DATE_LETTERS: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\[\]]*\]', re.IGNORECASE)
_DATE_LETTERS: Final = re.compile(r"[dmyhs]", re.IGNORECASE)

Attributes = Mapping[str, str]
Start = Callable[[str, Attributes], None]
End = Callable[[str], None]
Text = Callable[[str], None]


class Damaged(Exception):
    """The file is not a valid workbook."""


@dataclass(frozen=True)
class Book:
    """The path of the first visible sheet (None without one), the strings, and the date styles."""

    sheet: str | None
    strings: list[str]
    dates: frozenset[int]


def read_book(archive: ZipFile) -> Book:
    """Read everything but the cells. Raises Damaged."""
    place = next(iter(_targets(archive, "_rels/.rels", "", "/officeDocument").values()), "xl/workbook.xml")
    folder, name = posixpath.split(place)
    about = f"{folder}/_rels/{name}.rels"
    sheets = _targets(archive, about, folder, "/worksheet")
    sheet = next((sheets[key] for key in _visible(archive, place) if key in sheets), None)
    # A workbook has one part of each kind; a hostile one may refer to it half a million times.
    texts = next(iter(_targets(archive, about, folder, "/sharedStrings").values()), None)
    styles = next(iter(_targets(archive, about, folder, "/styles").values()), None)
    strings = [] if texts is None else _strings(archive, texts)
    return Book(sheet, strings, frozenset() if styles is None else _dates(archive, styles))


def stream(
    archive: ZipFile, part: str, start: Start, end: End, text: Text, *, most: int = MOST_ELEMENTS
) -> Iterator[None]:
    """Parse a part element by element with local names; yield after every chunk.

    Raises Damaged for invalid XML, entity definitions, too deep nesting, or a tag that does not end.
    """
    depth = count = fed = 0

    def begun(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, count
        depth, count = depth + 1, count + 1
        if depth > MOST_DEPTH or count > most:
            raise Damaged
        start(name.rpartition(" ")[2], attributes)

    def ended(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name.rpartition(" ")[2])

    parser = ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = begun
    parser.EndElementHandler = ended
    parser.CharacterDataHandler = text
    parser.StartDoctypeDeclHandler = _refuse
    try:
        with archive.open(part) as opened:
            while piece := opened.read(_PIECE):
                parser.Parse(piece, False)
                fed += len(piece)
                # With each piece, the parser begins again at the start of what has not ended.
                if fed - parser.CurrentByteIndex > _LONGEST_TAG:
                    raise Damaged
                yield
        parser.Parse(b"", True)
    except (KeyError, BadZipFile, ExpatError, EOFError, NotImplementedError, OSError, RuntimeError) as error:
        if blames_machine(error):
            raise
        raise Damaged from error
    except (ValueError, LookupError, zlib.error) as error:  # an unknown encoding, for example
        raise Damaged from error
    yield


def _refuse(*_: object) -> None:
    raise Damaged


@dataclass
class _Texts:
    """Gather the text of `t` inside each `si`, without phonetic hints."""

    found: list[str] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _taking: bool = False
    _aside: int = 0

    def start(self, name: str, _: Attributes) -> None:
        self._aside += name == "rPh"
        self._taking = name == "t" and not self._aside

    def end(self, name: str) -> None:
        self._aside -= name == "rPh"
        self._taking = False
        if name == "si":
            self.found.append(unescaped("".join(self._pieces)))
            self._pieces = []

    def text(self, data: str) -> None:
        if self._taking:
            self._pieces.append(data)


def unescaped(text: str) -> str:
    """Unescape underscores that a spreadsheet escaped."""
    return text.replace("_x005F_", "_") if "_x005F_" in text else text


def _strings(archive: ZipFile, part: str) -> list[str]:
    texts = _Texts()
    for _ in stream(archive, part, texts.start, texts.end, texts.text):
        pass
    return texts.found


def _elements(archive: ZipFile, part: str) -> list[tuple[str, dict[str, str]]]:
    """Return the elements of a part, with attributes under their local names."""
    found: list[tuple[str, dict[str, str]]] = []

    def start(name: str, attributes: Attributes) -> None:
        found.append((name, {key.rpartition(" ")[2]: value for key, value in attributes.items()}))

    for _ in stream(archive, part, start, _ignore, _ignore, most=_MOST_ABOUT):
        pass
    return found


def _ignore(_: str) -> None:
    return None


def _targets(archive: ZipFile, part: str, folder: str, kind: str) -> dict[str, str]:
    """Return the parts of a kind that another part refers to, by reference id."""
    if part.lstrip("/") not in archive.namelist():
        return {}
    return {
        about.get("Id", ""): _place(folder, about.get("Target", ""))
        for name, about in _elements(archive, part.lstrip("/"))
        if name == "Relationship" and about.get("Type", "").endswith(kind)
    }


def _place(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")


def _visible(archive: ZipFile, part: str) -> list[str]:
    """Return the ids of the visible sheets, in order."""
    return [
        about.get("id", "")
        for name, about in _elements(archive, part)
        if name == "sheet" and about.get("state", "visible") == "visible"
    ]


def _dates(archive: ZipFile, part: str) -> frozenset[int]:
    """Return the indexes of cell styles for dates or times."""
    dates = {str(number) for number in _DATE_FORMATS}
    styles: list[str] = []
    inside = False
    for name, about in _elements(archive, part):
        if name == "numFmt" and _shows_a_date(about.get("formatCode", "")):
            dates.add(about.get("numFmtId", ""))
        elif name in ("cellXfs", "cellStyleXfs", "cellStyles", "dxfs"):
            inside = name == "cellXfs"
        elif name == "xf" and inside:
            styles.append(about.get("numFmtId", "0"))
    return frozenset(number for number, style in enumerate(styles) if style in dates)


def _shows_a_date(code: str) -> bool:
    first = code[:_LONGEST_FORMAT].split(";", 1)[0]
    return bool(_DATE_LETTERS.search(_NO_DATE_LETTERS.sub("", first)))
