"""The overview of one project: needs, progress, agreement, annotators, latest annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from django.utils import timezone

from analysis.home.annotator_needs import inactivity_of
from analysis.home.need_row import Need, several
from analysis.home.needs import needs_of, with_pictures
from analysis.home.project_work import AnnotatorWork, ProjectWork, work_of
from analysis.home.resolving import resolved_count
from analysis.reports.stored import excerpt_of, newest_done
from analysis.tables.quality import RULES, VERDICTS
from analysis.tables.wording import with_interval
from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation, Event, Project
from annotator.models.counting import is_work
from annotator.projects.protocols import protocols_of
from scoring import service
from scoring.service import get_protocol

LATEST: Final = 6
ANNOTATORS: Final = 8
# A reopened annotation has several Events.
_LOOKED_AT: Final = 4 * LATEST
UNCHECKED: Final = "unchecked"
UNWATCHED: Final = "unwatched"
WORDS: Final = {**VERDICTS, UNCHECKED: "Not checked yet", UNWATCHED: "Not watched"}
"""The verdicts of a quality report; those without a line in one are unchecked, or not watched."""
_ORDER: Final = {verdict: place for place, verdict in enumerate(WORDS)}


@dataclass(frozen=True)
class AnnotatorLine:
    """One annotator: the `verdict` of the newest quality report, and `why` says what it rests on."""

    work: AnnotatorWork
    verdict: str
    why: str

    @property
    def is_awaited(self) -> bool:
        """Whether they have not joined although work waits for them, and nothing calls for a look."""
        calm = self.verdict not in ("stop", "look")
        return calm and not self.work.member.has_account and self.work.waiting > 0

    @property
    def rule(self) -> str:
        """What the verdict rests on."""
        return RULES.get(self.verdict, "")

    @property
    def word(self) -> str:
        """The verdict as shown; nobody is fine or not before they have joined."""
        return "Not joined" if self.is_awaited else WORDS[self.verdict]

    @property
    def lamp(self) -> str:
        """The verdict whose colour is shown; without a verdict, that of too few annotations."""
        return self.verdict if self.verdict in VERDICTS and not self.is_awaited else "few"


@dataclass(frozen=True)
class Dashboard:
    """Everything that the overview shows; `more_annotators` are not listed.

    `agreement` is alpha of the headline with its interval, empty without one, over so many `doubles`.
    """

    project: Project
    needs: Sequence[Need]
    resolved: int
    work: ProjectWork
    annotators: Sequence[AnnotatorLine]
    more_annotators: int
    latest: Sequence[Annotation]
    agreement: str
    doubles: int
    checked_at: datetime


def dashboard_of(project: Project, work: ProjectWork | None = None) -> Dashboard:
    """Return a project's dashboard, in a number of queries that does not depend on its size."""
    now = timezone.now()
    work = work or work_of([project])[project.pk]
    lines = sorted((_line(person, now) for person in work.annotators), key=lambda line: _ORDER[line.verdict])
    alpha = _alpha_of(project)
    return Dashboard(
        project=project,
        needs=with_pictures(needs_of([project], {project.pk: work})[project.pk]),
        resolved=resolved_count(project),
        work=work,
        annotators=lines[:ANNOTATORS],
        more_annotators=len(lines[ANNOTATORS:]),
        latest=_latest(project),
        agreement="" if alpha.get("value") is None else with_interval(alpha),
        doubles=alpha.get("n_units") or 0,
        checked_at=now,
    )


def _alpha_of(project: Project) -> Mapping[str, Any]:
    """Return alpha of the headline of the project's first protocol, as its newest report has it."""
    known = [slug for slug in protocols_of(project) if slug in service.PROTOCOLS]
    report = newest_done(project, "agreement", known[0]) if known else None
    return excerpt_of(report).get("alpha") or {}


def headline_value(annotation: Annotation) -> Fraction | None:
    """Return an annotation's headline; None without one.

    A protocol that this version does not know has none: the overview shows everything else.
    """
    protocol = service.PROTOCOLS.get(annotation.assignment.batch.protocol)
    if protocol is None or (annotation.has_unread_terms and says_nothing(annotation.payload)):
        return None
    return get_protocol(protocol.slug).headline_of(annotation.ratings or [])


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago a moment was, in its largest unit: “now”, “4 min”, “3 h”, “2 days”."""
    minutes = max(int((now - moment).total_seconds() // 60), 0)
    if not minutes:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else several(minutes // 1440, "day")


def _line(each: AnnotatorWork, now: datetime) -> AnnotatorLine:
    worst = min(each.quality, key=lambda line: _ORDER[line.verdict], default=None)
    if worst and worst.reasons:
        return AnnotatorLine(each, worst.verdict, worst.reasons[0])
    if days := inactivity_of(each, now):
        return AnnotatorLine(each, "look", f"inactive for {several(days, 'day')}")
    verdict = worst.verdict if worst else _before_a_report(each)
    if not each.member.has_account:
        return AnnotatorLine(each, verdict, "no account")
    if not each.waiting:
        return AnnotatorLine(each, verdict, "done" if each.count.submitted else "")
    if each.last_seen is None:
        return AnnotatorLine(each, verdict, "not active yet")
    since = ago(each.last_seen, now)
    return AnnotatorLine(each, verdict, "active now" if since == "now" else f"active {since} ago")


def _before_a_report(each: AnnotatorWork) -> str:
    """Return the verdict on somebody of whom no quality report says anything: all imported, or too new."""
    if each.count.submitted:
        return UNCHECKED
    return UNWATCHED if each.count.imported else "few"


def _latest(project: Project) -> list[Annotation]:
    """Return the last submitted annotations of work, from the index of Events, in three queries."""
    newest: list[int] = []
    for verb in ("submitted", "imported"):
        events = Event.objects.filter(
            is_work("assignment__"),
            project=project,
            verb=verb,
            assignment__annotation__status=Annotation.Status.SUBMITTED,
            assignment__image__goes_at=None,
        )
        newest += events.order_by("-pk").values_list("assignment", flat=True)[:_LOOKED_AT]
    latest = Annotation.objects.filter(assignment__in=newest).select_related(
        "assignment__image", "assignment__annotator", "assignment__batch"
    )
    return list(latest.order_by("-submitted_at", "-pk")[:LATEST])
