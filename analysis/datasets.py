"""From rows to the table the statistics read.

The numeric stack is imported inside `load_frame` only: web processes read this module too.
"""

from __future__ import annotations

import gc
import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import orjson
from django.db.models import Case, Count, Q, QuerySet, When
from django.db.models.fields.json import KeyTextTransform, KeyTransform

from analysis.counting import (
    ANSWERED_AGAIN,
    IMAGE_DELETED,
    NOTHING_READ,
    OTHER_PROTOCOL,
    REASONS,
    REOPENED,
    Counting,
)
from analysis.protocols import REPORTED
from analysis.versions import code_version
from annotator.models import Adjudication, Annotation, Project
from annotator.unread import answers_without_numbers
from scoring.anatomy.taxonomy import CELLS, SEVERITIES

if TYPE_CHECKING:
    from analysis.stats.frames import Floats, RatedAnnotation, RatingsFrame

CHUNK = 2000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
# What a number can depend on besides the answer itself; the order is that of `RatedAnnotation`.
DESCRIPTION = (
    "assignment__image_id",
    "assignment__annotator__code",
    "assignment__image__generator",
    "assignment__image__prompt",
    "assignment__image__prompt_group",
    "assignment__batch__name",
)
# Of the answer only what a number is made of travels: the first rating's value, the cumulative score, and the
# marks as they were counted (ratings hold them in lowest terms).
SCORE = KeyTextTransform(2, KeyTransform(0, "ratings"))
MARKS = KeyTextTransform("marks", "payload")
# The kinds of report in which an adjudicated value takes the place of an image's mean; the others are about
# the annotations themselves.
USING_SETTLED: Final = frozenset({"comparison"})
_PLACES: Final = {(cell.error_type, cell.body_part): place for place, cell in enumerate(CELLS)}
# Where the marks stand in a row.
_MARKS = len(DESCRIPTION) + 1
_PK = _MARKS + 2


_IS_SUBMITTED: Final = Q(status=Annotation.Status.SUBMITTED)
_IS_REPORTED: Final = Q(assignment__batch__protocol__in=REPORTED)
_IS_ON_AN_IMAGE: Final = Q(assignment__image__goes_at=None)


class NoAnnotations(ValueError):
    """The project has no submitted annotation to compute anything from."""

    def __init__(self, project: Project, counting: Counting) -> None:
        why = "; ".join(f"{count:,} {REASONS[name]}" for name, count in counting.not_counted.items())
        super().__init__(
            f"None of the {counting.submitted:,} submitted annotations of {project.name} is counted: {why}."
            if why
            else f"{project.name} has no submitted annotations yet."
        )


def submitted(project: Project | int) -> QuerySet[Annotation]:
    """Return the answers that count: submitted ones of the project, under a protocol that reports know.

    Not those of an image that is being deleted.
    """
    return Annotation.objects.filter(
        _IS_SUBMITTED, _IS_REPORTED, _IS_ON_AN_IMAGE, assignment__batch__project=project
    )


def left_out(project: Project | int) -> dict[str, int]:
    """Return how many answers that were submitted `submitted` leaves out, by reason; one query."""
    answers = Annotation.objects.filter(assignment__batch__project=project).order_by()
    counts = answers.aggregate(
        **{
            REOPENED: Count("pk", filter=Q(status=Annotation.Status.REOPENED)),
            OTHER_PROTOCOL: Count("pk", filter=_IS_SUBMITTED & ~_IS_REPORTED),
            IMAGE_DELETED: Count("pk", filter=_IS_SUBMITTED & _IS_REPORTED & ~_IS_ON_AN_IMAGE),
        }
    )
    return {name: count for name, count in counts.items() if count}


def load_frame(project: Project, steps: Callable[[int, int], None] | None = None) -> RatingsFrame:
    """Return the project's table; see `load_counted`."""
    return load_counted(project, steps)[0]


def load_counted(
    project: Project, steps: Callable[[int, int], None] | None = None
) -> tuple[RatingsFrame, Counting]:
    """Return the project's table, and which answers are in it and which are not.

    The table has one row per image and annotator, the latest answer where there are two. Scores are made with
    the project's present weights. `steps` hears how many of the answers are read.
    Raises NoAnnotations where no answer counts and ValueError, naming the image, for an answer whose ratings
    cannot be read.
    """
    from analysis.stats.frames import build_frame

    not_counted = Counter(left_out(project))
    with _no_collection():
        frame = build_frame(_rated(project, not_counted, steps), project.exact_weights)
    counting = Counting(len(frame), dict(not_counted))
    if not len(frame):
        raise NoAnnotations(project, counting)
    return frame, counting


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keep the garbage collector from looking through the answers while they pass by.

    They hold no cycles and go by themselves; looking for some takes as long as all else.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def settled(project: Project | int) -> QuerySet[Adjudication]:
    """Return the adjudicated values that count: not withdrawn, under a protocol that reports know."""
    return Adjudication.objects.filter(
        status=Adjudication.Status.SETTLED,
        protocol__in=REPORTED,
        image__project=project,
        image__goes_at=None,
    )


