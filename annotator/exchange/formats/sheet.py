"""The annotation sheet: one row per image and annotator.

A rating sheet has a protocol's own columns in place of the 25 cells, and short names of the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from annotator.exchange.formats.budget import MOST_PROBLEMS, MOST_TERMS
from annotator.exchange.formats.names import normal_form, whole_number
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.tables import Lines, Record, Table, table_of
from annotator.exchange.formats.workbooks import IS_DATE
from annotator.inputs.plain_text import TURNS, turns_text_round
from scoring.grid.notation import Term, cell_warnings, is_only_a_comma, read_cell
from scoring.grid.taxonomy import CELLS
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
NAMES: Final = {"Model": "generator", "Prompt": "prompt", "Pic Num.": "number", "Annotator": "annotator"}
"""The columns that identify an annotation in the sheet of the study, and their names in a rating sheet."""
_IMAGE_ID: Final = "Image Id"
_COLUMNS: Final = (_IMAGE_ID, *NAMES)


@dataclass(frozen=True)
class SheetRow:
    """One usable row: names as written, `number` parsed, `cells` the raw non-empty texts by heading.

    `terms` are the well-formed terms by cell key, `problems` the others. A row with an Image Id, a `picture`,
    the path of its image, or a `sha256` may lack names and number. `payload` is the annotation under a
    protocol whose cells are not terms; `terms` is empty then. `rationales` are the texts by heading.
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
    picture: str = ""
    sha256: str = ""
    payload: Mapping[str, Any] | None = None
    rationales: Mapping[str, str] = field(default_factory=dict)

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
        }


NOTHING_READABLE: Final = (
    "no term of the row can be read: kept as it is, without a score until you correct it"
)


@dataclass(frozen=True)
class Sheet:
    """The content of an annotation file: usable rows, refused rows, and remarks.

    `rejected_terms` are not scored. `warnings` are on the file as a whole and on unusual values. `not_read`
    are the headings of unknown columns.
    """

    name: str
    rows: tuple[SheetRow, ...]
    refused: tuple[RowNote, ...]
    rejected_terms: tuple[RowNote, ...]
    warnings: tuple[RowNote, ...]
    not_read: tuple[str, ...] = ()


def sheet_of(
    table: Table, *, own: Collection[str] = (), raw: bool = False, rationales: Collection[str] = ()
) -> Sheet:
    """Return the sheet of a table; raises StudyRefused for one without rows, or in another notation.

    `own` are the columns of a rating sheet that stand in place of the 25 cells; they stay unread, like all
    cells with `raw`. `rationales` are the headings of columns with reasons.
    """
    if not table.records:
        raise StudyRefused(f"{table.name} has a header but no rows.")
    rows: list[SheetRow] = []
    refused: list[RowNote] = []
    for record in table.records:
        row = _read_row(record, own, raw, rationales)
        if isinstance(row, SheetRow):
            rows.append(row)
        else:
            refused.append(row)
    rejected = [problem for row in rows for problem in row.problems]
    if len(rejected) > MOST_PROBLEMS:
        raise StudyRefused(
            f"{table.name} has {len(rejected):,} unreadable terms, the first in row {rejected[0].row}; at "
            f"most {MOST_PROBLEMS:,} are listed. Its cells use another notation.",
            code="too_many_problems",
            row=rejected[0].row,
        )
    lost = [problem for problem in rejected if not is_only_a_comma(problem.text)]
    commas = [problem for problem in rejected if is_only_a_comma(problem.text)]
    warnings = (*table.notes, *_about_spelling(rows, NAMES if own else {}), *commas, *_about_cells(rows))
    return Sheet(table.name, tuple(rows), tuple(refused), tuple(lost), warnings, table.other_columns)


def _read_row(
    record: Record, own: Collection[str], raw: bool, rationales: Collection[str]
) -> SheetRow | RowNote:
    values, called = record.values, NAMES if own else {}
    names = {column: values[called.get(column, column)].strip() for column in _COLUMNS}
    picture, sha256 = values[FILE].strip(), values[SHA256].strip()
    is_named = bool(picture or sha256 or names[_IMAGE_ID])
    fault = (
        (record.column, record.problem)
        if record.problem
        else _fault({FILE: picture, **names}, is_named, called) or (None if own else _cell_fault(values))
    )
    if fault is not None:
        column, reason = fault
        text = picture or names[_IMAGE_ID] or " ".join(filter(None, list(names.values())[1:4])) or sha256
        return RowNote(record.number, column, text, reason)
    if own:
        cells = {heading: text for heading in own if (text := values[heading].strip())}
    else:
        cells = {cell.heading: text for cell in CELLS if (text := values[cell.heading]).strip()}
    terms, problems = ({}, ()) if own or raw else _read_cells(record.number, cells)
    return SheetRow(
        number_in_file=record.number,
        image_id=names[_IMAGE_ID],
        generator=names["Model"],
        prompt=names["Prompt"],
        number=whole_number(names["Pic Num."]),
        annotator=names["Annotator"],
        cells=cells,
        terms=terms,
        problems=problems,
        picture=picture,
        sha256=sha256,
        rationales={heading: text for heading in rationales if (text := values[heading].strip())},
    )


