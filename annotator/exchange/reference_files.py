"""Import references: a file of annotations of which each becomes the reference of its image."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from annotator.database.slices import slices
from annotator.database.transactions import write_transaction
from annotator.exchange.formats.names import normal_form, printable
from annotator.exchange.formats.report import RowNote, StudyRefused
from annotator.exchange.formats.sheet import NOTHING_READABLE, OTHER_COLUMN, SheetRow, rationale_heading
from annotator.exchange.rows import Checked, MatchedRow, refusal, same_annotation
from annotator.exchange.storing import payload_of
from annotator.models import Project, Reference, User
from annotator.training.references import (
    ReferenceRefused,
    active_references,
    add_reference,
    checked_rationales,
    checked_value,
    require_comparable,
    titles_of,
)

CHUNK: Final = 100
"""Rows per transaction at most."""
LISTED: Final = 8
ORIGINS: Final = (Reference.Origin.IMPORTED, Reference.Origin.PLANTED)
_RATIONALE: Final = normal_form(rationale_heading(""))


@dataclass
class ReferenceImport:
    """The outcome of an import: references added (also as new versions), with new rationales, and
    unchanged."""

    added: int = 0
    explained: int = 0
    existing: int = 0
    refused: list[RowNote] = field(default_factory=list)

    @property
    def did_nothing(self) -> bool:
        """Whether no row was usable."""
        return not (self.added or self.explained or self.existing)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON values of `import_references --json`."""
        return {
            "references": {"added": self.added, "explained": self.explained, "existing": self.existing},
            "refused": [note.as_json() for note in self.refused],
        }


def as_references(checked: Checked, project: Project) -> Checked:
    """Return a checked file as references: its usable rows, one per image, and the others refused.

    A row is refused as a whole if a term is unreadable, because the reference would lack it. Raises
    StudyRefused if the file as a whole cannot be used.
    """
    protocol = checked.protocol
    try:
        require_comparable(protocol)
    except ReferenceRefused as error:
        raise StudyRefused(str(error), code=error.code) from error
    columns = _columns(checked)
    by_image: dict[int, list[MatchedRow]] = defaultdict(list)
    refused = list(checked.refused)
    for match in checked.matched:
        notes = _faults(match.row, project, protocol, columns)
        refused += notes
        if not notes:
            by_image[match.image_id].append(match)
    usable: list[MatchedRow] = []
    for matches in by_image.values():
        kept, notes = _one_value(matches, columns)
        usable += kept
        refused += notes
    usable.sort(key=lambda match: match.row.number_in_file)
    refused.sort(key=lambda note: note.row or 0)
    sheet = replace(checked.sheet, warnings=tuple(_remarks(checked.sheet.warnings, columns)))
    return replace(checked, sheet=sheet, matched=tuple(usable), refused=tuple(refused), newcomers=())


