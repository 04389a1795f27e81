"""The overview of one project: needs, progress, agreement, annotators, latest annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from django.utils import timezone

from analysis.home.annotator_needs import inactivity_of
from analysis.home.need_row import several
from analysis.home.needs import needs_of, with_pictures
from analysis.home.project_work import AnnotatorWork, ProjectWork, work_of
from analysis.reports.stored import excerpt_of, newest_done
from analysis.tables.quality import RULES, VERDICTS
from analysis.tables.wording import with_interval
from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation, Event, ImageSummary, Project
from annotator.models.counting import is_work
from annotator.projects.protocols import protocols_of
from scoring import service
from scoring.service import get_protocol

LATEST: Final = 6
ANNOTATORS: Final = 8
# A reopened annotation has several Events.
_LOOKED_AT: Final = 4 * LATEST
WORDS: Final = {**VERDICTS, "": "No verdict"}
"""The verdicts of a quality report, and for those of whom none says anything."""
_ORDER: Final = {verdict: place for place, verdict in enumerate(WORDS)}


def dashboard_of(project: Project, work: ProjectWork | None = None) -> dict[str, Any]:
    """Return everything that the overview shows, in a number of queries that does not depend on its size.

    `more_annotators` are not listed; `unscored` images have no score. `agreement` is alpha of the
    headline with its interval, empty without one, over so many `doubles`.
    """
    now = timezone.now()
    work = work or work_of([project])[project.pk]
    lines = [_line(person, now) for person in work.annotators]
    lines.sort(key=lambda line: _ORDER[line["verdict"]])
    known = [slug for slug in protocols_of(project) if slug in service.PROTOCOLS]
    alpha = _alpha_of(project, known)
    return {
        "needs": with_pictures(needs_of([project], {project.pk: work})[project.pk]),
        "work": work,
        "annotators": lines[:ANNOTATORS],
        "more_annotators": len(lines[ANNOTATORS:]),
        "latest": _latest(project),
        "agreement": "" if alpha.get("value") is None else with_interval(alpha),
        "doubles": alpha.get("n_units") or 0,
        **_without_score(project, known),
        "checked_at": now,
    }


def _without_score(project: Project, known: Sequence[str]) -> dict[str, int]:
    """Return how many annotated images have no score, and how many ratings one needs, if several."""
    needed = {slug: fewest for slug in known if (fewest := get_protocol(slug).scored_from) > 1}
    if not needed:
        return {}
    of_all = ImageSummary.objects.filter(project=project, protocol__in=needed, code="", score=None)
    return {"unscored": of_all.filter(answers__gt=0).count(), "scored_from": max(needed.values())}


def _alpha_of(project: Project, known: Sequence[str]) -> Mapping[str, Any]:
    """Return alpha of the headline of the project's first protocol, as its newest report has it."""
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
    worst = min(each.quality, key=lambda line: _ORDER[line["verdict"]], default=None)
    verdict, why = worst["verdict"] if worst else "", ""
    if worst and worst["phrases"]:
        why = worst["phrases"][0]
    elif days := inactivity_of(each, now):
        verdict, why = "look", f"inactive for {several(days, 'day')}"
    elif each.last_seen is not None and each.count.left:
        since = ago(each.last_seen, now)
        why = "active now" if since == "now" else f"active {since} ago"
    awaited = verdict not in ("stop", "look") and not each.member.has_account and each.count.left > 0
    return {
        "work": each,
        "verdict": verdict,
        "why": why,
        "rule": RULES.get(verdict, ""),
        "is_awaited": awaited,
        "word": "Not joined" if awaited else WORDS[verdict],
        "lamp": verdict if verdict and not awaited else "few",
    }


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