def _fault(names: Mapping[str, str], is_named: bool, called: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the column and the reason if the names make a row unusable; `called` as in the file."""
    limits = {
        FILE: LONGEST_NAME,
        _IMAGE_ID: LONGEST_NAME,
        "Model": LONGEST_GENERATOR,
        "Prompt": LONGEST_PROMPT,
        "Annotator": LONGEST_CODE,
    }
    for column, longest in limits.items():
        name, heading = names[column], called.get(column, column)
        # By length first: only short names are compared.
        if len(name) > longest:
            return heading, f"{heading} is longer than {longest:,} characters"
        if column in (FILE, _IMAGE_ID):
            continue
        empty = not name or (column != "Annotator" and not normal_form(name))
        if empty and (column == "Annotator" or not is_named):
            return heading, f"{heading} is empty"
        if turns_text_round(name):
            return heading, f"{heading} {TURNS}"
    if _MADE_BY_SPREADSHEET.fullmatch(names["Annotator"]):
        heading = called.get("Annotator", "Annotator")
        return heading, f"{heading} “{names['Annotator']}” {_CONVERTED}"
    number, heading = names["Pic Num."], called.get("Pic Num.", "Pic Num.")
    if whole_number(number) is None and (number or not is_named):
        return heading, f"{heading} “{number[:40]}” is not a whole number"
    return None


def _cell_fault(values: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the first of the 25 cells with a date or too many terms, and the reason for refusing it."""
    for cell in CELLS:
        text = values[cell.heading]
        if (terms := text.count(",") + 1) > MOST_TERMS:
            return cell.heading, f"the cell has {terms:,} terms; at most {MOST_TERMS} are read"
        if len(text) <= _SHOWN and _DATE.fullmatch(text.strip()):
            return cell.heading, f"“{text.strip()}” is {IS_DATE}"
    return None


def _read_cells(
    row: int, cells: Mapping[str, str]
) -> tuple[dict[str, tuple[Term, ...]], tuple[RowNote, ...]]:
    """Return the well-formed terms of a row by cell key, and the others."""
    terms: dict[str, tuple[Term, ...]] = {}
    problems: list[RowNote] = []
    for cell in CELLS:
        read, rejected = read_cell(cells.get(cell.heading, ""))
        if read:
            terms[cell.key] = read
        for problem in rejected:
            # Empty terms are reported once, with the whole cell.
            text = problem.text[:_SHOWN] if problem.code == "empty_term" else problem.text
            problems.append(RowNote(row, cell.heading, text, problem.reason))
    return terms, tuple(problems)


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


def _about_spelling(rows: list[SheetRow], called: Mapping[str, str]) -> list[RowNote]:
    """Return remarks on names of one column that differ only in spelling; `called` as in the file."""
    notes = []
    first: dict[tuple[str, str], str] = {}
    told: set[tuple[str, str]] = set()
    for row in rows:
        for column, name in (("Model", row.generator), ("Prompt", row.prompt), ("Annotator", row.annotator)):
            seen = first.setdefault((column, normal_form(name)), name)
            if name != seen and (column, name) not in told:
                told.add((column, name))
                reason = (
                    f"differs from “{seen}” only in spelling; they are treated as two annotators"
                    if column == "Annotator"
                    else f"treated as “{seen}”, from which it differs only in spelling"
                )
                notes.append(RowNote(row.number_in_file, called.get(column, column), name, reason))
    return notes


_NO_IMAGE: Final = (
    "{name} does not say which image a row is about: it needs the columns “{}”, “{}” and “{}”, or the column "
    "“file”, “sha256” or “Image Id”."
)


def annotation_table(lines: Lines, own: Sequence[str], rationales: Collection[str]) -> Table:
    """Return the table; of a protocol's `own` columns, the first is required. Raises StudyRefused."""
    *together, annotator = NAMES.values() if own else NAMES
    alone = (FILE, SHA256, _IMAGE_ID)
    required = own[:1] or [cell.heading for cell in CELLS]
    # A row without a rating may state another column instead, or is refused for what it lacks.
    table = table_of(
        lines,
        required=(annotator, *required),
        optional=(*alone, *together, *own, *rationales),
        reached=(annotator,) if own else None,
    )
    if set(alone).isdisjoint(table.columns) and not set(together) <= set(table.columns):
        raise StudyRefused(_NO_IMAGE.format(*together, name=lines.name))
    return table
