"""What project.json tells of batches and people, and helpers of the tables."""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from django.db.models import QuerySet

from analysis.bundles.source import BundleSource
from analysis.exports.columns import Line
from annotator.models import Membership
from scoring.formula_guard import guarded

BATCH_FIELDS: Final = (
    *("name", "protocol", "overlap", "coders", "seed", "status"),
    *("show_prompt", "show_generator", "guided", "score_shown", "created_at"),
    *("prompt_seen", "generator_seen"),
)


def pretty(value: object) -> bytes:
    """Return indented JSON with keys in given order."""
    return (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def moment(value: datetime | None) -> str | None:
    """Return a time in UTC to the microsecond."""
    return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%fZ}" if value else None


def batch_rows(source: BundleSource) -> list[dict[str, Any]]:
    """Return the batches, without seeds under pseudonyms, which would confirm a guessed code."""
    found = []
    places = places_of(source.batches)
    fields = (*BATCH_FIELDS, "settings", "follows_id", "needs_standing")
    for *values, settings, follows, needed in source.batches.values_list(*fields):
        row = dict(zip(BATCH_FIELDS, values, strict=True))
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
    return [guarded(value) if isinstance(value, str) else value for value in line]


def lines_of(rows: Any) -> Callable[[int], int]:
    """Return a function from a row's id to its line, counted from 1; 0 if it has none."""
    numbers = array("q", rows.values_list("pk", flat=True).iterator(chunk_size=5000))

    def line_of(pk: int) -> int:
        place = bisect_left(numbers, pk)
        return place + 1 if place < len(numbers) and numbers[place] == pk else 0

    return line_of
