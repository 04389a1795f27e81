"""The annotation sheet: one row per image and annotator.

A rating sheet has a protocol's own columns in place of the 25 cells, and short names of the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from annotator.exchange.formats.budget import MOST_PROBLEMS, MOST_TERMS
from annotator.exchange.formats.names import normal_form, whole_number
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.tables import Lines, Record, Table, Texts, table_of
from annotator.exchange.formats.workbooks import IS_DATE
from annotator.inputs.plain_text import TURNS, turns_text_round
from scoring.grid.notation import CellProblem, Term, cell_warnings, is_only_a_comma, read_cell
from scoring.grid.taxonomy import CELLS, Cell
from scoring.prompts import LONGEST_PROMPT

LONGEST_CODE: Final = 80
_MADE_BY_SPREADSHEET: Final = re.compile(r"TRUE|FALSE|\d([.,]\d+)?E[+-]\d+")
_CONVERTED: Final = "is what a spreadsheet made of a code; format the column as text and type it again"
_SHOWN: Final = 60
_MONTHS: Final = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE: Final = re.compile(
    r"\d{4}-\d\d?-\d\d?( 00:00:00)?|\d\d?[./-]\d\d?[./-]\d{2,4}"
    rf"|\d\d?[.\s-]*({_MONTHS})[a-z]*\.?|({_MONTHS})[a-z]*[.\s-]*\d\d?",
    re.IGNORECASE,
)
LONGEST_GENERATOR: Final = 120
LONGEST_NAME: Final = LONGEST_GENERATOR + LONGEST_PROMPT + 16
"""Characters of an Image Id or a file name: generator, prompt and number joined."""
FILE: Final = "file"
"""The column with the path of an image."""
SHA256: Final = "sha256"
"""The column with the digest of its file."""


def rationale_heading(component: str) -> str:
    """Return the heading of the column with the reasons for the values of a cell, such as `missing.limbs`."""
    return f"Rationale {component}"


@dataclass(frozen=True)
class SheetRow:
    """One usable row: names as written, `number` parsed, `cells` the raw non-empty texts by heading.

    `terms` are the well-formed terms by cell key, `problems` the others. A row with an Image Id, a `picture`,
    the path of its image, or a `sha256` may lack names and number.
    `payload` is the annotation under a protocol whose cells are not terms; `terms` is empty then.
    """

    number_in_file: int
    image_id: str
    generator: str
    prompt: str
    number: int | None
    annotator: str
    cells: Mapping[str, str]
    terms: Mapping[str, tuple[Term, ...]]
    problems: tuple[RowNote, ...]
    others: Mapping[str, str]
    picture: str = ""
    sha256: str = ""
    payload: Mapping[str, Any] | None = None

    @property
    def says_no_errors(self) -> bool:
        """Whether all cells are empty."""
        return not self.cells

    def source(self, file: str) -> dict[str, Any]:
        """Return the original row, to be stored with the annotation."""
        return {
            "file": file,
            "row": self.number_in_file,
            "image_id": self.image_id,
            "model": self.generator,
            "prompt": self.prompt,
            "cells": dict(self.cells),
            "problems": [problem.as_json() for problem in self.problems],
            **({"other_columns": dict(self.others)} if self.others else {}),
        }


OTHER_COLUMN: Final = "not a column of the sheet; its values are kept with each annotation"
NOTHING_READABLE: Final = (
    "no term of the row can be read: kept as it is, without a score until you correct it"
)


@dataclass(frozen=True)
class Sheet:
    """The content of an annotation file: usable rows, refused rows, and remarks.

    `rejected_terms` are not scored. `warnings` are on the file as a whole and on unusual values.
    """

    name: str
    rows: tuple[SheetRow, ...]
    refused: tuple[RowNote, ...]
    rejected_terms: tuple[RowNote, ...]
    warnings: tuple[RowNote, ...]


def sheet_of(table: Table, *, raw: bool = False) -> Sheet:
    """Return the sheet of a table; raises StudyRefused for one without rows.

    `raw` leaves the cells unread, for another protocol.
    """
    if not table.records:
        raise StudyRefused(f"{table.name} has a header but no rows.")
    rows: list[SheetRow] = []
    refused: list[RowNote] = []
    for record in table.records:
        row = _read_row(record, table.other_columns, raw)
        if isinstance(row, SheetRow):
            rows.append(row)
        else:
            refused.append(row)
    remarks = (*table.notes, *_about_columns(table))
    return sheet_of_rows(table.name, rows, refused=refused, remarks=remarks)


def sheet_of_rows(
    name: str, rows: Iterable[SheetRow], *, refused: Iterable[RowNote], remarks: Iterable[RowNote]
) -> Sheet:
    """Return the sheet of these rows, with remarks on unusual values. Raises StudyRefused."""
    kept = list(rows)
    rejected = [problem for row in kept for problem in row.problems]
    if len(rejected) > MOST_PROBLEMS:
        raise StudyRefused(
            f"{name} has {len(rejected):,} unreadable terms, the first in row {rejected[0].row}; at most "
            f"{MOST_PROBLEMS:,} are listed. Its cells use another notation.",
            code="too_many_problems",
            row=rejected[0].row,
        )
    lost: list[RowNote] = []
    commas: list[RowNote] = []
    for problem in rejected:
        (commas if is_only_a_comma(problem.text) else lost).append(problem)
    warnings = (*remarks, *_about_spelling(kept), *commas, *_about_cells(kept))
    return Sheet(name, tuple(kept), tuple(refused), tuple(lost), warnings)


def _read_row(record: Record, other_columns: tuple[str, ...], raw: bool) -> SheetRow | RowNote:
    values = {heading: value.strip() for heading, value in record.values.items()}
    names = {heading: values.get(heading, "") for heading in ("Image Id", "Model", "Prompt", "Annotator")}
    fault = _fault(record, names, record.values["Pic Num."].strip())
    if fault is not None:
        column, reason = fault
        return RowNote(record.number, column, names["Image Id"], reason)
    cells = {cell.heading: record.values[cell.heading] for cell in CELLS if values.get(cell.heading)}
    terms, problems = ({}, ()) if raw else read_cells(record.number, cells)
    return SheetRow(
        number_in_file=record.number,
        image_id=names["Image Id"],
        generator=names["Model"],
        prompt=names["Prompt"],
        number=whole_number(record.values["Pic Num."]),
        annotator=names["Annotator"],
        cells=cells,
        terms=terms,
        problems=problems,
        others={heading: values[heading] for heading in other_columns if values.get(heading)},
        picture=record.picture,
        sha256=record.sha256,
    )


def _fault(record: Record, names: Mapping[str, str], number: str) -> tuple[str, str] | None:
    """Return the column and the reason if the row is unusable."""
    if record.problem:
        return record.column, record.problem
    for column, name in ((FILE, record.picture), ("Image Id", names["Image Id"])):
        if len(name) > LONGEST_NAME:
            return column, f"{column} is longer than {LONGEST_NAME:,} characters"
    is_named = bool(record.picture or record.sha256 or names["Image Id"])
    limits = {"Model": LONGEST_GENERATOR, "Prompt": LONGEST_PROMPT, "Annotator": LONGEST_CODE}
    for column, longest in limits.items():
        # By length first: only short names are compared.
        if len(names[column]) > longest:
            return column, f"{column} is longer than {longest} characters"
        empty = not names[column] or (column != "Annotator" and not normal_form(names[column]))
        if empty and (column == "Annotator" or not is_named):
            return column, f"{column} is empty"
        if turns_text_round(names[column]):
            return column, f"{column} {TURNS}"
    if _MADE_BY_SPREADSHEET.fullmatch(names["Annotator"]):
        return "Annotator", f"Annotator “{names['Annotator']}” {_CONVERTED}"
    if whole_number(number) is None and (number or not is_named):
        return "Pic Num.", f"Pic Num. “{number[:40]}” is not a whole number"
    return cell_fault(record.values)


def cell_fault(values: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first of the 25 cells with a date or too many terms, and the reason for refusing it."""
    for cell in CELLS:
        text = values.get(cell.heading, "")
        if (terms := text.count(",") + 1) > MOST_TERMS:
            return cell.heading, f"the cell has {terms:,} terms; at most {MOST_TERMS} are read"
        if len(text) <= _SHOWN and _DATE.fullmatch(text.strip()):
            return cell.heading, f"“{text.strip()}” is {IS_DATE}"
    return None


