"""From rows to what the quality report reads: anchors, repeats and a sample of each annotator's work."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from django.db.models import Count, QuerySet

from analysis.protocols.registry import numbers_of
from analysis.stats.quality.records import SHORT_IMAGES, AnchorRecord, Person, RepeatRecord, WorkRecord
from annotator.models import Annotation, Assignment, Batch, Membership, Project
from annotator.models.counting import is_work
from annotator.training.references import active_references
from scoring.protocol import Payload
from scoring.service import get_protocol

SAMPLE: Final = 200
"""Annotations of each annotator that are examined: their last ones, in the order of the queue."""
MOST_PEOPLE: Final = 200
"""Annotators who are examined; those with the most done."""
CHUNK: Final = 2000

UNKNOWN_TIME: Final = -1
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_PLACE: Final = ("assignment__annotator_id", "assignment__image_id", "assignment__batch_id")


_First = tuple[int, int | None, datetime, Payload, int]
"""Batch, position, time and payload of an annotation, and its key, in the order in which they were begun."""


def of_purpose(project: Project | int, protocol: str, purpose: str) -> QuerySet[Annotation]:
    """Return the submitted annotations of one purpose under a protocol, in the order of submission."""
    rows = Annotation.objects.filter(
        status=Annotation.Status.SUBMITTED,
        assignment__purpose=purpose,
        assignment__batch__project=project,
        assignment__batch__protocol=protocol,
    )
    return rows.order_by("submitted_at", "pk")


def anchors_of(project: Project, protocol: str) -> dict[int, list[AnchorRecord]]:
    """Return annotator → their anchors whose image has an active reference.

    Everybody is compared with the current reference, under the project's current settings: a score made
    before a reference was corrected is judged by the correction. Where either lacks an optional headline,
    there is no difference.
    """
    headline = _headlines(project, protocol)
    references = {
        image: headline(payload)
        for image, payload in active_references(project, protocol).values_list("image_id", "payload")
    }
    rows = of_purpose(project, protocol, Assignment.Purpose.ANCHOR).values_list(
        *_PLACE[:2], "submitted_at", "payload"
    )
    anchors: dict[int, list[AnchorRecord]] = defaultdict(list)
    for annotator, image, at, payload in rows.iterator(chunk_size=CHUNK):
        reference = references.get(image)
        score = None if reference is None else headline(payload)
        if score is not None and reference is not None:
            record = AnchorRecord(image, _microseconds(at), float(score), float(reference))
            anchors[annotator].append(record)
    return anchors


def repeats_of(project: Project, protocol: str) -> dict[int, list[RepeatRecord]]:
    """Return annotator → their repeats of images judged before: in the same batch, or else the latest before.

    In the same batch, what was begun first is the original, even if the clock was set back in between. Pairs
    in which either lacks an optional headline are left out.
    """
    headline = _headlines(project, protocol)
    submitted = of_purpose(project, protocol, Assignment.Purpose.REPEAT)
    firsts = _firsts(project, protocol, submitted)
    rows = submitted.values_list("pk", *_PLACE, "assignment__position", "submitted_at", "payload")
    repeats: dict[int, list[RepeatRecord]] = defaultdict(list)
    for pk, annotator, image, batch, position, at, payload in rows.iterator(chunk_size=CHUNK):
        before = [
            answer
            for answer in firsts.get((annotator, image), ())
            if (answer[4] < pk if answer[0] == batch else answer[2] <= at)
        ]
        if not before:
            continue
        own, place, first_at, said, _ = max(before, key=lambda answer: (answer[0] == batch, answer[2]))
        first, again = headline(said), headline(payload)
        if first is None or again is None:
            continue
        # In different batches, no number of images lies between them.
        between = abs(position - place) if own == batch and position and place else SHORT_IMAGES
        days = max((at - first_at).total_seconds(), 0) / 86_400
        repeats[annotator].append(
            RepeatRecord(image, _microseconds(at), float(first), float(again), days, between)
        )
    return repeats


def load_people(project: Project, protocol: str) -> list[Person]:
    """Return the annotators with anything to look at, by code; a bounded sample of each one's work."""
    anchors, repeats = anchors_of(project, protocol), repeats_of(project, protocol)
    busiest = _busiest(project, protocol)
    codes = dict(Membership.objects.filter(pk__in={*anchors, *repeats, *busiest}).values_list("pk", "code"))
    said: dict[str, int] = {}
    people = [
        Person(
            code,
            anchors.get(pk, ()),
            repeats.get(pk, ()),
            _work(project, protocol, pk, said) if pk in busiest else (),
        )
        for pk, code in sorted(codes.items(), key=lambda item: item[1])
    ]
    # Whose annotations are all imported is not watched.
    return [person for person in people if person.anchors or person.repeats or person.work]


