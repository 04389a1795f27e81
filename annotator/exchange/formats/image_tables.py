"""Read tables of facts about images: CSV or XLSX, with the columns of a kind of fact."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from annotator.exchange.formats.budget import about_images
from annotator.exchange.formats.csv_tables import (
    CsvTable,
    read_lines,
    table_of,
    with_faults,
)
from annotator.exchange.formats.names import normal_form
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.workbooks import is_workbook, read_workbook

NAMES: Final = ("file", "sha256", "image_id", "generator", "prompt", "number")
"""The columns that can name an image."""
_WAYS: Final = (("file",), ("sha256",), ("image_id",), ("generator", "prompt", "number"))
_NO_NAMES: Final = (
    "{name} has no column that names the image: expected “file”, “sha256”, “image_id”, or “generator”, "
    "“prompt” and “number”."
)


def read_image_table(
    path: Path, *, required: Collection[str], optional: Collection[str], texts: Collection[str] = ()
) -> CsvTable:
    """Read a table of facts about images, without its other columns; it has a row at least.

    `texts` are the columns in which XLSX must not hold numbers that it shows in another way than typed.
    Raises StudyRefused if the file cannot be read, has no rows, or lacks a column.
    """
    table = _of_lines(path, required, (*optional, *NAMES), {*texts, *NAMES} - {"number"})
    if table.records and not _can_name(table.records[0].values):
        raise StudyRefused(_NO_NAMES.format(name=path.name))
    if not table.records:
        raise StudyRefused(f"{path.name} has no rows.")
    return table


def _of_lines(
    path: Path, required: Collection[str], optional: Collection[str], texts: Collection[str]
) -> CsvTable:
    known = (*required, *optional)
    if is_workbook(path):
        forms = frozenset(map(normal_form, texts))
        book = read_workbook(path, term_columns=frozenset(), name_columns=forms)
        table = table_of(path.name, book.lines, (), required=required, optional=optional)
        header = book.lines[0][1] if book.lines else []
        table = with_faults(table, header, book.faults)
    else:
        lines, notes = read_lines(path, known)
        table = table_of(path.name, lines, notes, required=required, optional=optional)
    records = (
        replace(record, values={name: text for name, text in record.values.items() if name in known})
        for record in table.records
    )
    return replace(table, records=tuple(about_images(path.name, records)), other_columns=())


def _can_name(values: Mapping[str, str]) -> bool:
    return any(values.keys() >= set(way) for way in _WAYS)
