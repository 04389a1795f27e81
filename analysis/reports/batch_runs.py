"""Batch runs: reports of a project and protocol that wait together, computed from one table.

Loading annotations costs more than most reports, so a worker takes all that wait together. Each keeps its
own row, lease and outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from django.utils import timezone

from analysis.data.counting import Counting
from analysis.data.ratings_table import Digests, NoAnnotations, input_digests, load_adjudicated, load_counted
from analysis.models import Report
from annotator.models import Project
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.work import leases
from annotator.work.execution import WorkRefused
from annotator.work.leases import Claim, Heartbeat, Steps

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable


class Input:
    """The input of a batch run, read once."""

    def __init__(self) -> None:
        self.protocol = DEFAULT_PROTOCOL
        self.read_at = timezone.now()
        self._digests: Digests | None = None
        self._loaded: tuple[AnnotationTable, Counting] | None = None
        self._adjudicated: dict[int, Any] | None = None

    def digest_of(self, report: Report) -> str:
        """Return the digest of a report's input at the start of this run."""
        if self._digests is None:
            self.protocol = report.protocol
            self.read_at = timezone.now()
            self._digests = input_digests(report.project, report.protocol)
        return self._digests.of(report.kind)

    def frame_of(self, project: Project, steps: Steps) -> tuple[AnnotationTable, Counting]:
        """Return the project's table and its counts; raise WorkRefused if it is empty."""
        if self._loaded is None:
            try:
                self._loaded = load_counted(project, self.protocol, steps=steps.between(5, 50))
            except NoAnnotations as error:
                raise WorkRefused(str(error)) from error
        return self._loaded

    def adjudications_of(self, project: Project) -> dict[int, Any]:
        """Return the project's adjudicated values by image."""
        if self._adjudicated is None:
            self._adjudicated = load_adjudicated(project, self.protocol)
        return self._adjudicated


@contextmanager
def claimed(report_id: int) -> Iterator[list[Claim]]:
    """Claim the report and those waiting with it, the report first; yield nothing if it cannot be claimed.

    A report that has stopped a worker before runs alone, so that it does not fail others.
    """
    first = leases.claim(Report, report_id)
    if first is None:
        yield []
        return
    with ExitStack() as held:
        others = _waiting_with(report_id) if first.attempt == 1 else []
        claims = [first, *(claim for pk in others if (claim := leases.claim(Report, pk)))]
        # The executor renews the first lease; heartbeats renew those that wait.
        for waiting in claims[1:]:
            held.enter_context(Heartbeat(waiting))
        yield claims


def _waiting_with(report_id: int) -> list[int]:
    first = Report.objects.filter(pk=report_id)
    same = {"project__in": first.values("project"), "protocol__in": first.values("protocol")}
    others = Report.objects.filter(**same, status=Report.Status.QUEUED, attempts=0)
    return list(others.exclude(pk=report_id).order_by("pk").values_list("pk", flat=True))