def store_references(
    checked: Checked,
    *,
    project: Project,
    origin: Reference.Origin,
    actor: User | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ReferenceImport:
    """Store the usable rows of `as_references`; idempotent, also after a crash: each row is whole or missing.

    Raises StudyRefused if the project is being deleted or the actor no longer leads it.
    """
    outcome = ReferenceImport(refused=list(checked.refused))
    columns = _columns(checked)
    done = 0
    for chunk in slices(checked.matched, CHUNK):
        with write_transaction():
            made = _store(chunk, checked.protocol, project, columns, origin, actor)
        # Counted after the commit, so that the outcome excludes rollbacks.
        outcome.added += made.added
        outcome.explained += made.explained
        outcome.existing += made.existing
        outcome.refused += made.refused
        if progress is not None:
            progress(done := done + len(chunk), len(checked.matched))
    outcome.refused.sort(key=lambda note: note.row or 0)
    return outcome


def _store(
    chunk: Sequence[MatchedRow],
    protocol: str,
    project: Project,
    columns: Mapping[str, str],
    origin: Reference.Origin,
    actor: User | None,
) -> ReferenceImport:
    made = ReferenceImport()
    # Imports are serialised here, as each reference that is added takes this row, too.
    held = Project.locked(project.pk)
    if held.goes_at is not None:
        raise StudyRefused("The project is being deleted. Undo the deletion, then import again.")
    ids = [match.image_id for match in chunk]
    images = {image.pk: image for image in held.images.filter(pk__in=ids)}
    before = {one.image_id: one for one in active_references(held, protocol).filter(image__in=ids)}
    for match in chunk:
        image = images.get(match.image_id)
        if image is None:
            reason = "the image is being deleted; undo the deletion, then import again"
            made.refused.append(refusal(match.row, "", reason))
            continue
        image.project = held
        told = {columns[heading]: text for heading, text in match.row.others.items() if heading in columns}
        try:
            stored = add_reference(
                image=image,
                protocol=protocol,
                payload=payload_of(match.row, protocol),
                origin=origin,
                actor=actor,
                rationales=told,
            )
        except ReferenceRefused as error:
            raise StudyRefused(str(error), code=error.code, row=match.row.number_in_file) from error
        earlier = before.get(image.pk)
        if earlier is None or earlier.pk != stored.pk:
            made.added += 1
        elif earlier.rationales != stored.rationales:
            made.explained += 1
        else:
            made.existing += 1
    return made


def _columns(checked: Checked) -> dict[str, str]:
    """Return the components by the headings of their rationales. Raises StudyRefused for an unknown one."""
    known = {normal_form(rationale_heading(key)): key for key in titles_of(checked.protocol)}
    found: dict[str, str] = {}
    seen: set[str] = set()
    for row in checked.sheet.rows:
        for heading in row.others:
            if heading in seen:
                continue
            seen.add(heading)
            form = normal_form(heading)
            if not form.startswith(_RATIONALE):
                continue
            if form not in known:
                example = rationale_heading(next(iter(titles_of(checked.protocol))))
                raise StudyRefused(
                    f"{checked.sheet.name}: the column “{printable(heading[:60])}” names no cell of the "
                    f"protocol. Expected a heading such as “{example}”.",
                    row=row.number_in_file,
                )
            if known[form] in found.values():
                raise StudyRefused(
                    f"{checked.sheet.name} has two columns “{printable(heading[:60])}”. Keep one of them."
                )
            found[heading] = known[form]
    return found


def _remarks(warnings: Iterable[RowNote], columns: Mapping[str, str]) -> Iterator[RowNote]:
    """Yield the remarks on a file that hold for references, too."""
    for note in warnings:
        if note.reason == OTHER_COLUMN and note.column not in columns:
            yield replace(note, reason="not a column of the sheet; it is ignored")
        elif note.reason not in (OTHER_COLUMN, NOTHING_READABLE):
            yield note


def _faults(row: SheetRow, project: Project, protocol: str, columns: Mapping[str, str]) -> list[RowNote]:
    """Return why a row cannot be a reference; empty if it can."""
    notes = [
        replace(problem, reason=f"{problem.reason}; every term of a reference must be readable")
        for problem in row.problems
    ]
    for heading in columns:
        if heading not in row.others:
            continue
        try:
            checked_rationales(protocol, {columns[heading]: row.others[heading]})
        except ReferenceRefused as error:
            notes.append(RowNote(row.number_in_file, heading, row.others[heading][:60], str(error)))
    if not notes:
        try:
            checked_value(project, protocol, payload_of(row, protocol))
        except ReferenceRefused as error:
            notes.append(refusal(row, "", str(error)))
    return notes


def _one_value(
    matches: Sequence[MatchedRow], columns: Mapping[str, str]
) -> tuple[list[MatchedRow], list[RowNote]]:
    """Return the row that all rows of an image agree on; none if they differ."""
    first, *others = matches

    def reasons(row: SheetRow) -> dict[str, str]:
        return {heading: text for heading, text in row.others.items() if heading in columns}

    if all(
        same_annotation(first.row, other.row) and reasons(first.row) == reasons(other.row) for other in others
    ):
        said = f"repeats, for this image, row {first.row.number_in_file}"
        return [first], [refusal(other.row, "Image Id", said) for other in others]
    listed = ", ".join(str(match.row.number_in_file) for match in matches[:LISTED])
    listed += f" and {len(matches) - LISTED:,} more" if len(matches) > LISTED else ""
    reason = f"the file has different values for this image (rows {listed}): keep one of them"
    return [], [refusal(match.row, "Image Id", reason) for match in matches]
