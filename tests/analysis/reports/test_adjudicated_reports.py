"""An adjudicated value has a column in comparisons, and enters nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from analysis.data.ratings_table import input_digests, load_adjudicated
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import expect_reports, request_report, run_report
from analysis.reports.status import Changes, changes_since, status_of
from analysis.reports.stored import newest_done
from analysis.tables.comparison.sentences import comparison_methods
from annotator.models import Project
from annotator.records.image_deletion import delete_image
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.adjudicating import SECOND, Case, make_case, settle, withdraw
from tests.factories import make_image, make_payload, make_project

SEVERE = make_payload([("missing.limbs", "1/4c"), ("missing.limbs", "2/4a"), ("extra.hands", "1/2b")])
USING_ADJUDICATED = ["comparison"]


@pytest.fixture
def case(db: None, sent: list[int], django_capture_on_commit_callbacks: Any) -> Case:
    """One image of two that two people judged; what their submissions asked for is done."""
    made = make_case(make_project("pilot"))
    make_case(made.project, make_image(made.project, generator="other"))
    return made


def computed_now(project: Project) -> dict[str, Any]:
    """The results of the reports, computed where something has changed."""
    for kind in KEPT_UP_TO_DATE:
        run_report(request_report(project=project, kind=kind).pk)
    found = {kind: newest_done(project, kind) for kind in KEPT_UP_TO_DATE}
    return {kind: Report.objects.get(pk=row.pk).result for kind, row in found.items() if row}


def digests(project: Project) -> dict[str, str]:
    found = input_digests(project)
    return {kind: found.of(kind) for kind in KEPT_UP_TO_DATE}


class TestInput:
    """What reports read."""

    def test_fractions(self, case: Case) -> None:
        settle(case, SEVERE)
        ((image, fractions),) = load_adjudicated(case.project).items()
        keys = [cell.key for cell in CELLS]
        assert image == case.image.pk
        places = zip(*fractions.nonzero(), strict=True)
        found = {(keys[row], "abc"[column]): fractions[row, column] for row, column in places}
        assert found == {
            ("missing.limbs", "a"): 0.5,
            ("missing.limbs", "c"): 0.25,
            ("extra.hands", "b"): 0.5,
        }

    def test_what_is_withdrawn_or_being_deleted_is_not_read(self, case: Case) -> None:
        settle(case)
        withdraw(case)
        assert load_adjudicated(case.project) == {}
        settle(case, replaces=2)
        assert len(load_adjudicated(case.project)) == 1
        delete_image(image=case.image, reason="Not ours.", actor=case.user)
        assert load_adjudicated(case.project) == {}

    def test_the_comparison_has_another_digest(self, case: Case) -> None:
        before = digests(case.project)
        assert len(set(before.values())) == 1
        seen = [before["comparison"]]
        for replaces, payload in enumerate((SEVERE, SECOND)):
            settle(case, payload, replaces=replaces)
            now = digests(case.project)
            assert now["comparison"] not in seen
            assert {**now, **{kind: before[kind] for kind in USING_ADJUDICATED}} == before
            seen.append(now["comparison"])
        withdraw(case, replaces=2)
        assert digests(case.project) == before


class TestReports:
    """What comes out."""

    @pytest.mark.thorough
    def test_the_value_stands_beside_the_mean(self, case: Case) -> None:
        before = computed_now(case.project)
        settle(case, SEVERE)
        after = computed_now(case.project)
        was, now = (
            {row["generator"]: row for row in rows_of(found["comparison"], "generators")}["painter"]
            for found in (before, after)
        )
        decided = now.pop("adjudicated_mean")
        assert decided["value"] == pytest.approx(0.25 + 0.5 * 0.2 + 0.5 * 0.5)
        # 5/12 and 1/6; painter has this one image.
        assert now == was
        assert now["mean"]["value"] == pytest.approx(7 / 24)
        counts = [found["comparison"]["settings"]["images_adjudicated"] for found in (before, after)]
        assert counts == [0, 1]
        assert "Adjudicated scores (1 image) did not enter." in comparison_methods(after["comparison"])
        for name in ("differences", "plain", "prompts"):
            assert rows_of(after["comparison"], name) == rows_of(before["comparison"], name)
        assert after["agreement"] == before["agreement"]

    @pytest.mark.thorough
    def test_withdrawn_it_is_as_before(self, case: Case) -> None:
        before = computed_now(case.project)
        settle(case)
        withdraw(case)
        assert computed_now(case.project) == before

    @pytest.mark.thorough
    def test_the_others_still_hold(self, case: Case, computed: list[str]) -> None:
        computed_now(case.project)
        del computed[:]
        settle(case)
        computed_now(case.project)
        assert sorted(computed) == USING_ADJUDICATED

    def test_settling_while_a_report_is_computed_asks_for_the_next(
        self, case: Case, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        real = load_adjudicated

        def load(project: Project, protocol: str) -> Any:
            found = real(project, protocol)
            settle(case)
            return found

        monkeypatch.setattr("analysis.reports.batch_runs.load_adjudicated", load)
        run_report(request_report(project=case.project, kind="comparison").pk)
        waiting = Report.objects.filter(project=case.project, status="queued")
        assert sorted(waiting.values_list("kind", flat=True)) == USING_ADJUDICATED


class TestAsking:
    """Who is told that something has changed."""

    def test_settling_asks_for_a_comparison_only(
        self, case: Case, django_capture_on_commit_callbacks: Any
    ) -> None:
        Report.objects.all().delete()
        with django_capture_on_commit_callbacks(execute=True):
            settle(case)
        asked = Report.objects.values_list("kind", "status").order_by("kind")
        assert list(asked) == [(kind, "queued") for kind in USING_ADJUDICATED]
        assert not Report.objects.filter(due_at=None).exists()

    def test_all_kinds_unless_some_are_named(self, case: Case) -> None:
        Report.objects.all().delete()
        expect_reports(case.project.pk)
        assert set(Report.objects.values_list("kind", flat=True)) == set(KEPT_UP_TO_DATE)

    @pytest.mark.thorough
    def test_what_is_shown_is_stale_where_the_value_counts(self, case: Case) -> None:
        computed_now(case.project)
        settle(case)
        settle(case, SECOND, replaces=1)
        assert status_of(case.project, "comparison").changes == Changes(adjudicated=1)
        assert status_of(case.project, "comparison").stale
        assert not status_of(case.project, "agreement").stale

    def test_counted_since_a_moment(self, case: Case) -> None:
        settle(case)
        moment = timezone.now()
        assert changes_since(case.project, moment, adjudicated=True) == Changes()
        withdraw(case)
        assert changes_since(case.project, moment, adjudicated=True) == Changes(adjudicated=1)
        assert changes_since(case.project, moment) == Changes()
