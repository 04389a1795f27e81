"""Which reports annotators' submissions call for, found in the rows by a sweep: a submission costs nothing.

An Event of a submission later than the start of the last report of its project and protocol calls for new
ones. Submissions older than WATCHED are left to the nightly run, which compares digests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from analysis.models import EXPECTED, Report
from analysis.reports.lifecycle import LONGEST, QUIET, expect_reports
from annotator.models import Event, Project

SUBMITTED: Final = "submitted"
WATCHED: Final = timedelta(days=1)

_Bases = dict[tuple[str, str], datetime]
"""The start of the last report that ended or runs, by protocol and kind."""


def expect_submitted() -> None:
    """Request the reports that submissions call for; two queries, and a few per project with new ones.

    Event and commit may be QUIET apart: a report that starts sooner after a submission does not count as
    covering it.
    """
    newest = _newest()
    bases = _bases(list(newest))
    for project_id, moment in newest.items():
        begun = bases[project_id]
        covered = _covered(begun)
        if covered is not None and moment <= covered - QUIET:
            continue
        since = timezone.now() - WATCHED if covered is None else covered - LONGEST
        for protocol, last in _submitted_since(project_id, since):
            bases_of = {kind: begun.get((protocol, kind)) for kind in EXPECTED}
            called_for = [kind for kind, base in bases_of.items() if base is None or last > base - QUIET]
            if called_for:
                expect_reports(project_id, called_for, protocols=(protocol,), last=last)


def _newest() -> dict[int, datetime]:
    """Return the time of the newest submission by project, where it is watched; one query."""
    submissions = Event.objects.filter(project=OuterRef("pk"), verb=SUBMITTED).order_by("-pk")
    rows = Project.objects.filter(goes_at=None).annotate(
        newest=Subquery(submissions.values("created_at")[:1])
    )
    watched = rows.filter(newest__gt=timezone.now() - WATCHED).order_by("pk")
    return dict(watched.values_list("pk", "newest"))


def _bases(project_ids: list[int]) -> dict[int, _Bases]:
    """Return the bases by project; one query, none without projects."""
    done = Report.objects.filter(project__in=project_ids, kind__in=EXPECTED).exclude(status="queued")
    rows = (
        done.order_by()
        .values_list("project", "protocol", "kind")
        .annotate(begun=Max(Coalesce("started_at", "finished_at", "created_at")), checked=Max("checked_at"))
    )
    bases: dict[int, _Bases] = defaultdict(dict)
    for project_id, protocol, kind, *moments in rows:
        bases[project_id][protocol, kind] = max(moment for moment in moments if moment is not None)
    return bases


def _covered(begun: _Bases) -> datetime | None:
    """Return the start of the last reports of every kind, before which a sweep has seen every submission."""
    by_protocol: dict[str, list[datetime]] = defaultdict(list)
    for (protocol, _), base in begun.items():
        by_protocol[protocol].append(base)
    whole = [min(moments) for moments in by_protocol.values() if len(moments) == len(EXPECTED)]
    return max(whole, default=None)


def _submitted_since(project_id: int, since: datetime) -> Iterator[tuple[str, datetime]]:
    """Return the protocols of a project's submissions since, each with the time of the newest; one query."""
    events = Event.objects.filter(project=project_id, verb=SUBMITTED, created_at__gt=since)
    return events.order_by().values_list("assignment__batch__protocol").annotate(Max("created_at")).iterator()
