"""Everything that needs the leads of some projects, the worst first.

Results need them where jobs and reports failed, and where agreement is at the level of chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Exists, Max, OuterRef, Q
from django.db.models.fields.json import KeyTransform
from django.urls import reverse
from django.utils import timezone

from analysis.home.annotator_needs import annotator_needs
from analysis.home.image_needs import image_needs
from analysis.home.need_row import Harm, Need, day_of, together
from analysis.home.project_work import ProjectWork
from analysis.home.quality_lines import newest_reports
from analysis.home.resolving import resolved_keys
from analysis.models import EXPECTED, Report
from analysis.reports.quality import NOTHING
from analysis.tables.agreement import is_chance
from analysis.tables.wording import limits, rounded
from annotator.models import Image, Job, Project
from annotator.work.kinds import title_of

SHOWN_FOR: Final = timedelta(days=14)
FAILED_SHOWN: Final = 50


def machine_needs(projects: Sequence[Project], now: datetime) -> Iterator[Need]:
    """Yield what needs the leads of these projects; three queries."""
    yield from _chance(projects)
    by_key = {project.pk: project for project in projects}
    jobs, reports = list(_failed_jobs(projects, now)), list(_failed_reports(projects))
    for pk, project in by_key.items():
        own = [_job(job) for job in jobs if job.project_id == pk]
        yield from together(own, "{} jobs failed", "See history", reverse("history", args=[project.slug]))
        yield from (_report(project, report) for report in reports if report.project_id == pk)


def _failed_jobs(projects: Sequence[Project], now: datetime) -> Iterator[Job]:
    """Return the jobs that failed lately, unless one of the same kind has succeeded since."""
    later = Job.objects.filter(
        project=OuterRef("project"), kind=OuterRef("kind"), status=Job.Status.DONE, pk__gt=OuterRef("pk")
    )
    failed = Job.objects.filter(
        ~Exists(later), project__in=projects, status=Job.Status.FAILED, created_at__gt=now - SHOWN_FOR
    )
    return failed.defer("data", "result").order_by("-pk")[:FAILED_SHOWN].iterator()


def _job(job: Job) -> Need:
    return Need(
        job.project_id,
        "job",
        Harm.FAILURE,
        f"{title_of(job.kind)} failed",
        f"{job.error.strip().splitlines()[0][:120]}" if job.error.strip() else f"On {day_of(job.created_at)}",
        "See why",
        reverse("job", args=[job.pk]),
        state=str(job.pk),
    )


def _failed_reports(projects: Sequence[Project]) -> Iterator[Report]:
    """Return the expected reports whose newest request failed; others say so to who opens them."""
    by_kind = Report.objects.filter(project__in=projects).order_by().values("project", "protocol", "kind")
    newest = by_kind.annotate(newest=Max("pk")).values("newest")
    # If all annotations are imported, there is no quality to watch, and nobody can change that.
    calm = Q(kind=Report.Kind.QUALITY, error__startswith=NOTHING.partition("{")[0])
    failed = Report.objects.filter(~calm, pk__in=newest, kind__in=EXPECTED, status=Report.Status.FAILED)
    return failed.defer("result").iterator()


def _report(project: Project, report: Report) -> Need:
    return Need(
        project.pk,
        "report",
        Harm.FAILURE,
        f"The {report.get_kind_display().lower()} report failed",
        report.error.strip().splitlines()[0][:120] if report.error.strip() else day_of(report.created_at),
        "Try again",
        reverse("report", args=[project.slug, report.kind]),
        state=str(report.pk),
    )


def _chance(projects: Sequence[Project]) -> Iterator[Need]:
    slugs = {project.pk: project.slug for project in projects}
    rows = newest_reports(projects, Report.Kind.AGREEMENT)
    for project, protocol, alpha in rows.values_list("project", "protocol", KeyTransform("alpha", "excerpt")):
        if alpha and is_chance(alpha):
            yield Need(
                project,
                "chance",
                Harm.NUMBERS,
                f"Agreement may be at the level of chance (alpha {rounded(alpha['value'], 2)})",
                f"95% interval {limits(alpha)}, over {alpha['n_units']} images with two or more annotations",
                "See agreement",
                reverse("report", args=[slugs[project], "agreement"]),
                state=f"{protocol} {alpha['n_units']}",
            )


def needs_of(projects: Sequence[Project], work: Mapping[int, ProjectWork]) -> dict[int, list[Need]]:
    """Return project → what needs its leads, the worst first; `work` is their `work_of`.

    What a lead has resolved is left out until its state is another. The number of queries does not depend on
    the number of projects, and nothing grows with their size.
    """
    now = timezone.now()
    resolved = resolved_keys(projects)
    needs: dict[int, list[Need]] = defaultdict(list)
    for need in (
        *annotator_needs(projects, work, now, resolved),
        *image_needs(projects),
        *machine_needs(projects, now),
    ):
        if (need.project, need.key) not in resolved:
            needs[need.project].append(need)
    return {project.pk: sorted(needs[project.pk], key=lambda need: need.harm) for project in projects}


def with_pictures(needs: Iterable[Need]) -> list[Need]:
    """Return the needs with their images, in one query."""
    listed = list(needs)
    images = Image.objects.in_bulk({pk for need in listed for pk in need.pictures})
    return [replace(need, drawn=tuple(images[pk] for pk in need.pictures if pk in images)) for need in listed]
