"""Build the table that the statistics read from database rows.

Only `load_frame` imports the numeric stack, because web processes import this module too.
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
    NOTHING_READ,
    OTHER_PROTOCOL,
    OUTDATED,
    PURPOSES,
    REAL_PICTURE,
    REASONS,
    REOPENED,
    Counting,
)
from analysis.data.metrics import metrics_digest
from analysis.data.slices import slices_digest
from analysis.data.versions import code_version
from analysis.models import Report
from analysis.protocols.interface import Numbers, Row
from analysis.protocols.registry import numbers_of
from annotator.annotations.given import outdated_among
from annotator.annotations.unreadable import annotations_without_numbers, nothing_read
from annotator.data_sets.settings import settings_of
from annotator.models import Adjudication, Annotation, Assignment, Batch, Project, SuggestionRun
from annotator.models.counting import is_work
from annotator.models.data_sets import is_generated, is_real
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.projects.protocols import protocols_of
from annotator.protocols.registry import PAGES
from scoring.service import get_protocol

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable, Ints, RatingsFrame

Told = Callable[[int, int], None]

CHUNK = 2000
# Columns that numbers depend on besides the annotation itself, in the order of `RatedAnnotation`.
DESCRIPTION = (
    "assignment__image_id",
    "assignment__annotator__code",
    "assignment__image__generator",
    "assignment__image__prompt",
    "assignment__image__prompt_group",
    "assignment__batch__name",
)
# Position of the annotation id in a row.
_PK: Final = -1

_IS_SUBMITTED: Final = Q(status=Annotation.Status.SUBMITTED)
_IS_NOT_SUBMITTED: Final = Q(status__in=set(Annotation.Status.values) - {Annotation.Status.SUBMITTED})
_IS_WORK: Final = is_work("assignment__")
_IS_REAL: Final = is_real("assignment__image__")


class NoAnnotations(ValueError):
    """The project has no submitted annotation that counts."""

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
    """Return the annotations that count: the project's submitted work under the protocol."""
    return Annotation.objects.filter(
        _IS_SUBMITTED, _IS_WORK, _is_under(protocol), assignment__batch__project=project
    )


def reported(project: Project | int, protocol: str = DEFAULT_PROTOCOL) -> QuerySet[Annotation]:
    """Return the annotations that reports rest on: those that count, except of real images.

    Real images are not a generator, so only the report of the data set has them.
    """
    return submitted(project, protocol).filter(is_generated("assignment__image__"))


def left_out(project: Project | int, protocol: str = DEFAULT_PROTOCOL) -> dict[str, int]:
    """Return how many submitted annotations `reported` excludes, by reason; one query."""
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
            REAL_PICTURE: Count("pk", filter=counts_here & _is_under(protocol) & _IS_REAL),
        },
    )
    return {name: count for name, count in counts.items() if count}


def load_frame(project: Project, steps: Told | None = None) -> RatingsFrame:
    """Return the project's table for the anatomy protocol; see `load_counted`."""
    from analysis.stats.frames import RatingsFrame

    frame, _ = load_counted(project, steps=steps)
    assert isinstance(frame, RatingsFrame)
    return frame


def load_counted(
    project: Project, protocol: str = DEFAULT_PROTOCOL, *, steps: Told | None = None
) -> tuple[AnnotationTable, Counting]:
    """Return the project's table of annotations under a protocol, and the counts of what it holds.

    The table has one row per image and annotator, the latest annotation if there are several. For anatomy
    it has marks and scores by the project's current weights; for other protocols the values of its
    variables. If the project has no annotations of this protocol but some that convert to it
    (`shown_from`), those are read. `steps` receives how many are read. Raise NoAnnotations if none counts,
    and ValueError naming the image if ratings cannot be read.
    """
    return load_as(project, protocol, shown_from(project, protocol), numbers_of(protocol), steps=steps)


def load_as(
    project: Project, protocol: str, source: str, numbers: Numbers, *, steps: Told | None = None
) -> tuple[AnnotationTable, Counting]:
    """Return the table that `numbers` makes of the annotations under `source`, converted to a protocol.

    Otherwise as `load_counted`.
    """
    not_counted = Counter(left_out(project, source))
    chunks = _chunks(project, source, numbers.fields, not_counted, steps)
    with _no_collection():
        frame = numbers.frame(chunks, project, protocol, source)
    targeted, unstated = _not_at_random(project, source)
    frame = replace(frame, targeted=targeted, unstated=unstated, suggested=_suggested(project, source))
    partly_unread = reported(project, source).filter(has_unread_terms=True).exclude(nothing_read())
    counting = Counting(len(frame), dict(not_counted), partly_unread.count())
    if not len(frame):
        raise NoAnnotations(project, counting)
    return frame, counting


