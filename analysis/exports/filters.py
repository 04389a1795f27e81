"""Which answers of a project an export holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from django.db.models import Count, Q, QuerySet

from analysis.data.counting import IMAGE_DELETED, OTHER_PROTOCOL, PURPOSES, REOPENED
from annotator.inputs.days import lookups
from annotator.models import Annotation, Assignment, Image, Project
from annotator.models.work import DEFAULT_PROTOCOL

WORK: Final = Assignment.Purpose.WORK.value


@dataclass(frozen=True)
class Filters:
    """Every filter that is set must hold; an empty one lets all through.

    `batches` and `annotators` are ids of batches and memberships. `since` and `until` are days in UTC, both
    included: of the submission, of drafts the last save. `drafts` adds what was begun or reopened, without
    what was withdrawn from its annotator. `purpose` is what the answers are for (see `Assignment.Purpose`):
    a file holds those of one purpose, of work unless another one is asked for.
    """

    batches: tuple[int, ...] = ()
    generators: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    annotators: tuple[int, ...] = ()
    since: date | None = None
    until: date | None = None
    drafts: bool = False
    purpose: str = WORK

    @property
    def of_work(self) -> bool:
        """Whether the file holds the answers that count."""
        return self.purpose == WORK

    def as_json(self) -> dict[str, Any]:
        """Return what `from_json` reads; filters that are not set are absent."""
        lists = {name: list(getattr(self, name)) for name in _LISTS if getattr(self, name)}
        days = {name: day.isoformat() for name in _DAYS if (day := getattr(self, name))}
        purpose = {} if self.of_work else {"purpose": self.purpose}
        return {**lists, **days, **({"drafts": True} if self.drafts else {}), **purpose}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Filters:
        """Return the filters that `as_json` wrote."""
        lists: dict[str, Any] = {name: tuple(data.get(name, ())) for name in _LISTS}
        days: dict[str, Any] = {name: date.fromisoformat(data[name]) for name in _DAYS if data.get(name)}
        return cls(**lists, **days, drafts=bool(data.get("drafts")), purpose=data.get("purpose", WORK))


_LISTS = ("batches", "generators", "prompts", "annotators")
_DAYS = ("since", "until")
IS_SUBMITTED: Final = Q(status=Annotation.Status.SUBMITTED)


def answers(project: Project, filters: Filters, protocol: str = DEFAULT_PROTOCOL) -> QuerySet[Annotation]:
    """Return the answers made under a protocol that the filters let through, in no order."""
    # Batches by number: a database that joins them looks one up for each answer.
    batches = list(project.batches.filter(protocol=protocol).values_list("pk", flat=True))
    found = Annotation.objects.filter(_with_drafts() if filters.drafts else IS_SUBMITTED)
    found = found.filter(assignment__batch__in=batches, assignment__image__goes_at=None)
    return _narrowed(found.filter(assignment__purpose=filters.purpose), filters)


def left_out(project: Project, filters: Filters, protocol: str) -> dict[str, int]:
    """Return how many answers under the filters `answers` leaves out, by reason; drafts are none of them.

    Answers are counted only where there can be any, so that a page may ask of a large project.
    """
    batches = dict(project.batches.values_list("pk", "protocol"))
    own = [pk for pk, slug in batches.items() if slug == protocol]
    others = [pk for pk, slug in batches.items() if slug != protocol]
    going = Image.everything.filter(project=project, goes_at__isnull=False)
    narrowed = _narrowed(Annotation.objects.all(), filters).order_by()
    found = narrowed.filter(assignment__purpose=filters.purpose)
    of_own, of_others = found.filter(assignment__batch__in=own), found.filter(assignment__batch__in=others)
    counts = _of_other_purposes(narrowed, list(batches)) if filters.of_work else {}
    counts[OTHER_PROTOCOL] = of_others.filter(IS_SUBMITTED).count() if others else 0
    if going.exists():
        counts[IMAGE_DELETED] = of_own.filter(IS_SUBMITTED, assignment__image__goes_at__isnull=False).count()
    if not filters.drafts:
        # Asked for with the drafts, they are in the file.
        counts[REOPENED] = of_own.filter(status=Annotation.Status.REOPENED).count()
    return {name: count for name, count in counts.items() if count}


def _of_other_purposes(found: QuerySet[Annotation], batches: Sequence[int]) -> dict[str, int]:
    """Return how many answers are no work, by purpose; one query off an index where there are none."""
    # Named one by one, they are found by an index.
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
    return found.filter(_in_time(filters)) if filters.since or filters.until else found


def _with_drafts() -> Q:
    return IS_SUBMITTED | Q(assignment__position__isnull=False)


def _in_time(filters: Filters) -> Q:
    submission = Q(**lookups("submitted_at", filters.since, filters.until))
    if not filters.drafts:
        return submission
    saved = Q(**lookups("saved_at", filters.since, filters.until))
    return (IS_SUBMITTED & submission) | (~IS_SUBMITTED & saved)