def _microseconds(moment: datetime | None) -> int:
    """Return a time in microseconds since 1970, or `UNKNOWN_TIME`."""
    return UNKNOWN_TIME if moment is None else (moment - _EPOCH) // timedelta(microseconds=1)


def _headlines(project: Project, protocol: str) -> Callable[[Payload], Fraction | None]:
    """Return what gives a payload its headline under the project's current settings; None without one."""
    rules, settings = get_protocol(protocol), project.exact_weights
    return lambda payload: rules.headline_of(rules.ratings(rules.clean(payload), settings))


def _firsts(
    project: Project, protocol: str, repeats: QuerySet[Annotation]
) -> Mapping[tuple[int, int], list[_First]]:
    """Return annotator and image of repeats → the annotator's work on it."""
    again = repeats.order_by()
    work = of_purpose(project, protocol, Assignment.Purpose.WORK).filter(
        assignment__image__in=again.values("assignment__image"),
        assignment__annotator__in=again.values("assignment__annotator"),
    )
    firsts: dict[tuple[int, int], list[_First]] = defaultdict(list)
    rows = work.values_list(*_PLACE, "assignment__position", "submitted_at", "payload", "pk")
    for annotator, image, *first in rows.iterator(chunk_size=CHUNK):
        firsts[annotator, image].append(tuple(first))
    return firsts


def _held(project: Project, protocol: str) -> QuerySet[Assignment]:
    # Imported annotations say nothing about how somebody works here.
    batches = Batch.objects.filter(project=project, protocol=protocol)
    here = [batch.pk for batch in batches if not batch.is_imported]
    return Assignment.objects.filter(is_work(), batch__in=here, status=Assignment.Status.DONE)


def _busiest(project: Project, protocol: str) -> set[int]:
    counts = _held(project, protocol).order_by().values_list("annotator").annotate(count=Count("pk"))
    return {pk for pk, _ in counts.order_by("-count", "annotator")[:MOST_PEOPLE]}


def _work(project: Project, protocol: str, annotator: int, said: dict[str, int]) -> list[Any]:
    """Return the last annotations of an annotator; `said` numbers the different ones of all annotators."""
    numbers = numbers_of(protocol)
    names = len(numbers.severity_names)
    last = _held(project, protocol).filter(
        annotator=annotator, annotation__status=Annotation.Status.SUBMITTED
    )
    rows = last.order_by("-batch_id", "-position")[:SAMPLE]
    records = []
    for image, at, active, ratings in rows.values_list(
        "image_id", "annotation__submitted_at", "annotation__active_ms", "annotation__ratings"
    ):
        counts = [0] * names
        for places in (numbers.severities(ratings or ()) if numbers.severities else {}).values():
            for place in places:
                counts[place] += 1
        what = said.setdefault(repr(sorted(map(tuple, ratings or ()))), len(said))
        records.append(WorkRecord(image, _microseconds(at), active, what, tuple(counts)))
    return sorted(records, key=lambda record: record.submitted)