def load_round(batch: Batch) -> AnnotationTable:
    """Return the table of what the participants of a norming session submitted; it may be empty.

    Its columns are as in `load_counted`, its rows those of this batch alone.
    """
    numbers, project, protocol = numbers_of(batch.protocol), batch.project, batch.protocol
    made = Annotation.objects.filter(
        _IS_SUBMITTED,
        assignment__batch=batch,
        assignment__purpose=Assignment.Purpose.NORMING,
    )
    return numbers.frame([_described(made, numbers.fields)], project, protocol, protocol)


def shown_from(project: Project | int, protocol: str, known: Collection[str] | None = None) -> str:
    """Return the protocol of the annotations that a report about `protocol` uses.

    This is `protocol` itself unless the project only has a batch whose annotations convert to it. `known` are
    the project's protocols, if already loaded.
    """
    shown_as = get_protocol(protocol).shown_as
    if not shown_as:
        return protocol
    there = set(protocols_of(project) if known is None else known)
    others = sorted(there & shown_as.keys())
    return others[0] if others and there.isdisjoint({protocol}) else protocol


@contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector while annotations are read.

    They hold no cycles, and searching for some would double the time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def adjudicated(project: Project | int, protocol: str = DEFAULT_PROTOCOL) -> QuerySet[Adjudication]:
    """Return the adjudicated values that count: not withdrawn, under the protocol."""
    rows = Adjudication.objects.filter(image__project=project)
    return rows.filter(status=Adjudication.Status.ADJUDICATED, protocol=protocol)


def load_adjudicated(project: Project, protocol: str = DEFAULT_PROTOCOL) -> dict[int, Any]:
    """Return the adjudicated values by image, for the protocol's reports."""
    known = adjudicated(project, protocol).filter(is_generated("image__")).order_by("image_id")
    rows = known.values_list("image_id", "payload", "ratings")
    decided = numbers_of(protocol).decided
    return {image: decided(protocol, payload, ratings) for image, payload, ratings in rows}


@dataclass(frozen=True)
class Digests:
    """Digests of report input: `answers` for all reports, `adjudicated` for those using adjudicated values.

    `adjudicated` is empty without adjudications; `using_adjudicated` are the kinds that use it. `metrics`
    and `slices`, both of the comparison, are empty where images have none.
    """

    answers: str
    adjudicated: str
    using_adjudicated: frozenset[str]
    metrics: str = ""
    slices: str = ""

    def of(self, kind: str) -> str:
        """Return the digest of a kind's input; if it differs, so does the report."""
        parts = [self.answers]
        if kind in self.using_adjudicated and self.adjudicated:
            parts.append(self.adjudicated)
        if kind == Report.Kind.COMPARISON:
            parts += filter(None, (self.metrics, self.slices))
        return self.answers if len(parts) == 1 else hashlib.sha256("|".join(parts).encode()).hexdigest()


def input_digests(project: Project, protocol: str = DEFAULT_PROTOCOL) -> Digests:
    """Return digests of the project's current annotations and adjudications."""
    digest = hashlib.sha256()
    rows = list(adjudicated(project, protocol).order_by("image_id").values_list("image_id", "version"))
    for row in rows:
        digest.update(repr(row).encode())
    using = numbers_of(protocol).using_adjudicated
    adjudicated_now = digest.hexdigest() if rows else ""
    outside = metrics_digest(project), slices_digest(project, protocol)
    return Digests(input_digest(project, protocol), adjudicated_now, using, *outside)


def input_digest(project: Project, protocol: str = DEFAULT_PROTOCOL) -> str:
    """Return a digest that changes whenever annotations or code would change the report.

    Annotations enter by id and version, which rises with every change of the payload.
    """
    source = shown_from(project, protocol)
    digest = hashlib.sha256(f"{code_version()}|{json.dumps(project.weights, sort_keys=True)}".encode())
    if get_protocol(protocol).outcome:
        digest.update(f"{settings_of(project).invalid_from}|".encode())
    rows = (
        submitted(project, source)
        .order_by("pk")
        .values_list("pk", "version", "assignment__image__number", *DESCRIPTION)
    )
    for row in rows.iterator(chunk_size=CHUNK):
        digest.update(repr(row).encode())
    page = PAGES.get(source)
    if page and page.suggested and page.suggested.kind == SuggestionRun.Kind.DESCRIPTION:
        # Its tables name the models that wrote the descriptions.
        runs = project.suggestion_runs.filter(kind=page.suggested.kind).annotate(rows=Count("suggestions"))
        digest.update(repr(list(runs.order_by("pk").values_list("pk", "withdrawn_at", "rows"))).encode())
    # A report also lists what it leaves out.
    excluded = left_out(project, source)
    digest.update(repr(excluded).encode())
    if outdated := outdated_among(source, submitted(project, source)):
        digest.update(repr(sorted(outdated)).encode())
    if excluded.get(REAL_PICTURE):
        real = submitted(project, source).filter(_IS_REAL).order_by("pk")
        digest.update(repr(list(real.values_list("pk", flat=True))).encode())
    return digest.hexdigest()


