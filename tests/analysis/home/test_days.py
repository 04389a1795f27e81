"""One row per day: counts, the numbers of the day's reports, and what is read from them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.utils import timezone

from analysis import tasks
from analysis.home.days import agreement_in, score_in, write_days
from analysis.home.project_work import ProjectWork, work_of
from analysis.home.series import SHOWN, agreement_of, days_of, progress_of, score_of, versions_of
from analysis.models import ProjectDay, Report
from analysis.reports.lifecycle import request_report
from annotator.models import Annotation, Guideline, GuidelineVersion, Image, Project
from tests.analysis.factories import EARLIER
from tests.analysis.home.conftest import Led
from tests.analysis.home.making import labelled
from tests.factories import make_assignment

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


def row(project: Project, day: date, **fields: object) -> ProjectDay:
    return ProjectDay.objects.create(project=project, protocol="anatomy", day=day, **fields)


class TestWriting:
    @pytest.mark.thorough
    def test_reports_leave_their_numbers_on_their_day(self, project: Project, sent: list[int]) -> None:
        for kind in ("agreement", "comparison"):
            tasks.run_report(request_report(project=project, kind=kind).pk)
        [labelling, today] = ProjectDay.objects.order_by("day")
        assert (labelling.day, labelling.labelled, labelling.imported) == (EARLIER.date(), 7, 0)
        assert (today.day, today.labelled) == (timezone.now().date(), 0)
        report = Report.objects.get(kind="agreement")
        assert report.result is not None
        pooled = report.result["pooled"]["cumulative_score"]
        assert today.agreement == {"images": 3, **{key: pooled[key] for key in ("value", "low", "high")}}
        # Four images: the doubly judged ones count as their mean.
        assert today.score is not None
        assert today.score["images"] == 4
        assert today.score["low"] < today.score["value"] < today.score["high"]

    def test_writing_again_changes_nothing(self, project: Project, sent: list[int]) -> None:
        tasks.run_report(request_report(project=project, kind="comparison").pk)
        before = list(ProjectDay.objects.order_by("day").values())
        write_days(project)
        tasks.nightly_reports()
        assert list(ProjectDay.objects.order_by("day").values()) == before

    def test_counts_follow_what_counts_now(self, project: Project) -> None:
        write_days(project)
        one, other = Annotation.objects.order_by("pk")[:2]
        Annotation.objects.filter(pk=one.pk).update(status="reopened")
        Annotation.objects.filter(pk=other.pk).update(source={"cells": {}})
        Image.objects.filter(pk=Annotation.objects.order_by("pk")[3].assignment.image_id).update(
            goes_at=EARLIER
        )
        write_days(project)
        day = ProjectDay.objects.get()
        assert (day.labelled, day.imported) == (4, 1)
        Annotation.objects.update(status="reopened")
        write_days(project)
        assert (ProjectDay.objects.get().labelled, ProjectDay.objects.get().imported) == (0, 0)

    def test_earlier_days_keep_their_numbers(self, project: Project) -> None:
        yesterday = timezone.now() - timedelta(days=1)
        kept = {"value": 0.4, "low": 0.1, "high": 0.6, "images": 30}
        row(project, yesterday.date(), agreement=kept)
        for at in (yesterday, timezone.now()):
            result = {"pooled": {"cumulative_score": {"value": 0.9, "low": 0.8, "high": 1, "n_units": 40}}}
            Report.objects.create(
                project=project, kind="agreement", status="done", result=result, finished_at=at
            )
        write_days(project)
        values = (
            ProjectDay.objects.order_by("day").exclude(agreement=None).values_list("agreement", flat=True)
        )
        assert [found["value"] for found in values if found] == [0.4, 0.9]

    @pytest.mark.parametrize("result", [{}, {"tables": []}, {"pooled": {}}, {"generators": []}])
    def test_a_report_without_the_number(self, result: dict[str, object]) -> None:
        assert agreement_in(result, "anatomy") is None
        assert score_in(result, "anatomy") is None


class TestGenericReports:
    def test_numbers_come_from_the_tables(self) -> None:
        alpha = {"value": 0.5, "low": 0.3, "high": 0.7, "n_units": 25}
        overall = {
            "name": "overall",
            "rows": [["Cells marked", "ratio", alpha, 25, 2], ["Other", "", {}, 0, 0]],
        }
        assert agreement_in({"tables": [overall]}, "presence") == {
            "value": 0.5,
            "low": 0.3,
            "high": 0.7,
            "images": 25,
        }
        means = [["a", 4, 2, {"value": 1.0}, 0.0], ["b", 4, 2, {"value": 3.0}, 0.0]]
        found = score_in({"tables": [{"name": "generators", "rows": means}]}, "presence")
        assert found is not None
        assert (found["images"], found["value"]) == (4, 2.0)


class TestProgress:
    def test_the_line_ends_at_what_is_done_now(self, led: Led) -> None:
        labelled(led.ada, led.batch, 5)
        make_assignment(led.ada, batch=led.batch)
        for back, labelled_then in ((4, 2), (2, 1)):
            row(led.project, (NOW - timedelta(days=back)).date(), labelled=labelled_then, imported=1)
        work = work_of([led.project])[led.project.pk]
        found = progress_of(work, days_of(led.project, NOW), NOW)
        assert (found.done, found.total, found.left, found.percent) == (5, 6, 1, 83)
        assert [count for _, count in found.days] == [0, 3, 5, 5]
        assert found.days[-1][0] == NOW.date()
        assert found.chart is not None

    def test_a_project_without_work(self, led: Led) -> None:
        found = progress_of(ProjectWork(), [], NOW)
        assert (found.percent, found.chart, list(found.days)) == (0, None, [])


class TestSeries:
    def test_a_chart_needs_twenty_images(self, led: Led) -> None:
        few = {"value": 0.5, "low": 0.2, "high": 0.7, "images": 8}
        row(led.project, NOW.date() - timedelta(days=2), agreement=few, score=few)
        rows = days_of(led.project, NOW)
        for found in (agreement_of(rows, "anatomy"), score_of(rows, "anatomy")):
            assert (found.chart, found.images, found.needed) == (None, 8, 20)

    def test_points_bands_and_the_last_value(self, led: Led) -> None:
        for back in (3, 2, 1):
            value = {"value": 0.5 - back / 100, "low": -0.1, "high": 0.9, "images": 20 + back}
            row(led.project, NOW.date() - timedelta(days=back), agreement=value)
        found = agreement_of(days_of(led.project, NOW), "anatomy")
        assert [point.value for point in found.points] == [0.47, 0.48, 0.49]
        assert found.chart is not None
        assert found.chart.last == "0.49"
        assert len(found.chart.band.split()) == 6
        # The band stays within the frame, below zero too.
        assert all(8 <= float(each.split(",")[1]) <= 138 for each in found.chart.band.split())
        assert found.chart.ticks[0].label == "\u22120.50"

    def test_guideline_versions_are_vertical_lines(self, led: Led) -> None:
        value = {"value": 0.5, "low": 0.2, "high": 0.7, "images": 30}
        for back in (10, 0):
            row(led.project, NOW.date() - timedelta(days=back), score=value)
        made = Guideline.objects.create(project=led.project, protocol="anatomy", content={}, edited_at=NOW)
        other = Guideline.objects.create(project=led.project, protocol="presence", content={}, edited_at=NOW)
        for guideline, minor, back in ((made, 0, 30), (made, 1, 5), (made, 2, 5), (other, 7, 5)):
            at = NOW - timedelta(days=back)
            GuidelineVersion.objects.create(
                guideline=guideline, major=1, minor=minor, content={}, published_at=at
            )
        versions = versions_of(led.project, "anatomy", NOW)
        assert list(versions.values()) == ["1.0", "1.2"], "of two on one day, the later one"
        chart = score_of(days_of(led.project, NOW), "anatomy", versions).chart
        assert chart is not None
        # Half way from 30 to 326; the first version is older than the first point.
        assert [(tick.at, tick.label) for tick in chart.changes] == [(178.0, "1.2")]

    def test_only_the_last_months_and_the_own_protocol(self, led: Led) -> None:
        value = {"value": 0.5, "low": 0.2, "high": 0.7, "images": 80}
        row(led.project, (NOW - SHOWN).date() - timedelta(days=1), score=value)
        ProjectDay.objects.create(project=led.project, protocol="presence", day=NOW.date(), score=value)
        assert list(score_of(days_of(led.project, NOW), "anatomy").points) == []
