"""Store rows as submitted annotations: completely or not at all, never twice, never over another.

Whether images judged by several people elsewhere were drawn at random is unknown unless stated.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

from django.db.models import Max
from django.utils import timezone

from annotator.annotations.saving import ratings_of
from annotator.annotations.summaries import summarise
from annotator.annotations.unreadable import loses_terms
from annotator.batches.assignments import picture_under, state_seen
from annotator.database.slices import slices
from annotator.database.transactions import write_transaction
from annotator.exchange.formats.report import RowNote, StudyImport, StudyRefused
from annotator.exchange.formats.sheet import SheetRow
from annotator.exchange.rows import MatchedRow, problem_texts, refusal
from annotator.models import Annotation, Assignment, Batch, Event, Image, Membership, Project, User
from annotator.models.counting import is_work, mark_random
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.places import hold_places
from annotator.protocols.registry import counted_cells_of, sheet_reader_of
from scoring.grid.notation import Term, format_cell, read_cell
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS
from scoring.protocol import Payload, Protocol
from scoring.service import get_protocol

AT_RANDOM: Final = "random"
UNKNOWN: Final = "unknown"


def stated(batch: Batch, doubles: str | None) -> str:
    """Return how the images of an imported batch were drawn, as stated now or by an earlier import; unknown
    otherwise."""
    if doubles is not None:
        return doubles
    work = batch.assignments.filter(is_work())
    earlier = work.exists() and not work.filter(drawn=Assignment.Drawn.UNKNOWN).exists()
    return AT_RANDOM if earlier else UNKNOWN


def state_doubles(batch: Batch, doubles: str, actor: User | None) -> None:
    """Store this in the assignments of an imported batch, and record a correction in an Event.

    Call it inside a transaction, after storing. Targeted assignments stay as they are.
    """
    known = (Assignment.Drawn.SINGLE, Assignment.Drawn.RANDOM)
    replaced, drawn = (
        ((Assignment.Drawn.UNKNOWN,), Assignment.Drawn.SINGLE)
        if doubles == AT_RANDOM
        else (known, Assignment.Drawn.UNKNOWN)
    )
    changed = batch.assignments.filter(is_work(), drawn__in=replaced).update(drawn=drawn)
    if doubles == AT_RANDOM:
        mark_random(batch)
    if changed:
        was = UNKNOWN if doubles == AT_RANDOM else AT_RANDOM
        data = {"batch": batch.pk, "replaced": {"doubles": was}, "settings": {"doubles": doubles}}
        Event.objects.create(
            project_id=batch.project_id, actor=actor, verb="batch_settings_changed", data=data
        )


CHUNK: Final = 2500
"""Rows per transaction at most."""

_ANSWERED: Final = (Annotation.Status.SUBMITTED, Annotation.Status.REOPENED)
_BATCH_NAME: Final = 120
_PROJECT_GOES: Final = "The project is being deleted. Undo the deletion, then import again."
_IMAGE_GOES: Final = "the image was deleted in the meantime"

Said = Mapping[str, str]
"""What is compared: by heading, the text of each cell that says something, in one notation."""


@dataclass(frozen=True)
class _Import:
    """State shared by the chunks of one import."""

    project: Project
    batch: Batch
    drawn: str
    people: dict[str, Membership]
    weights: Mapping[str, Fraction]
    protocol: Protocol
    file: str
    actor: User | None
    when: datetime
    report: StudyImport


def store_annotations(
    matched: Sequence[MatchedRow],
    *,
    project: Project,
    file: str,
    actor: User | None,
    report: StudyImport,
    progress: Callable[[int, int], None] | None = None,
    protocol: str = DEFAULT_PROTOCOL,
    shown: Collection[str] | None = None,
    doubles: str | None = None,
) -> None:
    """Store new rows, count stored ones, and report those that contradict a stored annotation.

    `protocol` is that of the rows, which have payloads unless their cells hold terms.
    `shown` is what annotators saw of `prompt` and `generator`; None: unknown.
    `doubles`: images of several annotators were drawn at `random`, or it is `unknown`; None: as said before,
    otherwise unknown.
    Idempotent, even after a crash: a chunk is stored completely or not at all. Raises StudyRefused if the
    project is being deleted, or if the batch of this name has another protocol.
    """
    if not matched:
        return
    batch = _batch(project, file, matched, actor, shown, protocol)
    said = stated(batch, doubles)
    current = _Import(
        project=project,
        batch=batch,
        drawn=Assignment.Drawn.UNKNOWN if said == UNKNOWN else Assignment.Drawn.SINGLE,
        people={},
        weights=project.exact_weights,
        protocol=get_protocol(protocol),
        file=file,
        actor=actor,
        when=timezone.now(),
        report=report,
    )
    if len(matched) > CHUNK:
        # In the order of the file, each chunk would summarise most images anew, with all annotators so far.
        matched = sorted(matched, key=lambda match: match.image_id)
    done = 0
    for chunk in slices(matched, CHUNK):
        added, existing, refused = _store(current, chunk)
        # Counted after the commit, so that the report excludes rollbacks.
        report.annotations_added += added
        report.annotations_existing += existing
        report.unmatched_rows += refused
        if progress is not None:
            progress(done := done + len(chunk), len(matched))
    with write_transaction():
        state_doubles(batch, said, actor)


def _batch(
    project: Project,
    file: str,
    matched: Sequence[MatchedRow],
    actor: User | None,
    shown: Collection[str] | None,
    protocol: str,
) -> Batch:
    """Return the batch of this file; overlap is the share of images with more than one annotator."""
    # The same file may be imported under two protocols: two batches.
    also = f" ({get_protocol(protocol).title})" if sheet_reader_of(protocol) else ""
    per_image = Counter(match.image_id for match in matched)
    shared = sum(count > 1 for count in per_image.values())
    name = f"Imported: {file}"[: _BATCH_NAME - len(also)] + also
    with write_transaction():
        other = Batch.objects.filter(project=project, name=name).exclude(protocol=protocol).first()
        if other is not None:
            raise StudyRefused(
                f"The batch “{name}”, to which the rows of {file} would belong, has the protocol "
                f"“{get_protocol(other.protocol).title}”. Rename the file, then import it again."
            )
        batch, _ = Batch.objects.get_or_create(
            project=project,
            name=name,
            defaults={
                "protocol": protocol,
                "per_image": max(per_image.values()),
                "overlap": round(Decimal(shared) / len(per_image), 4),
                "prompt_seen": Batch.Seen.UNKNOWN,
                "generator_seen": Batch.Seen.UNKNOWN,
                # Annotators who judged elsewhere see no more of the images here.
                "picture": picture_under(protocol),
            },
        )
        if shown is not None and batch.is_imported:
            state_seen(batch, shown, actor)
    return batch


def _store(current: _Import, chunk: Sequence[MatchedRow]) -> tuple[int, int, list[RowNote]]:
    """Store one chunk; return the numbers added and already stored, and the rejected rows."""
    with write_transaction():
        # Imports are serialised here, so that the second finds the rows of the first. Annotators, whose
        # rows refer to the project, are not blocked. Deletions of project or image wait, or came first.
        held = Project.locked(current.project.pk)
        if held.goes_at is not None:
            raise StudyRefused(_PROJECT_GOES)
        there = set(
            Image.objects.filter(pk__in={match.image_id for match in chunk}).values_list("pk", flat=True)
        )
        stored = stored_already(current.project, current.protocol.slug, chunk)
        assigned = Assignment.objects.filter(
            batch=current.batch, image__in={match.image_id for match in chunk}
        )
        unfinished = set(assigned.values_list("image", "annotator__code"))
        new: list[MatchedRow] = []
        refused: list[RowNote] = []
        for match in chunk:
            pair = (match.image_id, match.row.annotator)
            if match.image_id not in there:
                refused.append(refusal(match.row, "", _IMAGE_GOES))
            elif pair in stored:
                refused += filter(None, [stored[pair]])
            elif pair in unfinished:
                refused.append(_unfinished(match.row, current.batch))
            else:
                new.append(match)
        annotations = _create(current, new)
        if annotations:
            annotated = {match.image_id for match in new}
            summarise(current.project.pk, annotated, current.batch.protocol, only_more=True)
    return len(new), len(chunk) - len(new) - len(refused), refused


def _create(current: _Import, rows: Sequence[MatchedRow]) -> list[Annotation]:
    last = Assignment.objects.filter(batch=current.batch).values_list("annotator")
    positions = Counter(dict(last.annotate(last=Max("position"))))
    _find_people(current, {match.row.annotator: None for match in rows})
    assignments = []
    for match in rows:
        member = current.people[match.row.annotator]
        positions[member.pk] += 1
        assignments.append(
            Assignment(
                batch=current.batch,
                image_id=match.image_id,
                annotator=member,
                position=positions[member.pk],
                status=Assignment.Status.DONE,
                drawn=current.drawn,
            )
        )
    Assignment.objects.bulk_create(assignments)
    annotations = [
        _annotation(current, assignment, match.row)
        for assignment, match in zip(assignments, rows, strict=True)
    ]
    Annotation.objects.bulk_create(annotations)
    Event.objects.bulk_create(
        Event(
            project=current.project,
            assignment=assignment,
            actor=current.actor,
            verb="imported",
            data={"file": current.file, "row": match.row.number_in_file},
        )
        for assignment, match in zip(assignments, rows, strict=True)
    )
    return annotations


def _annotation(current: _Import, assignment: Assignment, row: SheetRow) -> Annotation:
    # A row without readable terms is still an annotation: keep it with its problems.
    complete = row.payload is not None or bool(row.terms) or row.says_no_errors
    answer = current.protocol.clean(payload_of(row, current.protocol.slug), complete=complete)
    payload, source = answer.payload(), row.source(current.file)
    return Annotation(
        assignment=assignment,
        payload=payload,
        status=Annotation.Status.SUBMITTED,
        warnings=[
            {"field": warning.field, "code": warning.code, "message": warning.message}
            for warning in answer.warnings
        ],
        ratings=ratings_of(answer, current.protocol, current.weights),
        flagged=answer.flagged,
        source=source,
        has_unread_terms=loses_terms(source),
        saved_at=current.when,
        submitted_at=current.when,
    )


def payload_of(row: SheetRow, protocol: str) -> Payload:
    """Return what a row states, as a payload to be cleaned."""
    if row.payload is not None:
        return dict(row.payload)
    return counted_cells_of(protocol).payload(row.terms, row.says_no_errors)


def _find_people(current: _Import, codes: Iterable[str]) -> None:
    """Add the members with these codes to those known; missing ones are created as annotators."""
    new = [code for code in codes if code not in current.people]
    found = Membership.objects.filter(project=current.project, code__in=new) if new else ()
    current.people.update((member.code, member) for member in found)
    if missing := [code for code in new if code not in current.people]:
        current.people.update((place.code, place) for place in hold_places(current.project, missing))


def stored_already(
    project: Project, protocol: str, matched: Iterable[MatchedRow]
) -> dict[tuple[int, str], RowNote | None]:
    """Return the rows whose annotator has annotated their image, by image and code: with a note if the row
    contradicts what is stored.
    """
    said = _stored(project, protocol, matched)
    rows = {(match.image_id, match.row.annotator): match.row for match in matched}
    known: dict[tuple[int, str], RowNote | None] = {}
    for pair, answers in said.items():
        same = _said_by(protocol, rows[pair]) in [content for answer in answers for content in answer]
        known[pair] = None if same else _contradiction(protocol, rows[pair], answers[-1][0])
    return known


def _stored(
    project: Project, protocol: str, matched: Iterable[MatchedRow]
) -> dict[tuple[int, str], list[list[Said]]]:
    """Return the annotations of these images by image and code: as imported, and current."""
    pairs = {(match.image_id, match.row.annotator) for match in matched}
    rows = Annotation.objects.filter(
        is_work("assignment__"),
        assignment__image__in={image_id for image_id, _ in pairs},
        assignment__annotator__project=project,
        assignment__annotator__code__in={code for _, code in pairs},
        assignment__batch__protocol=protocol,
        status__in=_ANSWERED,
    ).values_list("assignment__image", "assignment__annotator__code", "source", "payload")
    is_grid = sheet_reader_of(protocol) is None
    stored: dict[tuple[int, str], list[list[Said]]] = defaultdict(list)
    for image_id, code, source, payload in rows.order_by("pk"):
        if (image_id, code) in pairs:
            imported = [_said_in(source["cells"])] if source and is_grid else []
            stored[image_id, code].append([*imported, _said_by_payload(protocol, payload)])
    return stored


def _unfinished(row: SheetRow, batch: Batch) -> RowNote:
    reason = f"“{row.annotator}” has not finished this image in the batch “{batch.name}”"
    return refusal(row, "Annotator", reason)


def _cell(terms: Iterable[Term], unread: Iterable[str] = ()) -> str:
    return ",".join(part for part in (format_cell(terms), *unread) if part)


def _said_by(protocol: str, row: SheetRow) -> Said:
    """Return the content of a row."""
    if (reader := sheet_reader_of(protocol)) is not None:
        return reader.write(dict(row.payload or {}))
    unread = problem_texts(row)
    return {
        cell.heading: _cell(row.terms.get(cell.key, ()), unread.get(cell.heading, ()))
        for cell in CELLS
        if cell.key in row.terms or cell.heading in unread
    }


def _said_in(cells: Mapping[str, str]) -> Said:
    """Return the content of an annotation's stored source."""
    read = {heading: read_cell(text) for heading, text in cells.items()}
    return {
        heading: _cell(terms, (problem.text for problem in problems))
        for heading, (terms, problems) in read.items()
        if terms or problems
    }


def _said_by_payload(protocol: str, payload: Any) -> Said:
    """Return the content of a stored annotation."""
    if (reader := sheet_reader_of(protocol)) is not None:
        return reader.write(payload)
    terms = counted_cells_of(protocol).terms(payload)
    return {CELL_BY_KEY[key].heading: _cell(found) for key, found in terms.items()}


def _contradiction(protocol: str, row: SheetRow, stored: Said) -> RowNote:
    said = _said_by(protocol, row)
    column = next((name for name in (*said, *stored) if said.get(name) != stored.get(name)), "")
    reason = (
        f"“{row.annotator}” has already annotated this image differently "
        f"(here “{said.get(column, '')}”, stored “{stored.get(column, '')}”); nothing was changed: "
        "correct the file, or adjudicate the image"
    )
    return refusal(row, column, reason)