def read_cells(row: int, cells: Mapping[str, str]) -> tuple[dict[str, tuple[Term, ...]], tuple[RowNote, ...]]:
    """Return the well-formed terms of a row by cell key, and the others."""
    terms: dict[str, tuple[Term, ...]] = {}
    problems: list[RowNote] = []
    for cell in CELLS:
        read, rejected = read_cell(cells.get(cell.heading, ""))
        if read:
            terms[cell.key] = read
        problems += [_note(row, cell, problem) for problem in rejected]
    return terms, tuple(problems)


def _note(row: int, cell: Cell, problem: CellProblem) -> RowNote:
    # Empty terms are reported once, with the whole cell.
    text = problem.text[:_SHOWN] if problem.code == "empty_term" else problem.text
    return RowNote(row, cell.heading, text, problem.reason)


def _about_columns(table: Table) -> list[RowNote]:
    return [RowNote(1, heading, heading, OTHER_COLUMN) for heading in table.other_columns]


def _about_cells(rows: list[SheetRow]) -> list[RowNote]:
    """Return remarks on unusual, well-formed cells."""
    return [
        RowNote(row.number_in_file, cell.heading, row.cells[cell.heading], warning.message)
        for row in rows
        for cell in CELLS
        if cell.key in row.terms
        for warning in cell_warnings(row.terms[cell.key], cell)
    ] + [
        RowNote(row.number_in_file, row.problems[0].column, row.image_id, NOTHING_READABLE)
        for row in rows
        if row.problems and not row.terms
    ]


