"""Read suggested counts: a table as of other facts about images, or JSON Lines.

A line is `{"file": "a.png", "people": 3, "visible": {"hands": 6}}`; `sha256` may name the image instead.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from annotator.exchange.formats.budget import LONGEST_TEXT, MOST_IMAGE_ROWS
from annotator.exchange.formats.csv_tables import MOST_BYTES, CsvTable, Record
from annotator.exchange.formats.image_tables import read_image_table
from annotator.exchange.formats.report import StudyRefused

NAMES: Final = ("file", "sha256")
VISIBLE: Final = "visible"


class _Twice(ValueError):
    """A key that an object has twice."""


def read_count_rows(
    path: Path, *, required: Collection[str], optional: Collection[str], texts: Collection[str]
) -> CsvTable:
    """Read a table or, of a file that begins with `{`, JSON Lines. Raises StudyRefused."""
    with path.open("rb") as file:
        start = file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith(b"{"):
        return read_image_table(path, required=required, optional=optional, texts=texts)
    if path.stat().st_size > MOST_BYTES:
        raise StudyRefused(f"{path.name} is larger than {MOST_BYTES // 2**20} MB. Split it into parts.")
    with path.open("rb") as file:
        records = tuple(_records(path.name, file, optional))
    return CsvTable(path.name, records, (), ())


def rows_as_table(rows: Iterable[Mapping[str, Any]], columns: Collection[str]) -> CsvTable:
    """Return the table of rows that came as JSON; their numbers begin at 1."""
    return CsvTable(
        "rows", tuple(_record(number, row, columns) for number, row in enumerate(rows, 1)), (), ()
    )


def _records(name: str, lines: Iterable[bytes], columns: Collection[str]) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if number > MOST_IMAGE_ROWS:
            raise StudyRefused(f"{name} has more than {MOST_IMAGE_ROWS:,} rows. Split it into parts.")
        text = line.removeprefix(b"\xef\xbb\xbf").strip()
        if not text:
            continue
        try:
            found = json.loads(text, object_pairs_hook=_object) if len(text) <= LONGEST_TEXT else None
        except _Twice as twice:
            yield Record(number, {}, f"“{twice}” is given twice", str(twice))
        except (ValueError, RecursionError):
            yield Record(number, {}, "the line is not JSON")
        else:
            yield _record(number, found, columns)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise _Twice(key[:40])
        seen[key] = value
    return seen


def _record(number: int, row: object, columns: Collection[str]) -> Record:
    """Return the row as texts by column, with a problem if it has anything else."""
    if not isinstance(row, Mapping):
        return Record(number, {}, "the line is not an object")
    visible = row.get(VISIBLE, {})
    if not isinstance(visible, Mapping):
        return Record(number, {}, "visible is not an object", VISIBLE)
    flat = {**{key: value for key, value in row.items() if key != VISIBLE}, **visible}
    outside = {"people", *NAMES}
    wrong = next(
        (key for key in row if key not in {VISIBLE, *outside}),
        next((key for key in visible if key in outside or key not in columns), None),
    )
    if wrong is not None:
        return Record(number, {}, f"unknown key “{str(wrong)[:40]}”", str(wrong)[:40])
    return Record(number, {key: _text(value) for key, value in flat.items()})


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
