"""Read a manifest: what the images of an upload show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from annotator.exchange.formats.csv_tables import Record, read_table
from annotator.exchange.formats.names import whole_number
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.sheet import LONGEST_GENERATOR
from annotator.inputs.plain_text import TURNS, turns_text_round
from scoring.prompts import LONGEST_PROMPT

LONGEST_GROUP: Final = 80
_COLUMNS: Final = ("file", "generator", "prompt", "number")


@dataclass(frozen=True)
class ManifestEntry:
    """The manifest's entry for one file; missing values are empty or None."""

    row: int
    file: str
    generator: str
    prompt: str
    number: int | None
    prompt_group: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)


def entries_in(path: Path) -> Iterator[ManifestEntry | str]:
    """Yield the entries of a manifest, or the reason for an unusable row.

    Raises StudyRefused for a table that is not a manifest, or is truncated.
    """
    rows: dict[str, int] = {}
    table = read_table(path, required=_COLUMNS, optional=("prompt_group",))
    for record in table.records:
        try:
            entry = _entry(path, record, table.other_columns)
        except StudyRefused as refused:
            yield str(refused)
            continue
        if entry.file in rows:
            yield str(_refused(path, entry.row, f"{entry.file} is already named in row {rows[entry.file]}"))
        else:
            rows[entry.file] = entry.row
            yield entry


def _entry(path: Path, record: Record, other_columns: tuple[str, ...]) -> ManifestEntry:
    values = {heading: value.strip() for heading, value in record.values.items()}
    if record.problem:
        raise _refused(path, record.number, record.problem)
    for column, longest in (
        ("generator", LONGEST_GENERATOR),
        ("prompt", LONGEST_PROMPT),
        ("prompt_group", LONGEST_GROUP),
    ):
        if len(values.get(column, "")) > longest:
            raise _refused(path, record.number, f"{column} is longer than {longest} characters")
    for column, value in values.items():
        if turns_text_round(value):
            raise _refused(path, record.number, f"{column} {TURNS}")
    number = whole_number(values["number"]) if values["number"] else None
    if values["number"] and number is None:
        raise _refused(path, record.number, f"number “{values['number'][:40]}” is not a whole number")
    return ManifestEntry(
        row=record.number,
        file=_relative(path, record.number, values["file"]),
        generator=values["generator"],
        prompt=values["prompt"],
        number=number,
        prompt_group=values.get("prompt_group", ""),
        attributes={heading: values[heading] for heading in other_columns if values[heading]},
    )


def _relative(path: Path, row: int, text: str) -> str:
    file = PurePosixPath(text.replace("\\", "/"))
    if not text:
        raise _refused(path, row, "file is empty")
    if file.is_absolute() or ".." in file.parts or ":" in file.parts[0]:
        raise _refused(path, row, f"“{text[:80]}” points outside its folder")
    parts = file.parts[1:] if file.parts[0] == "images" and len(file.parts) > 1 else file.parts
    return "/".join(parts)


def _refused(path: Path | None, row: int, reason: str) -> StudyRefused:
    return StudyRefused(f"{path.name if path else ''}, row {row}: {reason}.")
