"""The overview of one project: needs, progress, agreement, annotators, latest annotations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from django.utils import timezone

from analysis.home.annotator_needs import inactivity_of
from analysis.home.need_row import several
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


def dashboard_of(project: Project, work: ProjectWork | None = None) -> dict[str, Any]:
    """Return everything that the overview shows, in a number of queries that does not depend on its size.

    `more_annotators` are not listed. `agreement` is alpha of the headline with its interval, empty without
    one, over so many `doubles`.
    """
    now = timezone.now()
    work = work or work_of([project])[project.pk]
    lines = [_line(person, now) for person in work.annotators]
    lines.sort(key=lambda line: _ORDER[line["verdict"]])
    alpha = _alpha_of(project)
    return {
        "needs": with_pictures(needs_of([project], {project.pk: work})[project.pk]),
        "resolved": resolved_count(project),
        "work": work,
        "annotators": lines[:ANNOTATORS],
        "more_annotators": len(lines[ANNOTATORS:]),
        "latest": _latest(project),
        "agreement": "" if alpha.get("value") is None else with_interval(alpha),
        "doubles": alpha.get("n_units") or 0,
        "checked_at": now,
    }


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


def _line(each: AnnotatorWork, now: datetime) -> dict[str, Any]:
    """Return the line of one annotator: the `verdict` of the newest quality report, `why`, and its `rule`.

    Who has not joined although work waits for them `is_awaited`, unless something calls for a look. `lamp` is
    the verdict whose colour is shown; without a verdict, that of too few annotations.
    """
    verdict, why = _verdict(each, now)
    awaited = verdict not in ("stop", "look") and not each.member.has_account and each.count.left > 0
    return {
        "work": each,
        "verdict": verdict,
        "why": why,
        "rule": RULES.get(verdict, ""),
        "is_awaited": awaited,
        "word": "Not joined" if awaited else WORDS[verdict],
        "lamp": verdict if verdict in VERDICTS and not awaited else "few",
    }


def _verdict(each: AnnotatorWork, now: datetime) -> tuple[str, str]:
    """Return the verdict on an annotator, and what it rests on."""
    worst = min(each.quality, key=lambda line: _ORDER[line["verdict"]], default=None)
    if worst and worst["phrases"]:
        return worst["verdict"], worst["phrases"][0]
    if days := inactivity_of(each, now):
        return "look", f"inactive for {several(days, 'day')}"
    verdict = worst["verdict"] if worst else _before_a_report(each)
    if not each.member.has_account:
        return verdict, "no account"
    if not each.count.left:
        return verdict, "done" if each.count.submitted else ""
    if each.last_seen is None:
        return verdict, "not active yet"
    since = ago(each.last_seen, now)
    return verdict, "active now" if since == "now" else f"active {since} ago"


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
        )
        newest += events.order_by("-pk").values_list("assignment", flat=True)[:_LOOKED_AT]
    latest = Annotation.objects.filter(assignment__in=newest).select_related(
        "assignment__image", "assignment__annotator", "assignment__batch"
    )
    return list(latest.order_by("-submitted_at", "-pk")[:LATEST])
