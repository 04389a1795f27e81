"""The rows of a project as JSON Lines, complete enough to restore it."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

from django.db.models import QuerySet

from analysis.bundles.source import BundleSource, in_chunks
from analysis.exports.columns import Line
from analysis.exports.rows import safe
from annotator.models import Assignment, Membership

LINES_PER_PIECE: Final = 200
IMAGE_FIELDS: Final = (
    *("sha256", "source_name", "format", "width", "height"),
    *("generator", "prompt", "prompt_group", "number", "attributes", "scaled_from"),
)
ANNOTATION_FIELDS: Final = (
    *("payload", "status", "version", "warnings", "ratings", "source"),
    *("capture", "flagged", "active_ms", "saved_at", "submitted_at"),
)
ADJUDICATION_FIELDS: Final = ("protocol", "payload", "ratings", "status", "version", "note")
BATCH_FIELDS: Final = (
    *("name", "protocol", "overlap", "coders", "seed", "status"),
    *("show_prompt", "show_generator", "guided", "score_shown", "created_at"),
)
# Older bundles lack it.
SEEN_FIELDS: Final = ("prompt_seen", "generator_seen")
LEFT_OUT_OF_ASSIGNMENTS: Final[Mapping[str, Any]] = {
    "purpose": Assignment.Purpose.WORK.value,
    "drawn": Assignment.Drawn.SINGLE.value,
    "pass_no": 0,
}
"""Defaults of an assignment that the bundle does not state."""
# Adjudications without causes leave them out, so that older versions read them.
CAUSES: Final = "causes"
# Most projects publish no guideline; annotations without a version leave it out.
GUIDELINE: Final = "guideline"
# An imported row's file name and unknown columns may name people.
TELLING: Final = ("file", "other_columns")


def written(value: object) -> str:
    """Return canonical JSON on one line: sorted keys, no spaces, exact numbers."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def pretty(value: object) -> bytes:
    """Return indented JSON with keys in given order."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def json_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield rows as JSON Lines, several at a time."""
    lines = map(written, rows)
    while piece := list(islice(lines, LINES_PER_PIECE)):
        yield ("\n".join(piece) + "\n").encode()


def moment(value: datetime | None) -> str | None:
    """Return a time in UTC to the microsecond."""
    return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}" if value else None


def image_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the images; `file` is the path in the bundle, None if only the hash is included.

    Only an image that was scaled down has `scaled_from`.
    """
    for pk, *values in in_chunks(source.images, "pk", *IMAGE_FIELDS):
        row = dict(zip(IMAGE_FIELDS, values, strict=True))
        if row["scaled_from"] is None:
            del row["scaled_from"]
        yield row | {"file": source.place_of(pk, row["sha256"], row["format"])}


def assignment_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the assignments; batch and annotator by position in project.json, images by line."""
    batches = places_of(source.batches)
    people = places_of(source.people)
    line_of = lines_of(source.images)
    fields = ("batch_id", "image_id", "annotator_id", "position", "status", *LEFT_OUT_OF_ASSIGNMENTS)
    for batch, image, annotator, position, status, *rest in in_chunks(source.assignments, *fields):
        yield {
            "batch": batches[batch],
            "image": line_of(image),
            "annotator": people[annotator],
            "position": position,
            "status": status,
            **_beyond_defaults(dict(zip(LEFT_OUT_OF_ASSIGNMENTS, rest, strict=True))),
        }


def _beyond_defaults(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that differ from the defaults, without the random draw that assignments imply."""
    unsaid = {name: {value} for name, value in LEFT_OUT_OF_ASSIGNMENTS.items()}
    unsaid["drawn"].add(Assignment.Drawn.RANDOM.value)
    return {name: value for name, value in values.items() if value not in unsaid[name]}


def annotation_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the annotations, including drafts; assignments by line."""
    line_of = lines_of(source.assignments)
    for assignment, guideline, *values in in_chunks(
        source.annotations, "assignment_id", GUIDELINE, *ANNOTATION_FIELDS
    ):
        row = dict(zip(ANNOTATION_FIELDS, values, strict=True))
        row |= {GUIDELINE: guideline} if guideline else {}
        if source.request.hidden and row["source"]:
            row["source"] = {key: text for key, text in row["source"].items() if key not in TELLING}
        row |= {name: moment(row[name]) for name in ("saved_at", "submitted_at")}
        source.done(1)
        yield {"assignment": line_of(assignment), **row}


def adjudication_rows(source: BundleSource) -> Iterator[dict[str, Any]]:
    """Yield the adjudications; image and annotations by line, the lead by position in project.json."""
    people = places_of(source.people)
    image_line, annotation_line = lines_of(source.images), lines_of(source.annotations)
    fields = ("image_id", "decided_by_id", "settled_from", "decided_at", CAUSES, *ADJUDICATION_FIELDS)
    for image, decider, settled_from, decided_at, causes, *values in in_chunks(source.adjudications, *fields):
        yield {
            "image": image_line(image),
            "decided_by": people[decider],
            "decided_at": moment(decided_at),
            # A deleted annotation has line 0.
            "settled_from": [[annotation_line(pk), version] for pk, version in settled_from],
            **dict(zip(ADJUDICATION_FIELDS, values, strict=True)),
            **({} if causes is None else {CAUSES: causes}),
        }


def batch_rows(source: BundleSource) -> list[dict[str, Any]]:
    """Return the batches, without seeds under pseudonyms, which would confirm a guessed code."""
    found = []
    places = places_of(source.batches)
    fields = (*BATCH_FIELDS, *SEEN_FIELDS, "settings", "follows_id", "needs_standing")
    for *values, settings, follows, needed in source.batches.values_list(*fields):
        row = dict(zip((*BATCH_FIELDS, *SEEN_FIELDS), values, strict=True))
        # Most protocols have no further settings, and most batches follow none.
        row |= {"settings": settings} if settings else {}
        row |= {"follows": places[follows]} if follows in places else {}
        row |= {"needs_standing": True} if needed else {}
        row |= {"overlap": str(row["overlap"]), "created_at": moment(row["created_at"])}
        found.append(row | ({"seed": None} if source.request.hidden else {}))
    return found


def people_rows(source: BundleSource) -> list[dict[str, Any]]:
    """Return the annotators under their names in the bundle."""
    people: Iterable[Membership] = source.people
    return [{"code": source.name(one.code), "is_active": one.is_active} for one in people]


def places_of(rows: QuerySet[Any]) -> dict[int, int]:
    """Return the position of each row by id, counted from 1."""
    return {pk: place for place, pk in enumerate(rows.values_list("pk", flat=True), 1)}


def safe_line(line: list[Any]) -> Line:
    """Return a line of a table whose texts no spreadsheet takes for formulas."""
    return [safe(value) if isinstance(value, str) else value for value in line]


def lines_of(rows: Any) -> Callable[[int], int]:
    """Return a function from a row's id to its line, counted from 1; 0 if it has none."""
    numbers = array("q", rows.values_list("pk", flat=True).iterator(chunk_size=5000))

    def line_of(pk: int) -> int:
        place = bisect_left(numbers, pk)
        return place + 1 if place < len(numbers) and numbers[place] == pk else 0

    return line_of
