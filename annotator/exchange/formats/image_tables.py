"""Read tables of facts about images: CSV or XLSX, with the columns of a kind of fact.

Suggestions may be JSON Lines: `{"file": "a.png", "people": 3, "visible": {"hands": 6}}`, or `sha256` in
place of `file`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from annotator.exchange.formats.budget import MOST_IMAGE_ROWS
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.tables import (
    MOST_BYTES,
    Record,
    Table,
    Texts,
    begins_as_json,
    read_lines,
    table_of,
)

NAMES: Final = ("file", "sha256", "image_id", "generator", "prompt", "number")
"""The columns that can name an image."""
_WAYS: Final = (("file",), ("sha256",), ("image_id",), ("generator", "prompt", "number"))
_NO_NAMES: Final = (
    "{name} has no column that names the image: expected “file”, “sha256”, “image_id”, or “generator”, "
    "“prompt” and “number”."
)
_TOO_MANY: Final = "{name} has more than {most:,} rows. Split it into parts."


def read_image_table(
    path: Path,
    *,
    required: Collection[str],
    optional: Collection[str] = (),
    texts: Collection[str] = (),
    others: bool = False,
) -> Table:
    """Read a table of facts about images, which has a row at least; `others`: with all its columns.

    `texts` are the columns in which XLSX must not hold numbers that it shows in another way than typed.
    Raises StudyRefused if the file cannot be read, has no rows, or lacks a column.
    """
    optional = optional if others else (*optional, *NAMES)
    lines = read_lines(path, (*required, *optional, *NAMES), names={*texts, *NAMES} - {"number"})
    table = table_of(lines, required=required, optional=optional, others=others)
    if not table.records:
        raise StudyRefused(f"{path.name} has no rows.")
    if not any(set(table.columns) >= set(way) for way in _WAYS):
        raise StudyRefused(_NO_NAMES.format(name=path.name))
    if len(table.records) > MOST_IMAGE_ROWS:
        raise StudyRefused(_TOO_MANY.format(name=path.name, most=MOST_IMAGE_ROWS), code="too_many_rows")
    return table


_LINE_NAMES: Final = ("file", "sha256")
_LONGEST_LINE: Final = 2**18
VISIBLE: Final = "visible"


def refuse_large(path: Path) -> None:
    """Raise StudyRefused for a file that is too large to be read."""
    if path.stat().st_size > MOST_BYTES:
        raise StudyRefused(f"{path.name} is larger than {MOST_BYTES // 2**20} MB. Split it into parts.")


def read_count_rows(
    path: Path, *, required: Collection[str], optional: Collection[str], texts: Collection[str]
) -> Table:
    """Read a table or, of a file that begins with `{`, JSON Lines. Raises StudyRefused."""
    if not begins_as_json(path, (b"{",)):
        return read_image_table(path, required=required, optional=optional, texts=texts)
    refuse_large(path)
    with path.open("rb") as file:
        records = list(_records(path.name, file, (*required, *optional)))
    return Table(path.name, records)


def rows_as_table(rows: Iterable[Mapping[str, Any]], columns: Collection[str]) -> Table:
    """Return the table of rows that came as JSON; their numbers begin at 1."""
    return Table("rows", [_record(number, row, columns) for number, row in enumerate(rows, 1)])


def _records(name: str, lines: Iterable[bytes], columns: Collection[str]) -> Iterator[Record]:
    for number, line in enumerate(lines, 1):
        if number > MOST_IMAGE_ROWS:
            raise StudyRefused(_TOO_MANY.format(name=name, most=MOST_IMAGE_ROWS), code="too_many_rows")
        text = line.removeprefix(b"\xef\xbb\xbf").strip()
        if not text:
            continue
        try:
            found = json.loads(text, object_pairs_hook=_object) if len(text) <= _LONGEST_LINE else None
        except KeyError as twice:
            yield Record(number, Texts(), f"“{twice.args[0]}” is given twice", twice.args[0])
        except (ValueError, RecursionError):
            yield Record(number, Texts(), "the line is not JSON")
        else:
            yield _record(number, found, columns)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise KeyError(key[:40])
        seen[key] = value
    return seen


def _record(number: int, row: object, columns: Collection[str]) -> Record:
    """Return the row as texts by column, with a problem if it has anything else."""
    if not isinstance(row, Mapping):
        return Record(number, Texts(), "the line is not an object")
    visible = row.get(VISIBLE, {})
    if not isinstance(visible, Mapping):
        return Record(number, Texts(), "visible is not an object", VISIBLE)
    flat = {**{key: value for key, value in row.items() if key != VISIBLE}, **visible}
    known = {*_LINE_NAMES, *columns}
    wrong = next((key for key in flat if key not in known or (key in row and key in visible)), None)
    if wrong is not None:
        return Record(number, Texts(), f"unknown key “{str(wrong)[:40]}”", str(wrong)[:40])
    return Record(number, Texts((key, _text(value)) for key, value in flat.items()))


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)
