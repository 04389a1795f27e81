"""Write a small XLSX file without openpyxl, which would load numpy into the web process.

The parts follow ECMA-376: inline texts, one style for text and one for headings, data validation, links,
frozen panes, a hidden column.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_LONG_AGO: Final = (2000, 1, 1, 0, 0, 0)
# Characters that XML cannot hold or preserve, and text that looks like their escape.
_ESCAPED: Final = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")

PLAIN, TEXT, HEADING, LINK = range(4)
_STYLES: Final = (
    f'<styleSheet xmlns="{_MAIN}">'
    '<fonts count="3"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font>'
    '<font><u/><sz val="11"/><color rgb="FF0B57D0"/><name val="Calibri"/></font></fonts>'
    '<fills count="3"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill>'
    '<fill><patternFill patternType="solid"><fgColor rgb="FFF1F3F4"/></patternFill></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="4"><xf/><xf numFmtId="49" applyNumberFormat="1"/>'
    '<xf fontId="1" fillId="2" applyFont="1" applyFill="1" applyAlignment="1">'
    '<alignment wrapText="1" vertical="top"/></xf><xf fontId="2" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>'
    "</styleSheet>"
)


@dataclass(frozen=True)
class SheetColumn:
    """A column: heading, width in characters, style, and whether it is hidden."""

    heading: str
    width: int = 12
    style: int = TEXT
    hidden: bool = False


@dataclass(frozen=True)
class Condition:
    """Validation of cells from row 2: a list of words, or a formula relative to the first cell."""

    columns: tuple[int, int]
    title: str
    message: str
    formula: str
    listed: bool = False


@dataclass(frozen=True)
class Worksheet:
    """One sheet; links map (row from 0, column) to addresses."""

    name: str
    columns: Sequence[SheetColumn]
    rows: Sequence[Sequence[str]]
    conditions: Sequence[Condition] = ()
    links: Sequence[tuple[int, int, str]] = ()
    frozen: int = 0


def workbook(pages: Sequence[Worksheet]) -> bytes:
    """Return the file; the same pages make the same bytes."""
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, text in _parts(pages):
            entry = ZipInfo(name, _LONG_AGO)
            entry.compress_type = ZIP_DEFLATED
            archive.writestr(entry, _HEAD + text)
    return buffer.getvalue()


def _parts(pages: Sequence[Worksheet]) -> Iterable[tuple[str, str]]:
    numbers = range(1, len(pages) + 1)
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{each}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for each in numbers
    )
    yield (
        "[Content_Types].xml",
        f'<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{types}</Types>',
    )
    yield "_rels/.rels", _relations([("officeDocument", "xl/workbook.xml", False)])
    listed = [("worksheet", f"worksheets/sheet{each}.xml", False) for each in numbers]
    yield "xl/_rels/workbook.xml.rels", _relations([*listed, ("styles", "styles.xml", False)])
    named = "".join(
        f'<sheet name={quoteattr(page.name)} sheetId="{each}" r:id="r{each}"/>'
        for each, page in zip(numbers, pages, strict=True)
    )
    yield (
        "xl/workbook.xml",
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><bookViews><workbookView/></bookViews>'
        f"<sheets>{named}</sheets></workbook>",
    )
    yield "xl/styles.xml", _STYLES
    for each, page in zip(numbers, pages, strict=True):
        yield f"xl/worksheets/sheet{each}.xml", _sheet(page)
        if page.links:
            targets = [("hyperlink", target, True) for _, _, target in page.links]
            yield f"xl/worksheets/_rels/sheet{each}.xml.rels", _relations(targets)


def _relations(found: Iterable[tuple[str, str, bool]]) -> str:
    listed = "".join(
        f'<Relationship Id="r{number}" Type="{_OFFICE}/{kind}" Target={quoteattr(target)}'
        f"{' TargetMode=' + quoteattr('External') if outside else ''}/>"
        for number, (kind, target, outside) in enumerate(found, start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{listed}</Relationships>'


def _sheet(page: Worksheet) -> str:
    """Return the parts of a sheet, in the order of the standard."""
    pane = ""
    if page.frozen:
        corner = f"{letters(page.frozen)}2"
        pane = (
            '<sheetViews><sheetView tabSelected="1" workbookViewId="0">'
            f'<pane xSplit="{page.frozen}" ySplit="1" '
            f'topLeftCell="{corner}" activePane="bottomRight" state="frozen"/>'
            f'<selection pane="bottomRight" activeCell="{corner}" sqref="{corner}"/>'
            "</sheetView></sheetViews>"
        )
    columns = "".join(
        f'<col min="{place}" max="{place}" width="{column.width}" style="{column.style}" customWidth="1"'
        f"{' hidden=' + quoteattr('1') if column.hidden else ''}/>"
        for place, column in enumerate(page.columns, start=1)
    )
    heading = _row(1, [(column.heading, HEADING) for column in page.columns])
    styles = [column.style for column in page.columns]
    rows = "".join(
        _row(number, list(zip(row, styles, strict=False))) for number, row in enumerate(page.rows, start=2)
    )
    linked = "".join(
        f'<hyperlink ref="{letters(column)}{row + 2}" r:id="r{number}"/>'
        for number, (row, column, _) in enumerate(page.links, start=1)
    )
    return (
        f'<worksheet xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{pane}<cols>{columns}</cols>'
        f"<sheetData>{heading}{rows}</sheetData>{_conditions(page)}"
        f"{f'<hyperlinks>{linked}</hyperlinks>' if linked else ''}</worksheet>"
    )


def _row(number: int, cells: Sequence[tuple[str, int]]) -> str:
    # Empty cells are omitted: the column has the style.
    written = "".join(
        f'<c r="{letters(place)}{number}" s="{style}" t="inlineStr"><is>'
        f'<t xml:space="preserve">{_text(text)}</t></is></c>'
        for place, (text, style) in enumerate(cells)
        if text
    )
    return f'<row r="{number}">{written}</row>'


def _conditions(page: Worksheet) -> str:
    if not page.conditions or not page.rows:
        return ""
    last = len(page.rows) + 1
    written = "".join(
        f'<dataValidation type="{"list" if each.listed else "custom"}" allowBlank="1" showInputMessage="1" '
        f'showErrorMessage="1" errorTitle={quoteattr(each.title)} error={quoteattr(each.message)} '
        f"promptTitle={quoteattr(each.title)} prompt={quoteattr(each.message)} "
        f'sqref="{letters(each.columns[0])}2:{letters(each.columns[1])}{last}">'
        f"<formula1>{escape(each.formula)}</formula1></dataValidation>"
        for each in page.conditions
    )
    return f'<dataValidations count="{len(page.conditions)}">{written}</dataValidations>'


def letters(column: int) -> str:
    """Return a column's name: A for 0, AA for 26."""
    return (letters(column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


def _text(text: str) -> str:
    return escape(_ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text))
