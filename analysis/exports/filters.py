"""Filters for the annotations in an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db.models import Count, Q, QuerySet

from analysis.data.counting import OTHER_PROTOCOL, PURPOSES, REOPENED
from annotator.inputs.days import lookups
from annotator.models import Annotation, Assignment, Project
from annotator.models.work import DEFAULT_PROTOCOL

WORK: Final = "work"


@dataclass(frozen=True)
class Filters:
    """All filters that are set must match; an empty one matches everything.

    `batches` and `annotators` are ids of batches and memberships. `since` and `until` are inclusive dates in
    UTC, of submission. `purpose` (see `Assignment.Purpose`) selects one purpose, work by default.
    """

    batches: tuple[int, ...] = ()
    generators: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    annotators: tuple[int, ...] = ()
    since: date | None = None
    until: date | None = None
    purpose: str = WORK

    @property
    def of_work(self) -> bool:
        """Return whether the file holds the annotations that count."""
        return self.purpose == WORK

    def as_json(self) -> dict[str, Any]:
        """Return the JSON that `from_json` reads, without unset filters."""
        found = {name: value for name, value in vars(self).items() if value and value != WORK}
        return {name: list(value) if name in _LISTS else str(value) for name, value in found.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Filters:
        """Return the filters that `as_json` wrote."""
        lists = {name: tuple(data[name]) for name in _LISTS if name in data}
        days = {name: date.fromisoformat(data[name]) for name in _DAYS if name in data}
        return cls(**{**data, **lists, **days})


_LISTS = ("batches", "generators", "prompts", "annotators")
_DAYS = ("since", "until")
IS_SUBMITTED: Final = Q(status=Annotation.Status.SUBMITTED)


def answers(project: Project, filters: Filters, protocol: str = DEFAULT_PROTOCOL) -> QuerySet[Annotation]:
    """Return the matching annotations under a protocol, unordered."""
    # Filter batches by id, because a join would look one up for each annotation.
    batches = list(project.batches.filter(protocol=protocol).values_list("pk", flat=True))
    found = Annotation.objects.filter(IS_SUBMITTED, assignment__batch__in=batches)
    return _narrowed(found.filter(assignment__purpose=filters.purpose), filters)


def left_out(project: Project, filters: Filters, protocol: str) -> dict[str, int]:
    """Return how many matching annotations `answers` leaves out, by reason, without drafts.

    Counts only where any can exist, so that pages of large projects stay fast.
    """
    batches = dict(project.batches.values_list("pk", "protocol"))
    own = [pk for pk, slug in batches.items() if slug == protocol]
    others = [pk for pk, slug in batches.items() if slug != protocol]
    narrowed = _narrowed(Annotation.objects.all(), filters).order_by()
    found = narrowed.filter(assignment__purpose=filters.purpose)
    of_own, of_others = found.filter(assignment__batch__in=own), found.filter(assignment__batch__in=others)
    counts = _of_other_purposes(narrowed, list(batches)) if filters.of_work else {}
    counts[OTHER_PROTOCOL] = of_others.filter(IS_SUBMITTED).count() if others else 0
    counts[REOPENED] = of_own.filter(status=Annotation.Status.REOPENED).count()
    return {name: count for name, count in counts.items() if count}


def _of_other_purposes(found: QuerySet[Annotation], batches: Sequence[int]) -> dict[str, int]:
    """Return how many annotations have another purpose than work; one index query if none."""
    # Listed individually, so that an index is used.
    there = Assignment.objects.filter(batch__in=batches, purpose__in=list(PURPOSES))
    if not there.exists():
        return {}
    submitted = found.filter(IS_SUBMITTED | Q(status=Annotation.Status.REOPENED))
    other = submitted.filter(assignment__purpose__in=list(PURPOSES), assignment__batch__in=batches)
    counts = dict(other.values_list("assignment__purpose").annotate(count=Count("pk")))
    return {purpose: counts[purpose] for purpose in PURPOSES if purpose in counts}


def _narrowed(found: QuerySet[Annotation], filters: Filters) -> QuerySet[Annotation]:
    if filters.batches:
        found = found.filter(assignment__batch__in=filters.batches)
    if filters.annotators:
        found = found.filter(assignment__annotator__in=filters.annotators)
    if filters.generators:
        found = found.filter(assignment__image__generator__in=filters.generators)
    if filters.prompts:
        found = found.filter(assignment__image__prompt__in=filters.prompts)
    return found.filter(**lookups("submitted_at", filters.since, filters.until))
