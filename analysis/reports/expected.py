"""Which reports are expected: those whose annotations have changed, found by a sweep of the Events.

So a submission, an import or an adjudication costs nothing here. Changes that no Event in CHANGING tells of,
and those older than WATCHED, are left to the nightly run, which compares digests.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from analysis.data.ratings_table import submitted
from analysis.models import EXPECTED, Report
from analysis.reports.lifecycle import queue_report
from analysis.reports.status import BRINGS_AN_ANSWER
from annotator.annotations.adjudication import VERBS as ADJUDICATING
from annotator.annotations.locking import REOPENED_BY_LEAD
from annotator.models import Event, Project
from annotator.projects.protocols import protocols_of
from annotator.records.image_deletion import IMAGE_DELETED

CHANGING: Final = (
    *(*BRINGS_AN_ANSWER, "reopened", REOPENED_BY_LEAD),
    *(IMAGE_DELETED, *ADJUDICATING, "data_set_settings"),
)
"""Verbs of Events after which a report could differ. One without an assignment concerns all protocols."""
WATCHED: Final = timedelta(days=1)
COMMITTED_WITHIN: Final = timedelta(seconds=5)
"""Between an Event and the commit of its transaction; a report that starts sooner may not have read it."""
SHORTEST_REST: Final = timedelta(seconds=30)
LONGEST_REST: Final = timedelta(minutes=10)
REST: Final = 9
"""While people submit, reports rest so many times as long as they took: they use a tenth of a worker."""

_Starts = dict[tuple[str, str], datetime]
"""The start of the last report that ended or runs, by protocol and kind."""


def request_changed() -> None:
    """Request the expected reports of what has changed since their last start, unless they rest.

    Three queries, and a few per project with changes that no report covers.
    """
    now = timezone.now()
    newest = _newest(now - WATCHED)
    starts = _starts(list(newest))
    resting = _resting(list(newest), now)
    for project_id, moment in newest.items():
        begun = starts[project_id]
        if project_id in resting or _are_covered(moment, begun):
            continue
        changed = _changed(project_id, now - WATCHED)
        for protocol in protocols_of(project_id):
            moments = [changed[about] for about in (protocol, None) if about in changed]
            had = any(slug == protocol for slug, _ in begun)
            if moments and (had or submitted(project_id, protocol).exists()):
                _request(project_id, protocol, max(moments), begun)


def _are_covered(moment: datetime, begun: _Starts) -> bool:
    """Tell whether every kind of each protocol with reports began after a change."""
    protocols = {protocol for protocol, _ in begun}
    is_whole = begun and len(begun) == len(protocols) * len(EXPECTED)
    return bool(is_whole) and moment <= min(begun.values()) - COMMITTED_WITHIN


def _request(project_id: int, protocol: str, moment: datetime, begun: _Starts) -> None:
    bases = {kind: begun.get((protocol, kind)) for kind in EXPECTED}
    for kind in [kind for kind, base in bases.items() if base is None or moment > base - COMMITTED_WITHIN]:
        # The next sweep sends them, once all are there: a worker computes those that wait together.
        queue_report(project_id=project_id, kind=kind, protocol=protocol, send=False)


def _newest(since: datetime) -> dict[int, datetime]:
    """Return the time of the newest change by project, of those since a moment; one query."""
    changes = Event.objects.filter(project=OuterRef("pk"), verb__in=CHANGING, created_at__gt=since)
    rows = Project.objects.filter(goes_at=None).annotate(
        newest=Subquery(changes.order_by("-created_at").values("created_at")[:1])
    )
    return dict(rows.filter(newest__isnull=False).order_by("pk").values_list("pk", "newest"))


def _starts(project_ids: list[int]) -> dict[int, _Starts]:
    """Return the starts of the last reports by project; one query."""
    begun = Report.objects.filter(project__in=project_ids, kind__in=EXPECTED).exclude(status="queued")
    rows = begun.order_by().values_list("project", "protocol", "kind")
    moments = rows.annotate(
        begun=Max(Coalesce("started_at", "finished_at", "created_at")), checked=Max("checked_at")
    )
    starts: dict[int, _Starts] = defaultdict(dict)
    for project_id, protocol, kind, last, checked in moments:
        starts[project_id][protocol, kind] = max(last, checked or last)
    return starts


def _resting(project_ids: list[int], now: datetime) -> set[int]:
    """Return the projects whose reports rest after the last ones; one query."""
    ended = Report.objects.filter(project__in=project_ids, finished_at__gt=now - LONGEST_REST)
    times = ended.exclude(started_at=None).values_list("project", "started_at", "finished_at")
    return {
        project_id
        for project_id, begun, end in times
        if begun
        and end
        and now < min(max(end + REST * (end - begun), begun + SHORTEST_REST), end + LONGEST_REST)
    }


def _changed(project_id: int, since: datetime) -> dict[str | None, datetime]:
    """Return the time of the newest change by protocol, None for those that concern all; one query."""
    changes = Event.objects.filter(project=project_id, verb__in=CHANGING, created_at__gt=since).order_by()
    return dict(changes.values_list("assignment__batch__protocol").annotate(Max("created_at")))


def request_nightly() -> None:
    """Request the reports of whatever could have changed; a worker checks whether it has."""
    for project in Project.objects.filter(goes_at=None).order_by("pk"):
        for protocol in protocols_of(project):
            if submitted(project, protocol).exists():
                for kind in EXPECTED:
                    queue_report(project_id=project.pk, kind=kind, protocol=protocol)
