"""How many annotations and adjudicated values have changed since a report, and what they change."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from django.utils import timezone

from analysis.data.ratings_table import input_digests, load_adjudicated
from analysis.models import KEPT_UP_TO_DATE, Report
from analysis.reports.lifecycle import expect_reports, request_report, run_report
from analysis.reports.status import Changes, changes_since
from annotator.models import Annotation, Membership, Project
from annotator.records.image_deletion import delete_image
from scoring.grid.taxonomy import CELLS
from tests.analysis.acting import change, reopen, submit, submit_new
from tests.analysis.factories import make_submitted
from tests.annotator.adjudicating import SECOND, Case, make_case, settle, withdraw
from tests.factories import make_batch, make_image, make_member, make_payload, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def annotator(project: Project) -> Membership:
    return project.memberships.get(code="anno1")


@pytest.fixture
def moment(project: Project) -> datetime:
    return timezone.now()


def first_answer(project: Project) -> Annotation:
    return Annotation.objects.filter(assignment__batch__project=project).earliest("pk")


def test_each_answer_is_counted_once_as_what_it_is(
    project: Project, moment: datetime, annotator: Membership
) -> None:
    new = submit_new(annotator)
    changed, reopened, *_ = Annotation.objects.exclude(pk=new.pk).order_by("pk")
    change(new)  # still one new answer
    change(change(changed))  # still one changed answer
    reopen(reopened)
    assert changes_since(project, moment) == Changes(new=1, changed=1, reopened=1)
    submit_new(annotator)
    assert changes_since(project, moment) == Changes(new=2, changed=1, reopened=1)
    assert changes_since(project, timezone.now()) == Changes()


def test_what_came_and_went_does_not_count(project: Project, moment: datetime, annotator: Membership) -> None:
    reopen(submit_new(annotator))
    assert changes_since(project, moment) == Changes()


def test_what_had_been_reopened_before_is_new_when_it_comes_back(project: Project) -> None:
    reopened = reopen(first_answer(project))
    moment = timezone.now()
    assert changes_since(project, moment) == Changes()
    submit(reopened.assignment, [], replaces=reopened.version)
    assert changes_since(project, moment) == Changes(new=1)


def test_other_projects_and_other_protocols_do_not_count(project: Project, moment: datetime) -> None:
    submit_new(make_member(make_project()))
    member = make_member(project)
    make_submitted(member, batch=make_batch(project, protocol="another"))
    assert changes_since(project, moment) == Changes()


SEVERE = make_payload([("missing.limbs", "1/4c"), ("missing.limbs", "2/4a"), ("extra.hands", "1/2b")])
USING_ADJUDICATED = ["comparison"]


@pytest.fixture
def case(db: None, sent: list[int], django_capture_on_commit_callbacks: Any) -> Case:
    """One image of two that two people judged; what their submissions asked for is done."""
    made = make_case(make_project("pilot"))
    make_case(made.project, make_image(made.project, generator="other"))
    return made


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
        assert found == {("missing.limbs", "a"): 0.5, ("missing.limbs", "c"): 0.25, ("extra.hands", "b"): 0.5}

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

    def test_counted_since_a_moment(self, case: Case) -> None:
        settle(case)
        moment = timezone.now()
        assert changes_since(case.project, moment, adjudicated=True) == Changes()
        withdraw(case)
        assert changes_since(case.project, moment, adjudicated=True) == Changes(adjudicated=1)
        assert changes_since(case.project, moment) == Changes()
