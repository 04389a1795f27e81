"""Suggested counts from a file or the API: one row for each image, stored completely or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from annotator.exchange.formats.image_tables import rows_as_table
from annotator.exchange.formats.report import RowNote
from annotator.exchange.image_rows import (
    CheckedRows,
    ImageRow,
    RowReader,
    RowsKind,
    Stored,
    WrongCell,
    previewed,
)
from annotator.images.decoding import content_hash
from annotator.models import Project, User
from annotator.suggestions.counts import COLUMNS, WrongCount, improbable, read_counts
from annotator.suggestions.runs import store_run
from scoring.protocol import Payload

PREVIEWED: Final = 12
"""Images that a check shows with what would be suggested."""
LONGEST_SOURCE: Final = 80
IMPROBABLE: Final = "Unlikely counts, stored all the same"


@dataclass(frozen=True)
class FoundCounts:
    """Suggestions by the primary key of the image, and the SHA-256 of their file."""

    counts: Mapping[int, Payload]
    sha256: str = ""


def check_suggestions(path: Path, project: Project) -> CheckedRows[FoundCounts]:
    """Read a file and check every row; raises as `RowReader`."""
    reader = RowReader(path, project, optional=COLUMNS, reader="counts")
    return _checked(reader, project, content_hash(path.read_bytes()))


def check_suggested(rows: Iterable[Mapping[str, Any]], project: Project) -> CheckedRows[FoundCounts]:
    """Check rows that came as JSON."""
    return _checked(RowReader.of_table(rows_as_table(rows, COLUMNS), project), project, "")


def _checked(reader: RowReader, project: Project, sha256: str) -> CheckedRows[FoundCounts]:
    found: dict[int, Payload] = {}
    unlikely: list[RowNote] = []

    def take(row: ImageRow) -> None:
        try:
            found[row.image.pk] = read_counts(row.values)
        except WrongCount as wrong:
            raise WrongCell(wrong.column, wrong.reason) from wrong
        if words := improbable(found[row.image.pk]):
            unlikely.append(RowNote(row.number, "people", row.image.source_name, words))

    reader.read(take, once=True)
    counts = {"Images": len(found), "Images without a row": project.images.count() - len(found)}
    shown = previewed(project, found, sorted(found)[:PREVIEWED])
    return reader.checked(FoundCounts(found, sha256), counts, shown, {IMPROBABLE: tuple(unlikely)})


def store_suggestions(
    checked: CheckedRows[FoundCounts],
    project: Project,
    actor: User | None = None,
    _: object = None,
    *,
    source: str,
    source_version: str = "",
    settings_text: str = "",
    adds: bool = False,
) -> Stored:
    """Store a checked file as a run and return what happened.

    Raises StudyRefused if a row is unusable, SuggestionsRefused if the run is there or an image was deleted.
    """
    if checked.refusal is not None:
        raise checked.refusal
    run, new = store_run(
        project=project,
        counts=checked.found.counts,
        actor=actor,
        source=source,
        source_version=source_version,
        settings_text=settings_text,
        sha256=checked.found.sha256,
        adds=adds,
    )
    return Stored(f"{new:,} suggestion{'' if new == 1 else 's'} of “{run}” stored. No batch shows them yet.")


SUGGESTIONS: Final = RowsKind(
    slug="suggestions",
    title="suggested counts",
    columns="CSV or XLSX with people, torso, limbs, feet, hands, face: visible parts of each image, empty "
    "where nothing is suggested; or JSON Lines.",
    page="suggestions",
    section="images",
    check=check_suggestions,
    store=store_suggestions,
    store_options=("source", "source_version", "settings_text"),
)