def _about_spelling(rows: list[SheetRow]) -> list[RowNote]:
    """Return remarks on names of one column that differ only in spelling."""
    notes = []
    first: dict[tuple[str, str], str] = {}
    told: set[tuple[str, str]] = set()
    for row in rows:
        for column, name in (("Model", row.generator), ("Prompt", row.prompt), ("Annotator", row.annotator)):
            seen = first.setdefault((column, normal_form(name)), name)
            if name != seen and (column, name) not in told:
                told.add((column, name))
                notes.append(RowNote(row.number_in_file, column, name, _spelling(column, seen)))
    return notes


def _spelling(column: str, seen: str) -> str:
    if column == "Annotator":
        return f"differs from “{seen}” only in spelling; they are treated as two annotators"
    return f"treated as “{seen}”, from which it differs only in spelling"


NAMES: Final = {"generator": "Model", "prompt": "Prompt", "number": "Pic Num.", "annotator": "Annotator"}
"""The columns that identify an annotation, and their names in the sheet of the study."""
_IMAGE_ID: Final = "Image Id"
_SHEET_NAMES: Final = {theirs: ours for ours, theirs in NAMES.items()}
_NO_IMAGE: Final = (
    "{name} does not say which image a row is about: it needs the columns “generator”, “prompt” and "
    "“number”, or the column “file”, “sha256” or “Image Id”."
)


def rating_table(lines: Lines, own: Collection[str]) -> Table:
    """Return the table; the first of a protocol's `own` columns is required. Raises StudyRefused."""
    first, *rest = own
    optional = ("generator", "prompt", "number", FILE, SHA256, _IMAGE_ID, *rest)
    required = ("annotator", first)
    # A row without a rating may state another column instead, or is refused for what it lacks.
    table = table_of(lines, required=required, optional=optional, reached=("annotator",))
    there = set(table.columns)
    if there.isdisjoint((FILE, SHA256, _IMAGE_ID)) and not {"generator", "prompt", "number"} <= there:
        raise StudyRefused(_NO_IMAGE.format(name=lines.name))
    return table


def read_ratings(table: Table, own: Collection[str]) -> Sheet:
    """Return the rows with the texts of a protocol's `own` columns as cells, unread.

    Raises StudyRefused for a table without rows.
    """
    if not table.records:
        raise StudyRefused(f"{table.name} has a header but no rows.")
    rows: list[SheetRow] = []
    refused: list[RowNote] = []
    for record in table.records:
        row = _rating_row(record, own)
        if isinstance(row, RowNote):
            column = _SHEET_NAMES.get(row.column, row.column)
            refused.append(replace(row, column=column, reason=row.reason.replace(row.column or "\0", column)))
        else:
            rows.append(row)
    return sheet_of_rows(table.name, rows, refused=refused, remarks=table.notes)


def _rating_row(record: Record, own: Collection[str]) -> SheetRow | RowNote:
    """Return the row by the rules of the study's sheet."""
    named = {theirs: record.values.get(ours, "") for ours, theirs in NAMES.items()}
    picture = record.values.get(FILE, "").strip()
    image_id = record.values.get(_IMAGE_ID, "")
    sha256 = record.values.get(SHA256, "").strip()
    values = Texts({**named, _IMAGE_ID: image_id})
    names = " ".join(filter(None, (named["Model"], named["Prompt"], named["Pic Num."])))
    described = picture or names or image_id or sha256
    table = Table("", [replace(record, values=values, picture=picture, sha256=sha256)])
    sheet = sheet_of(table, raw=True)
    if not sheet.rows:
        return replace(sheet.refused[0], text=described)
    texts = {heading: record.values.get(heading, "").strip() for heading in own}
    return replace(sheet.rows[0], cells={heading: text for heading, text in texts.items() if text})
