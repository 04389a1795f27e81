"""Read the manifest and the table of prompt groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from annotator.exchange.formats.csv_tables import Record, read_table, table_in
from annotator.exchange.formats.names import normal_form, whole_number
from annotator.exchange.formats.published import PROMPT_GROUPS
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.sheet import LONGEST_GENERATOR
from annotator.inputs.plain_text import TURNS, turns_text_round
from scoring.prompts import LONGEST_PROMPT

MANIFEST_NAME: Final = "manifest.csv"
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


def find_manifest(folder: Path, given: Path | None) -> Path | None:
    """Return the manifest: the given one, or manifest.csv in images/ or in the study's folder."""
    return given or table_in(folder, f"images/{MANIFEST_NAME}", MANIFEST_NAME)


def read_manifest(path: Path) -> dict[str, ManifestEntry]:
    """Return the entries by file, relative to images/ with slashes.

    Files may be given relative to images/ or to the study's folder. Raises StudyRefused, naming the row.
    """
    table = read_table(path, required=_COLUMNS, optional=("prompt_group",))
    entries: dict[str, ManifestEntry] = {}
    for record in table.records:
        entry = _entry(path, record, table.other_columns)
        if entry.file in entries:
            raise _refused(path, entry.row, f"{entry.file} is already named in row {entries[entry.file].row}")
        entries[entry.file] = entry
    return entries


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
        raise _refused(path, row, f"“{text[:80]}” points outside the study's folder")
    parts = file.parts[1:] if file.parts[0] == "images" and len(file.parts) > 1 else file.parts
    return "/".join(parts)


def find_prompt_groups(folder: Path, given: Path | None) -> Path | None:
    """Return the table of prompt groups: the given one, or data/prompt_groups.csv of the study."""
    return given or table_in(folder, "data/prompt_groups.csv")


def read_prompt_groups(path: Path | None) -> dict[str, str]:
    """Return prompt groups by the prompt's normal form, including those of the published study.

    Raises StudyRefused for a file that cannot be used.
    """
    groups = dict(PROMPT_GROUPS)
    for record in read_table(path, required=("prompt", "group")).records if path else ():
        prompt, group = (record.values[column].strip() for column in ("prompt", "group"))
        if record.problem or not normal_form(prompt):
            raise _refused(path, record.number, record.problem or "prompt is empty")
        if len(group) > LONGEST_GROUP:
            raise _refused(path, record.number, f"group is longer than {LONGEST_GROUP} characters")
        if turns_text_round(group):
            raise _refused(path, record.number, f"group {TURNS}")
        groups[normal_form(prompt)] = group
    return groups


def _refused(path: Path | None, row: int, reason: str) -> StudyRefused:
    return StudyRefused(f"{path.name if path else ''}, row {row}: {reason}.")
