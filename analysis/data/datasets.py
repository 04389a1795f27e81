"""From rows to the table the statistics read.

The numeric stack is imported inside `load_frame` only: web processes read this module too.
"""

from __future__ import annotations

import gc
import hashlib
import json
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from django.db.models import Case, Count, Q, QuerySet, When

from analysis.data.counting import (
    ANSWERED_AGAIN,
    IMAGE_DELETED,
    NOTHING_READ,
    OTHER_PROTOCOL,
    PURPOSES,
    REASONS,
    REOPENED,
    Counting,
)
from analysis.data.versions import code_version
from analysis.protocols.numbers import Numbers, Row
from analysis.protocols.registry import numbers_of
from annotator.annotations.unread import answers_without_numbers
from annotator.models import Adjudication, Annotation, Assignment, Project
from annotator.models.counting import is_work
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.protocols import protocols_of
from scoring.service import get_protocol

if TYPE_CHECKING:
    from analysis.stats.frames import AnswerTable, Ints, RatingsFrame

Told = Callable[[int, int], None]

CHUNK = 2000
# What a number can depend on besides the answer itself; the order is that of `RatedAnnotation`.
DESCRIPTION = (
    "assignment__image_id",
    "assignment__annotator__code",
    "assignment__image__generator",
    "assignment__image__prompt",
    "assignment__image__prompt_group",
    "assignment__batch__name",
)
# Where an answer's id stands in a row that is read.
_PK: Final = -2

_IS_SUBMITTED: Final = Q(status=Annotation.Status.SUBMITTED)
_IS_ON_AN_IMAGE: Final = Q(assignment__image__goes_at=None)
_IS_WORK: Final = is_work("assignment__")


class NoAnnotations(ValueError):
    """The project has no submitted annotation to compute anything from."""

    def __init__(self, project: Project, counting: Counting) -> None:
        why = "; ".join(f"{count:,} {REASONS[name]}" for name, count in counting.not_counted.items())
        super().__init__(
            f"None of the {counting.submitted:,} submitted annotations of {project.name} is counted: {why}."
            if why
            else f"{project.name} has no submitted annotations yet."
        )


def _is_under(protocol: str) -> Q:
    return Q(assignment__batch__protocol=protocol)


def submitted(project: Project | int, protocol: str = DEFAULT_PROTOCOL) -> QuerySet[Annotation]:
    """Return the answers that count: submitted work of the project, made under the protocol.

    Not those of an image that is being deleted.
    """
    return Annotation.objects.filter(
        _IS_SUBMITTED, _IS_WORK, _is_under(protocol), _IS_ON_AN_IMAGE, assignment__batch__project=project
    )


def left_out(project: Project | int, protocol: str = DEFAULT_PROTOCOL) -> dict[str, int]:
    """Return how many answers that were submitted `submitted` leaves out, by reason; one query."""
    answers = Annotation.objects.filter(assignment__batch__project=project).order_by()
    is_reopened, counts_here = Q(status=Annotation.Status.REOPENED), _IS_SUBMITTED & _IS_WORK
    counts = answers.aggregate(
        **{
            purpose: Count("pk", filter=(_IS_SUBMITTED | is_reopened) & Q(assignment__purpose=purpose))
            for purpose in PURPOSES
        },
        **{
            REOPENED: Count("pk", filter=is_reopened & _IS_WORK),
            OTHER_PROTOCOL: Count("pk", filter=counts_here & ~_is_under(protocol)),
            IMAGE_DELETED: Count("pk", filter=counts_here & _is_under(protocol) & ~_IS_ON_AN_IMAGE),
        },
    )
    return {name: count for name, count in counts.items() if count}


def load_frame(project: Project, steps: Told | None = None) -> RatingsFrame:
    """Return the project's table of the anatomy protocol; see `load_counted`."""
    from analysis.stats.frames import RatingsFrame

    frame, _ = load_counted(project, steps=steps)
    assert isinstance(frame, RatingsFrame)
    return frame


def load_counted(
    project: Project, protocol: str = DEFAULT_PROTOCOL, *, steps: Told | None = None
) -> tuple[AnswerTable, Counting]:
    """Return the project's table of answers under a protocol, and which are in it and which are not.

    The table has one row per image and annotator, the latest answer where there are two. Anatomy's has its
    marks, and scores made with the project's present weights; every other one the values of its variables.
    Where the project has none of this protocol's own answers, but some that can be shown as such
    (`shown_from`), those are read. `steps` hears how many of the answers are read.
    Raises NoAnnotations where no answer counts and ValueError, naming the image, for an answer whose ratings
    cannot be read.
    """
    return load_as(project, protocol, shown_from(project, protocol), numbers_of(protocol), steps=steps)


def load_as(
    project: Project, protocol: str, source: str, numbers: Numbers, *, steps: Told | None = None
) -> tuple[AnswerTable, Counting]:
    """Return the table that `numbers` makes of the answers under `source`, shown as those of a protocol.

    Otherwise as `load_counted`.
    """
    not_counted = Counter(left_out(project, source))
    chunks = _chunks(project, source, numbers.fields, not_counted, steps)
    with _no_collection():
        frame = numbers.frame(chunks, project, protocol, source)
    frame = replace(frame, targeted=_targeted(project, source))
    counting = Counting(len(frame), dict(not_counted))
    if not len(frame):
        raise NoAnnotations(project, counting)
    return frame, counting


def shown_from(project: Project | int, protocol: str, known: Collection[str] | None = None) -> str:
    """Return under which protocol the answers were made that a report about `protocol` is computed from.

    Its own, unless the project has no batch of it and one whose answers it can show. `known` are the
    project's protocols, where they were asked for already.
    """
    shown_as = get_protocol(protocol).shown_as
    if not shown_as:
        return protocol
    there = set(protocols_of(project) if known is None else known)
    others = sorted(there & shown_as.keys())
    return others[0] if others and there.isdisjoint({protocol}) else protocol


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


