"""Turn any JSON value into a checked annotation: first check the shapes, then the consistency of the numbers.

Rules and messages match those of the annotation page; this module has the final say.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from scoring.anatomy.annotation import COUNT_HINT, AnatomyAnnotation, Mark, Pin
from scoring.anatomy.dots import read_dots
from scoring.grid.notation import LARGEST_COUNT
from scoring.grid.taxonomy import (
    BODY_PARTS,
    CELL_BY_KEY,
    COUNT_KINDS,
    ERROR_TYPES,
    SEVERITIES,
    CountKind,
    parts_in_words,
)
from scoring.payloads import (
    Refusals,
    read_choice,
    read_flag,
    read_fraction,
    read_list,
    read_object,
    read_remarks,
    read_whole_number,
)

MOST_MARKS: Final = len(CELL_BY_KEY) * len(SEVERITIES)

_KEYS: Final = ("people", "counts", "counts_set", "marks", "no_errors", "flag", "note", "tags", "dots")
_MARK_KEYS: Final = ("type", "part", "severity", "affected", "total", "own_total", "pins")

Counts = Mapping[CountKind, Mapping[str, int]]


def clean(payload: object, *, complete: bool = True) -> AnatomyAnnotation:
    """Return the checked annotation of a payload. Missing keys have the values of an untouched draft.

    `complete=False` accepts drafts, which may be empty and may have marks without a total.
    A mark without a total takes the image's count; a mark with 0 affected parts is dropped.
    Raises only InvalidPayload, which names every invalid field.
    """
    refusals = Refusals()
    given = read_object(payload, _KEYS, "", refusals) or {}
    counts = _read_counts(given.get("counts", {}), refusals)
    answer = AnatomyAnnotation(
        people=_read_optional(given.get("people"), 1, "people", refusals),
        expected=counts["expected"],
        visible=counts["visible"],
        counts_set=_read_counts_set(given.get("counts_set", {}), counts, refusals),
        marks=_read_marks(given.get("marks", []), counts, refusals),
        no_errors=read_flag(given.get("no_errors", False), "no_errors", refusals),
        dots=read_dots(given.get("dots", {}), refusals),
        **read_remarks(given, refusals),
    )
    refusals.raise_if_any()
    _check_marks(answer, refusals)
    if complete:
        _check_complete(answer, refusals)
    refusals.raise_if_any()
    return answer


def _read_optional(value: object, least: int, field: str, refusals: Refusals) -> int | None:
    return None if value is None else read_whole_number(value, least, LARGEST_COUNT, field, refusals)


def _read_counts(value: object, refusals: Refusals) -> Counts:
    by_kind = read_object(value, COUNT_KINDS, "counts", refusals) or {}
    return {kind: _read_counts_of(kind, by_kind.get(kind, {}), refusals) for kind in COUNT_KINDS}


def _read_counts_of(kind: CountKind, value: object, refusals: Refusals) -> Mapping[str, int]:
    field = f"counts.{kind}"
    by_part = read_object(value, BODY_PARTS, field, refusals) or {}
    counts = {part: _read_optional(count, 0, f"{field}.{part}", refusals) for part, count in by_part.items()}
    return MappingProxyType({part: count for part, count in counts.items() if count is not None})


def _read_counts_set(value: object, counts: Counts, refusals: Refusals) -> Mapping[str, tuple[str, ...]]:
    by_kind = read_object(value, COUNT_KINDS, "counts_set", refusals) or {}
    return MappingProxyType(
        {kind: _read_parts_set(kind, by_kind.get(kind, []), counts[kind], refusals) for kind in COUNT_KINDS}
    )


def _read_parts_set(
    kind: CountKind, value: object, counts: Mapping[str, int], refusals: Refusals
) -> tuple[str, ...]:
    field = f"counts_set.{kind}"
    listed = read_list(value, len(BODY_PARTS), field, refusals)
    parts = [read_choice(part, BODY_PARTS, "body part", field, refusals) for part in listed]
    for part in parts:
        if part is not None and part not in counts:
            refusals.add(field, f"Refused: {part} is marked as set but has no count.")
    return tuple(part for part in BODY_PARTS if part in parts)


def _read_marks(value: object, counts: Counts, refusals: Refusals) -> tuple[Mark, ...]:
    marks: dict[tuple[int, int, int], Mark] = {}
    for entry in read_list(value, MOST_MARKS, "marks", refusals):
        mark = _read_mark(entry, counts, refusals)
        if mark is None or mark.affected == 0:
            continue
        if mark.order in marks:
            # Do not add them up: the second entry may be a copy of the first.
            message = f"Refused: severity {mark.severity} twice in {mark.cell.title}."
            refusals.add(f"marks.{mark.cell.key}", message)
        marks[mark.order] = mark
    return tuple(marks[order] for order in sorted(marks))


def _read_mark(value: object, counts: Counts, refusals: Refusals) -> Mark | None:
    given = read_object(value, _MARK_KEYS, "marks", refusals)
    if given is None:
        return None
    error_type = read_choice(given.get("type"), ERROR_TYPES, "error type", "marks", refusals)
    body_part = read_choice(given.get("part"), BODY_PARTS, "body part", "marks", refusals)
    if error_type is None or body_part is None:
        return None
    cell = CELL_BY_KEY[f"{error_type}.{body_part}"]
    field = f"marks.{cell.key}"
    severity = read_choice(given.get("severity"), SEVERITIES, "severity", field, refusals)
    affected = read_whole_number(given.get("affected"), 0, LARGEST_COUNT, field, refusals)
    total = _read_optional(given.get("total"), 0, field, refusals)
    own_total = read_flag(given.get("own_total", False), field, refusals)
    pins = _read_pins(given.get("pins", []), field, refusals)
    if severity is None or affected is None:
        return None
    count = counts[cell.count_kind].get(body_part)
    if total is None:
        return Mark(error_type, body_part, severity, affected, count, False, pins)
    # A total that differs from the count is the mark's own, unless the mark contradicts the count.
    own_total = own_total or count is None or (total != count and affected <= count)
    return Mark(error_type, body_part, severity, affected, total, own_total, pins)


def _read_pins(value: object, field: str, refusals: Refusals) -> tuple[Pin, ...]:
    return tuple(_read_pin(pin, field, refusals) for pin in read_list(value, LARGEST_COUNT, field, refusals))


def _read_pin(value: object, field: str, refusals: Refusals) -> Pin:
    given = read_object(value, ("x", "y"), field, refusals)
    if given is None:
        return (0.0, 0.0)
    return (
        read_fraction(given.get("x"), field, refusals),
        read_fraction(given.get("y"), field, refusals),
    )


def _check_marks(answer: AnatomyAnnotation, refusals: Refusals) -> None:
    for mark in answer.marks:
        _check_mark(mark, answer.counts(mark.cell.count_kind).get(mark.body_part), refusals)
    if answer.no_errors and answer.marks:
        entered = (
            "1 error is entered. Remove it"
            if len(answer.marks) == 1
            else (f"{len(answer.marks)} errors are entered. Remove them")
        )
        refusals.add("no_errors", f"Refused: {entered} first, or submit without “No errors”.")


def _check_mark(mark: Mark, count: int | None, refusals: Refusals) -> None:
    kind, field = mark.cell.count_kind, f"marks.{mark.cell.key}"
    if count is not None and not mark.own_total and mark.total != count and mark.affected > count:
        # The count was lowered after the mark had used it as its total.
        parts = parts_in_words(mark.affected, mark.body_part)
        message = f"A count of {count} is not possible: you marked {parts} with an error."
        refusals.add(f"counts.{kind}.{mark.body_part}", message)
    elif mark.total == 0 or count == 0:
        message = f"A total of 0 is not possible: if none is {kind}, there is nothing to mark."
        refusals.add(field, message)
    elif mark.total is not None and mark.affected > mark.total:
        counted = parts_in_words(mark.total, mark.body_part, kind)
        message = f"{mark.affected} of {mark.total} is not possible: you counted {counted}."
        refusals.add(field, message)
    if len(mark.pins) > mark.affected:
        refusals.add(field, f"Refused: {len(mark.pins)} pins for {mark.affected} affected.")


def _check_complete(answer: AnatomyAnnotation, refusals: Refusals) -> None:
    if not answer.marks and not answer.no_errors:
        refusals.add("", "Not submitted: the annotation is empty.")
    for mark in (mark for mark in answer.marks if mark.total is None):
        message = f"Not submitted: {mark.cell.title} has no total. {COUNT_HINT}"
        refusals.add(f"marks.{mark.cell.key}", message)
