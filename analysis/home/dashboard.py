"""The overview of one project: needs, progress, annotators, latest annotations, numbers over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Final

from django.utils import timezone

from analysis.home.annotator_needs import inactivity_of, seconds
from analysis.home.need_row import Need, several
from analysis.home.needs import needs_of, with_pictures
from analysis.home.project_work import FEWEST_TIMED, SAMPLE, AnnotatorWork, ProjectWork, work_of
from analysis.home.resolving import resolved_count
from analysis.home.series import Progress, Series, agreement_of, days_of, progress_of, score_of, versions_of
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.tables.quality import VERDICTS
from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation, Event, Project
from annotator.models.counting import is_work
from annotator.projects.protocols import protocols_of
from annotator.work.leases import UNDER_WAY
from scoring import service
from scoring.service import get_protocol

LATEST: Final = 6
ANNOTATORS: Final = 8
SOON: Final = timedelta(minutes=2)
"""So long after a submission a report is on its way, even if nothing has requested it yet."""
# Several Events may be of one annotation, and a later one may have reopened it.
_LOOKED_AT: Final = 4 * LATEST
UNCHECKED: Final = "unchecked"
UNWATCHED: Final = "unwatched"
WORDS: Final = {**VERDICTS, UNCHECKED: "Not checked yet", UNWATCHED: "Not watched"}
"""The verdicts of a quality report; those without a line in one are unchecked, or not watched."""
_ORDER: Final = {verdict: place for place, verdict in enumerate(WORDS)}


@dataclass(frozen=True)
class AnnotatorLine:
    """One annotator: the `verdict` of the newest quality report, and `why` says what it rests on.

    Before there is one, only whoever rushes or marks nothing has a verdict.
    """

    work: AnnotatorWork
    verdict: str
    why: str

    @property
    def is_awaited(self) -> bool:
        """Whether they have not joined although work waits for them, and nothing calls for a look."""
        calm = self.verdict not in ("stop", "look")
        return calm and not self.work.member.has_account and self.work.left > 0

    @property
    def rule(self) -> str:
        """What the verdict needs, if there is too little for one."""
        if self.verdict != "few":
            return ""
        return f"A verdict needs {SAMPLE} annotations, or {FEWEST_TIMED} with a known time."

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

    `versions` are the numbers of the guideline's last versions by the day on which they were published.
    """

    project: Project
    protocol: str
    needs: Sequence[Need]
    resolved: int
    progress: Progress
    annotators: Sequence[AnnotatorLine]
    more_annotators: int
    latest: Sequence[Annotation]
    agreement: Series
    score: Series
    versions: Mapping[date, str]
    checked_at: datetime

    @property
    def headline(self) -> str:
        """The title of the protocol's headline number."""
        return get_protocol(self.protocol).headline.title


def dashboard_of(project: Project, work: ProjectWork | None = None) -> Dashboard:
    """Return a project's dashboard, in a number of queries that does not depend on its size."""
    now = timezone.now()
    work = work or work_of([project])[project.pk]
    known = [slug for slug in protocols_of(project) if slug in service.PROTOCOLS]
    protocol = known[0] if known else next(iter(service.PROTOCOLS))
    rows = days_of(project, now)
    versions = versions_of(project, protocol, now)
    latest = _latest(project)
    updating = _is_updating(project, protocol, latest, now)
    lines = sorted((_line(each, now) for each in work.annotators), key=lambda line: _ORDER[line.verdict])
    return Dashboard(
        project=project,
        protocol=protocol,
        needs=with_pictures(needs_of([project], {project.pk: work})[project.pk]),
        resolved=resolved_count(project),
        progress=progress_of(work, rows, now),
        annotators=lines[:ANNOTATORS],
        more_annotators=len(lines[ANNOTATORS:]),
        latest=latest,
        agreement=replace(agreement_of(rows, protocol, versions), updating=updating),
        score=replace(score_of(rows, protocol, versions), updating=updating),
        versions=versions,
        checked_at=now,
    )


def _is_updating(project: Project, protocol: str, latest: Sequence[Annotation], now: datetime) -> bool:
    """Return whether reports are older than the annotations, and new ones are on their way; one query."""
    reports = Report.objects.filter(project=project, protocol=protocol, kind__in=KEPT_UP_TO_DATE)
    rows = list(reports.order_by("-pk").values_list("status", "started_at")[: 2 * len(KEPT_UP_TO_DATE)])
    if any(status in UNDER_WAY for status, _ in rows):
        return True
    begun = max((at for status, at in rows if status == Report.Status.DONE and at), default=None)
    moments = [one.submitted_at for one in latest if one.assignment.batch.protocol == protocol]
    last = max(filter(None, moments), default=None)
    # Reports are requested a few seconds after a submission; one that cannot be computed is not awaited.
    return last is not None and now - last < SOON and (begun is None or last > begun)


def headline_value(annotation: Annotation) -> Fraction | None:
    """Return an annotation's headline; None without one.

    A protocol that this version does not know has none: the overview shows everything else.
    """
    protocol = service.PROTOCOLS.get(annotation.assignment.batch.protocol)
    if protocol is None or (annotation.has_unread_terms and says_nothing(annotation.payload)):
        return None
    return protocol.headline_of(annotation.ratings or [])


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago a moment was, in its largest unit: “now”, “4 min”, “3 h”, “2 days”."""
    minutes = max(int((now - moment).total_seconds() // 60), 0)
    if not minutes:
        return "now"
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else several(minutes // 1440, "day")


def _line(each: AnnotatorWork, now: datetime) -> AnnotatorLine:
    if careless := each.careless:
        fast = f"too fast: {seconds(careless.typical_ms or 0)}"
        return AnnotatorLine(each, "stop", fast if careless.is_fast else "marks nothing")
    worst = min(each.quality, key=lambda line: _ORDER[line.verdict], default=None)
    if worst and worst.reasons:
        return AnnotatorLine(each, worst.verdict, worst.reasons[0])
    if days := inactivity_of(each, now):
        return AnnotatorLine(each, "look", f"inactive for {several(days, 'day')}")
    verdict = worst.verdict if worst else _before_a_report(each)
    if not each.member.has_account:
        return AnnotatorLine(each, verdict, "no account")
    if each.last_seen is None:
        return AnnotatorLine(each, verdict, "not active yet" if each.left else "")
    since = ago(each.last_seen, now)
    active = "active now" if since == "now" else f"active {since} ago"
    return AnnotatorLine(each, verdict, active if each.left else "done")


def _before_a_report(each: AnnotatorWork) -> str:
    if each.has_enough:
        return UNCHECKED
    return UNWATCHED if each.done and not each.is_watched else "few"


def _latest(project: Project) -> list[Annotation]:
    """Return the last submitted annotations of work, from the index of Events, in three queries."""
    newest: list[int] = []
    for verb in ("submitted", "imported"):
        events = Event.objects.filter(project=project, verb=verb).order_by("-pk")
        newest += events.values_list("assignment", flat=True)[:_LOOKED_AT]
    found = Annotation.objects.filter(
        is_work("assignment__"),
        assignment__in=newest,
        status=Annotation.Status.SUBMITTED,
        assignment__image__goes_at=None,
    ).select_related("assignment__image", "assignment__annotator", "assignment__batch")
    return list(found.order_by("-submitted_at", "-pk")[:LATEST])
