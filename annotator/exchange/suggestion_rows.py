"""Suggestions from a file or the API: one row for each image, stored completely or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from annotator.exchange.formats.image_tables import rows_as_table
from annotator.exchange.formats.report import RowNote
from annotator.exchange.image_rows import CheckedRows, ImageRow, RowReader, RowsKind, Stored, previewed
from annotator.exchange.which_image import ImageIndex
from annotator.images.decoding import content_hash
from annotator.models import Project, SuggestionRun, User
from annotator.models.images import IS_STUDIED
from annotator.protocols.registry import SUGGESTED
from annotator.suggestions.runs import store_run
from scoring.protocol import Payload

PREVIEWED: Final = 12
"""Images that a check shows with what would be suggested."""
LONGEST_SOURCE: Final = 80
IMPROBABLE: Final = "Unlikely counts, stored all the same"


FoundSuggestions = dict[str, Any]
"""What `store_run` takes of them: by the primary key of the image, their kind, the SHA-256 of their file."""


def check_suggestions(
    path: Path, project: Project, *, what: str = SuggestionRun.Kind.COUNTS
) -> CheckedRows[FoundSuggestions]:
    """Read a file of one kind of suggestions and check every row; raises as `RowReader.of_file`."""
    how = SUGGESTED[what]
    columns = {"required" if how.complete else "optional": how.columns}
    reader = RowReader.of_file(path, project, reader=how.reader, **columns)
    return _checked(reader, project, what, content_hash(path.read_bytes()))


def check_suggested(
    rows: Iterable[Mapping[str, Any]], project: Project, *, kind: str = SuggestionRun.Kind.COUNTS
) -> CheckedRows[FoundSuggestions]:
    """Check rows that came as JSON."""
    table = rows_as_table(rows, SUGGESTED[kind].columns)
    return _checked(RowReader(table, ImageIndex(project)), project, kind, "")


def _checked(reader: RowReader, project: Project, kind: str, sha256: str) -> CheckedRows[FoundSuggestions]:
    found: dict[int, Payload] = {}
    unlikely: list[RowNote] = []
    how = SUGGESTED[kind]
    known = how.about(reader.images)

    def take(row: ImageRow) -> None:
        found[row.image.pk] = how.read(row.values, known.get(row.image.pk))
        if words := how.unlikely(found[row.image.pk]):
            unlikely.append(RowNote(row.number, "people", row.image.source_name, words))

    reader.read(take, once=True)
    studied = project.images.filter(IS_STUDIED).count()
    counts = {"Images": len(found), "Images without a row": studied - len(found)}
    drawn = {pk: how.drawn(found[pk]) for pk in sorted(found)[:PREVIEWED]}
    shown, remarks = previewed(project, drawn, drawn), {IMPROBABLE: tuple(unlikely)}
    values = {"suggested": found, "kind": kind, "sha256": sha256}
    return reader.checked(values, counts, shown=shown, remarks=remarks)


def store_suggestions(
    checked: CheckedRows[FoundSuggestions],
    project: Project,
    actor: User | None = None,
    _: object = None,
    **about: Any,
) -> Stored:
    """Store a checked file as a run, `about` as in `store_run`, and return what happened.

    Raises StudyRefused if a row is unusable, SuggestionsRefused if the run is there or an image was deleted.
    """
    if checked.refusal is not None:
        raise checked.refusal
    run, new = store_run(project=project, actor=actor, **checked.found, **about)
    return Stored(f"{new:,} suggestion{'' if new == 1 else 's'} of “{run}” stored. No batch shows them yet.")


SUGGESTIONS: Final = RowsKind(
    slug="suggestions",
    title="suggestions",
    columns="Counts: CSV, XLSX or JSON Lines with people, torso, limbs, feet, hands, face, empty where "
    "nothing is suggested. Masks: COCO with run lengths, or JSON Lines. Reference descriptions: made_from "
    "and description, as the request file gives them. Descriptions to rate: model, defective (true or "
    "false), description.",
    page="suggestions",
    section="images",
    check=check_suggestions,
    store=store_suggestions,
    check_options=("what",),
    store_options=("source", "source_version", "settings_text"),
)