def load_settled(project: Project) -> dict[int, Floats]:
    """Return the adjudicated values as error fractions, (25, 3) by image; see `analysis.stats.images`."""
    import numpy as np

    found = {}
    for image, payload in settled(project).order_by("image_id").values_list("image_id", "payload"):
        fractions = np.zeros((len(CELLS), len(SEVERITIES)))
        for mark in payload["marks"]:
            place = _PLACES[mark["type"], mark["part"]]
            fractions[place, SEVERITIES.index(mark["severity"])] = mark["affected"] / mark["total"]
        found[image] = fractions
    return found


@dataclass(frozen=True)
class Digests:
    """What reports are computed from: `answers` all of them, `settled` those that use adjudicated values.

    `settled` is empty where nothing is settled.
    """

    answers: str
    settled: str

    def of(self, kind: str) -> str:
        """Return the digest of a kind's input: another one means another report."""
        if kind not in USING_SETTLED or not self.settled:
            return self.answers
        return hashlib.sha256(f"{self.answers}|{self.settled}".encode()).hexdigest()


def input_digests(project: Project) -> Digests:
    """Return digests of the project's answers and of what was settled, as they are now."""
    digest = hashlib.sha256()
    rows = list(settled(project).order_by("image_id").values_list("image_id", "version"))
    for row in rows:
        digest.update(repr(row).encode())
    return Digests(input_digest(project), digest.hexdigest() if rows else "")


def input_digest(project: Project) -> str:
    """Return a digest that changes whenever `load_frame` or the code that computes would give another report.

    An answer is named by id and version, which rises with every change of its payload.
    """
    digest = hashlib.sha256(f"{code_version()}|{json.dumps(project.weights, sort_keys=True)}".encode())
    rows = (
        submitted(project)
        .order_by("pk")
        .values_list("pk", "version", "assignment__image__number", *DESCRIPTION)
    )
    for row in rows.iterator(chunk_size=CHUNK):
        digest.update(repr(row).encode())
    # A report tells of the answers it leaves out as well.
    digest.update(repr(left_out(project)).encode())
    return digest.hexdigest()


def _rated(
    project: Project, not_counted: Counter[str], steps: Callable[[int, int], None] | None
) -> Iterator[RatedAnnotation]:
    """Yield the answers that count; those that are read and left out are added to `not_counted`."""
    from analysis.stats.building import UNKNOWN_TIME, RatedAnnotation

    unread = set(answers_without_numbers(project).values_list("pk", flat=True))
    ids, old = _ids(project), _superseded(project, unread)
    for start in range(0, len(ids), CHUNK):
        if steps:
            steps(start, len(ids))
        rows = _rows(project, ids[start : start + CHUNK])
        # One text of all marks is read in half the time of one text an answer.
        marks = orjson.loads(f"[{','.join(row[_MARKS] or '[]' for row in rows)}]")
        for row, found in zip(rows, marks, strict=True):
            *description, score, _, number, pk, moment = row
            if pk in old or pk in unread:
                not_counted[NOTHING_READ if pk in unread else ANSWERED_AGAIN] += 1
                continue
            ratings = [] if score is None else [("cumulative_score", "", score)]
            # Imported answers carry the time of the import, which says nothing of when they were made.
            made = UNKNOWN_TIME if moment is None else (moment - EPOCH) // MICROSECOND
            yield RatedAnnotation._make([*description, ratings, number or 0, pk, made, found])


def _ids(project: Project) -> array[int]:
    return array("q", submitted(project).order_by("pk").values_list("pk", flat=True).iterator(CHUNK))


def _rows(project: Project, ids: array[int]) -> list[tuple[Any, ...]]:
    """Return the rows of these answers, read to the end.

    A query that is still open holds a snapshot on SQLite, and after anybody else's writing nothing can be
    stored over that connection, not even how far we are.
    """
    rows = submitted(project).order_by()
    # A range is read faster than a list of numbers, unless much that is somebody else's lies in between.
    dense = ids[-1] - ids[0] < 2 * len(ids)
    rows = rows.filter(pk__range=(ids[0], ids[-1])) if dense else rows.filter(pk__in=ids)
    moment = Case(When(source__isnull=True, then="submitted_at"))
    found = rows.values_list(*DESCRIPTION, SCORE, MARKS, "assignment__image__number", "pk", moment)
    wanted = frozenset(ids)
    return [row for row in found if row[_PK] in wanted]


def _superseded(project: Project, unread: Collection[int]) -> set[int]:
    """Return the answers of those who judged an image more than once, without their latest that was read."""
    pair = ("assignment__image_id", "assignment__annotator_id")
    answers = submitted(project).order_by()
    if not answers.values(*pair).annotate(answers=Count("pk")).filter(answers__gt=1).exists():
        return set()
    rows = answers.order_by(*pair, "submitted_at", "pk").values_list("pk", *pair)
    ordered = (row for row in rows.iterator(chunk_size=CHUNK) if row[0] not in unread)
    return {before[0] for before, after in pairwise(ordered) if before[1:] == after[1:]}
