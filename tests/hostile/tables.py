"""Files that claim to be tables of annotations."""

from __future__ import annotations

import csv
import io
import random
import zipfile
from collections.abc import Callable
from typing import Any, Final

import openpyxl
from openpyxl.utils.exceptions import IllegalCharacterError

from scoring.grid.taxonomy import SHEET_COLUMNS
from tests.annotator.exchange.conftest import sheet_row
from tests.hostile.archives import changed

CELLS: Final = (
    *(
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "=cmd|' /C calc'!A0",
        "\t=1+1",
        "\r=1",
        '"',
        "'",
        "\0",
        "\x1b[31m",
        "💩",
    ),
    *("1/4c", "1/5", "²/4c", "１/４c", "١/٤c", "1_0/20c", " 1/4c ", "1/4c\n", "\ufeff1/4c", "\u202e1/4c"),
    *("1/99999999999999999999c", "1/4c," * 500, "a" * 40_000, "1e308", "NaN", "None", "TRUE", "1/1/2024"),
    *(
        "<script>alert(1)</script>",
        "{{7*7}}",
        "'; DROP TABLE annotator_annotation;--",
        "\ud7ff",
        "\U0001f4a9",
    ),
)
JSON: Final = (
    *(b"[]", b"{}", b"[{}]", b"[" * 5_000, b'[{"id": 1, "annotations": null}]', b'[{"id": NaN}]', b"null"),
    *(b'{"a": 1e999}', b'["\\ud800"]', b"[1, 2"),
    b'[{"data": {"image": "x"}, "annotations": [{"result": [{"value": 7}]}]}]',
)
ENCODINGS: Final = ("utf-16", "utf-32", "utf-8-sig", "cp1252", "utf-7", "cp037", "shift_jis")


def malformed(chance: random.Random, count: int) -> list[tuple[str, bytes]]:
    """Return name and contents of `count` files, each kind in turn."""
    kinds = list(KINDS.items())
    chosen = [(number, *kinds[number % len(kinds)]) for number in range(count)]
    return [(f"{make.__name__[1:]}-{number}.{ending}", make(chance)) for number, make, ending in chosen]


def _rows(chance: random.Random) -> list[list[str]]:
    rows = []
    for number in range(4):
        row = sheet_row(f"sdxl_hug_0{number % 3 + 1}", f"anno{chance.randrange(4)}")
        for _ in range(chance.randrange(1, 8)):
            row[chance.choice(SHEET_COLUMNS)] = chance.choice(CELLS)
        rows.append([row[heading] for heading in SHEET_COLUMNS])
    return [list(SHEET_COLUMNS), *rows]


def _csv(rows: list[list[str]], **options: Any) -> bytes:
    buffer = io.StringIO()
    csv.writer(buffer, **options).writerows(rows)
    return buffer.getvalue().encode("utf-8", "surrogatepass")


def _cells(chance: random.Random) -> bytes:
    end = chance.choice(("\n", "\r\n", "\r"))
    return _csv(_rows(chance), delimiter=chance.choice(",;\t"), lineterminator=end)


def _cut(chance: random.Random) -> bytes:
    whole = _cells(chance)
    return whole[: chance.randrange(len(whole))]


def _flipped(chance: random.Random) -> bytes:
    return changed(chance, _cells(chance), 30)


def _encoded(chance: random.Random) -> bytes:
    return _cells(chance).decode("utf-8", "replace").encode(chance.choice(ENCODINGS), "replace")


def _ragged(chance: random.Random) -> bytes:
    return _csv(
        [row[: chance.randrange(len(row) + 1)] + ["x"] * chance.randrange(5) for row in _rows(chance)]
    )


def _headed(chance: random.Random) -> bytes:
    head, *rows = _rows(chance)
    for _ in range(chance.randrange(1, 4)):
        head[chance.randrange(len(head))] = chance.choice((*CELLS, head[0]))
    return _csv([head, *rows])


def _quoted(chance: random.Random) -> bytes:
    whole = _cells(chance)
    place = chance.randrange(len(whole))
    return whole[:place] + chance.choice((b'"', b'""', b'"\n', b'\\"', b"\0", b"\r\r\n")) + whole[place:]


def _workbook(chance: random.Random) -> bytes:
    book = openpyxl.Workbook()
    for row in _rows(chance):
        values = [chance.choice((text, text, text, 7, 0.5, True, None)) if text else None for text in row]
        try:
            book.active.append(values)
        except IllegalCharacterError:
            continue
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _broken_workbook(chance: random.Random) -> bytes:
    whole = _workbook(chance)
    damaged = whole[:4] + changed(chance, whole[4:], 200)
    return damaged[: chance.choice((len(whole), chance.randrange(4, len(whole))))]


def _json(chance: random.Random) -> bytes:
    return chance.choice(JSON)


def _noise(chance: random.Random) -> bytes:
    return chance.choice((b"", b"PK\x03\x04", b"[", b"\xef\xbb\xbf")) + chance.randbytes(3_000)


KINDS: Final[dict[Callable[[random.Random], bytes], str]] = {
    **dict.fromkeys((_cells, _cut, _flipped, _encoded, _ragged, _headed, _quoted, _noise), "csv"),
    **dict.fromkeys((_workbook, _broken_workbook), "xlsx"),
    _json: "json",
}
"""The makers and the endings of their files."""


_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(sheet: str) -> bytes:
    """Return an ordinary workbook whose sheet is the caller's XML."""
    plain, changed = io.BytesIO(), io.BytesIO()
    openpyxl.Workbook().save(plain)
    own = {"xl/worksheets/sheet1.xml": sheet}
    with zipfile.ZipFile(plain) as before, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            after.writestr(name, own.get(name, before.read(name)))
    return changed.getvalue()


def cells(rows: str, after: str = "") -> str:
    """A sheet with these rows."""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData>{after}</worksheet>'


def merged_without_end(size: int) -> bytes:
    """The word that merges cells, again and again, in an element without an end."""
    return workbook(cells("<row><c/></row>", "<mergeCells>" + "<mergeCell " + "mergeCell " * size))


def merged_ranges(size: int) -> bytes:
    """Ranges of one cell each."""
    ranges = '<mergeCell ref="A2"/>' * size
    return workbook(cells("<row/>" * 3, f"<mergeCells>{ranges}</mergeCells>"))


def empty_cells(size: int) -> bytes:
    """One row of empty cells."""
    return workbook(cells(f"<row>{'<c/>' * size}</row>"))


def one_cell_again(size: int) -> bytes:
    """One row that repeats the same cell."""
    same = '<c r="A1"/>' * size
    return workbook(cells(f"<row>{same}</row>"))


def empty_rows(size: int) -> bytes:
    """Empty rows."""
    return workbook(cells("<row/>" * size))


def wide_rows(size: int) -> bytes:
    """A header of five hundred columns, and rows of one cell, each of which counts as five hundred."""
    headings = (*SHEET_COLUMNS, *range(500 - len(SHEET_COLUMNS)))
    header = "".join(f"<c t='str'><v>{heading}</v></c>" for heading in headings)
    return workbook(cells(f"<row>{header}</row>" + "<row><c t='str'><v>x</v></c></row>" * size))


def tag_without_end(size: int) -> bytes:
    """A cell whose tag does not end."""
    return workbook(cells(f'<row><c r="{"A" * size}'))


def nested(size: int) -> bytes:
    """Nested elements."""
    return workbook(cells("<a>" * size))
