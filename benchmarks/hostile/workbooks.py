"""Hostile workbooks of a size, for the benchmark of growth and for tests."""

from __future__ import annotations

import io
import zipfile
from typing import Final

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"

_TYPES: Final = "http://schemas.openxmlformats.org/package/2006/content-types"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def workbook(sheet: str, strings: str = "", styles: str = "") -> bytes:
    """Return a workbook of one sheet, assembled from the caller's parts."""
    parts = {"sheet": sheet, "sharedStrings": strings, "styles": styles}
    kinds = {"sheet": "worksheet"}
    about = "".join(
        f'<Relationship Id="{name}" Type="{_OFFICE}/{kinds.get(name, name)}" Target="{name}.xml"/>'
        for name in parts
        if parts[name]
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("[Content_Types].xml", _contents_of(parts))
        made.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="a" Type="{_OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        made.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="a" sheetId="1" '
            'r:id="sheet"/></sheets></workbook>',
        )
        made.writestr(
            "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{_PACKAGE}">{about}</Relationships>'
        )
        for name, text in parts.items():
            if text:
                made.writestr(f"xl/{name}.xml", text)
    return buffer.getvalue()


def _contents_of(parts: dict[str, str]) -> str:
    kinds = {"workbook": "sheet.main", "sheet": "worksheet"}
    overrides = "".join(
        f'<Override PartName="/xl/{name}.xml" ContentType="{_TYPE}.{kinds.get(name, name)}+xml"/>'
        for name in ("workbook", *(name for name, text in parts.items() if text))
    )
    return f'<Types xmlns="{_TYPES}">{overrides}</Types>'


def cells(inside: str, after: str = "") -> str:
    """A sheet with these rows."""
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{inside}</sheetData>{after}</worksheet>'


def merged_without_end(size: int) -> bytes:
    """Repeat the word that merges cells in an element without an end."""
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
    header = "".join(f"<c t='str'><v>{number}</v></c>" for number in range(500))
    return workbook(cells(f"<row>{header}</row>" + "<row><c t='str'><v>x</v></c></row>" * size))


def one_string_shown_often(size: int) -> bytes:
    """A string of 20,000 characters that is written once and shown in every row."""
    strings = f'<sst xmlns="{_MAIN}"><si><t>{"x" * 20_000}</t></si></sst>'
    return workbook(cells('<row><c t="s"><v>0</v></c></row>' * size), strings)


def many_strings(size: int) -> bytes:
    """Strings that no cell shows."""
    return workbook(cells("<row/>"), f'<sst xmlns="{_MAIN}">{"<si><t>x</t></si>" * size}</sst>')


def tag_without_end(size: int) -> bytes:
    """A cell whose tag does not end."""
    return workbook(cells(f'<row><c r="{"A" * size}'))


def many_styles(size: int) -> bytes:
    """Number formats with unclosed brackets."""
    formats = f'<numFmt numFmtId="200" formatCode="{"[" * 250}"/>' * size
    return workbook(cells("<row/>"), styles=f'<styleSheet xmlns="{_MAIN}">{formats}</styleSheet>')


def nested(size: int) -> bytes:
    """Nested elements."""
    return workbook(cells("<a>" * size))


def shared_formulas(size: int) -> bytes:
    """One long formula, and as many cells that refer to it."""
    long = "A1+" * size
    rows = f'<row><c><f t="shared" si="0">{long}1</f></c></row>'
    return workbook(cells(rows + '<row><c><f t="shared" si="0"/></c></row>' * size))