def settled(project: Project | int, protocol: str = DEFAULT_PROTOCOL) -> QuerySet[Adjudication]:
    """Return the adjudicated values that count: not withdrawn, under the protocol."""
    return Adjudication.objects.filter(
        status=Adjudication.Status.SETTLED,
        protocol=protocol,
        image__project=project,
        image__goes_at=None,
    )


def load_settled(project: Project, protocol: str = DEFAULT_PROTOCOL) -> dict[int, Any]:
    """Return the adjudicated values by image, as the protocol's reports read them."""
    rows = settled(project, protocol).order_by("image_id").values_list("image_id", "payload", "ratings")
    decided = numbers_of(protocol).decided
    return {image: decided(protocol, payload, ratings) for image, payload, ratings in rows}


@dataclass(frozen=True)
class Digests:
    """What reports are computed from: `answers` all of them, `settled` those that use adjudicated values.

    `settled` is empty where nothing is settled; `using_settled` are the kinds that use it.
    """

    answers: str
    settled: str
    using_settled: frozenset[str]

    def of(self, kind: str) -> str:
        """Return the digest of a kind's input: another one means another report."""
        if kind not in self.using_settled or not self.settled:
            return self.answers
        return hashlib.sha256(f"{self.answers}|{self.settled}".encode()).hexdigest()


def input_digests(project: Project, protocol: str = DEFAULT_PROTOCOL) -> Digests:
    """Return digests of the project's answers and of what was settled, as they are now."""
    digest = hashlib.sha256()
    rows = list(settled(project, protocol).order_by("image_id").values_list("image_id", "version"))
    for row in rows:
        digest.update(repr(row).encode())
    using = numbers_of(protocol).using_settled
    return Digests(input_digest(project, protocol), digest.hexdigest() if rows else "", using)


def input_digest(project: Project, protocol: str = DEFAULT_PROTOCOL) -> str:
    """Return a digest that changes whenever another report would come out: other answers, or other code.

    An answer is named by id and version, which rises with every change of its payload.
    """
    source = shown_from(project, protocol)
    digest = hashlib.sha256(f"{code_version()}|{json.dumps(project.weights, sort_keys=True)}".encode())
    rows = (
        submitted(project, source)
        .order_by("pk")
        .values_list("pk", "version", "assignment__image__number", *DESCRIPTION)
    )
    for row in rows.iterator(chunk_size=CHUNK):
        digest.update(repr(row).encode())
    # A report tells of the answers it leaves out as well.
    digest.update(repr(left_out(project, source)).encode())
    return digest.hexdigest()


def _chunks(
    project: Project, source: str, fields: Sequence[Any], not_counted: Counter[str], steps: Told | None
) -> Iterator[list[Row]]:
    """Yield the answers that count, as rows; what is read and left out is added to `not_counted`."""
    unread = set(answers_without_numbers(project).values_list("pk", flat=True))
    ids, old = _ids(project, source), superseded(project, source, unread)
    for start in range(0, len(ids), CHUNK):
        if steps:
            steps(start, len(ids))
        rows = _rows(project, source, ids[start : start + CHUNK], fields)
        for row in rows:
            if row[_PK] in unread:
                not_counted[NOTHING_READ] += 1
            elif row[_PK] in old:
                not_counted[ANSWERED_AGAIN] += 1
        yield [row for row in rows if row[_PK] not in old and row[_PK] not in unread]


def _targeted(project: Project, protocol: str) -> Ints:
    """Return the answers that were asked for because of what had been said of their images."""
    import numpy as np

    found = submitted(project, protocol).filter(assignment__drawn=Assignment.Drawn.TARGETED)
    return np.fromiter(found.order_by().values_list("pk", flat=True).iterator(CHUNK), dtype=np.int64)


def _ids(project: Project, protocol: str) -> array[int]:
    numbers = submitted(project, protocol).order_by("pk").values_list("pk", flat=True)
    return array("q", numbers.iterator(CHUNK))


def _rows(project: Project, protocol: str, ids: array[int], fields: Sequence[Any]) -> list[Row]:
    """Return the rows of these answers, read to the end.

    A query that is still open holds a snapshot on SQLite, and after anybody else's writing nothing can be
    stored over that connection, not even how far we are.
    """
    rows = submitted(project, protocol).order_by()
    # A range is read faster than a list of numbers, unless much that is somebody else's lies in between.
    dense = ids[-1] - ids[0] < 2 * len(ids)
    rows = rows.filter(pk__range=(ids[0], ids[-1])) if dense else rows.filter(pk__in=ids)
    # Imported answers carry the time of the import, which says nothing of when they were made.
    moment = Case(When(source__isnull=True, then="submitted_at"))
    found = rows.values_list(*DESCRIPTION, *fields, "assignment__image__number", "pk", moment)
    wanted = frozenset(ids)
    return [row for row in found if row[_PK] in wanted]


def superseded(project: Project, protocol: str, unread: Collection[int]) -> set[int]:
    """Return the answers of those who judged an image more than once, without their latest that was read."""
    pair = ("assignment__image_id", "assignment__annotator_id")
    answers = submitted(project, protocol).order_by()
    if not answers.values(*pair).annotate(answers=Count("pk")).filter(answers__gt=1).exists():
        return set()
    rows = answers.order_by(*pair, "submitted_at", "pk").values_list("pk", *pair)
    ordered = (row for row in rows.iterator(chunk_size=CHUNK) if row[0] not in unread)
    return {before[0] for before, after in pairwise(ordered) if before[1:] == after[1:]}