def _chunks(
    project: Project, source: str, fields: Sequence[Any], not_counted: Counter[str], steps: Told | None
) -> Iterator[list[Row]]:
    """Yield the annotations that count, as rows; add those left out to `not_counted`."""
    unread = set(annotations_without_numbers(project).values_list("pk", flat=True))
    numbers = reported(project, source).order_by("pk").values_list("pk", flat=True)
    ids, old = array("q", numbers.iterator(CHUNK)), superseded(project, source, unread)
    outdated = outdated_among(source, submitted(project, source)) - unread
    without = unread | outdated | old
    for start in range(0, len(ids), CHUNK):
        if steps:
            steps(start, len(ids))
        rows = _rows(project, source, ids[start : start + CHUNK], fields)
        for pk in (row[_PK] for row in rows if row[_PK] in without):
            not_counted[NOTHING_READ if pk in unread else OUTDATED if pk in outdated else ANSWERED_AGAIN] += 1
        yield [row for row in rows if row[_PK] not in without]


def _not_at_random(project: Project, protocol: str) -> tuple[Ints, Ints]:
    """Return the annotations requested because of earlier ones of the image, and those of unknown reason."""
    import numpy as np

    kinds = (Assignment.Drawn.TARGETED, Assignment.Drawn.UNKNOWN)
    ids: dict[str, array[int]] = {kind: array("q") for kind in kinds}
    rows = submitted(project, protocol).filter(assignment__drawn__in=kinds).order_by()
    for pk, kind in rows.values_list("pk", "assignment__drawn").iterator(CHUNK):
        ids[kind].append(pk)
    targeted, unstated = (np.array(ids[kind], dtype=np.int64) for kind in kinds)
    return targeted, unstated


def _suggested(project: Project, protocol: str) -> Ints:
    """Return the annotations whose annotator was shown a suggestion."""
    import numpy as np

    rows = submitted(project, protocol).filter(assignment__arm=Assignment.Arm.WITH).order_by()
    return np.fromiter(rows.values_list("pk", flat=True).iterator(CHUNK), dtype=np.int64)


def _rows(project: Project, protocol: str, ids: array[int], fields: Sequence[Any]) -> list[Row]:
    """Return the rows of these annotations, read to the end.

    On SQLite an open query holds a snapshot, and after any other write that connection cannot store
    anything, not even progress.
    """
    # A range is faster than a list of ids unless it contains many foreign rows.
    if ids[-1] - ids[0] < 2 * len(ids):
        # Asked for submitted ones, SQLite would read the whole index of the status for each range.
        rows = Annotation.objects.exclude(_IS_NOT_SUBMITTED).filter(_IS_WORK)
        rows = rows.filter(pk__range=(ids[0], ids[-1]))
    else:
        rows = submitted(project, protocol).filter(pk__in=ids)
    rows, wanted = rows.order_by(), frozenset(ids)
    return [row for row in _described(rows, fields) if row[_PK] in wanted]


def _described(rows: QuerySet[Annotation], fields: Sequence[Any]) -> list[Row]:
    return list(rows.values_list(*DESCRIPTION, *fields, "assignment__image__number", "pk"))


def superseded(project: Project, protocol: str, unread: Collection[int]) -> set[int]:
    """Return annotations in whose place another readable one of the same annotator and image counts.

    That is the latest, but none that was requested because of earlier annotations of the image if there is
    one that was not: agreement and comparison rest on images at random.
    """
    pair = ("assignment__image_id", "assignment__annotator_id")
    answers = submitted(project, protocol).order_by()
    if not answers.values(*pair).annotate(answers=Count("pk")).filter(answers__gt=1).exists():
        return set()
    targeted = Case(When(assignment__drawn=Assignment.Drawn.TARGETED, then=0), default=1)
    rows = answers.order_by(*pair, targeted, "submitted_at", "pk").values_list("pk", *pair)
    ordered = (row for row in rows.iterator(chunk_size=CHUNK) if row[0] not in unread)
    return {before[0] for before, after in pairwise(ordered) if before[1:] == after[1:]}
