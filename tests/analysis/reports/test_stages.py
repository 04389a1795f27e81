"""The report on two stages: from the rows to its result, its settings, its page, the command and the API."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import expect_reports, request_report, run_report
from analysis.reports.stages import first_stage_of
from analysis.reports.stored import newest_done
from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project
from tests.analysis.factories import make_submitted
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.batches.second_stage.making import images_of, make_first
from tests.factories import REVIEWER, make_batch, make_member, make_project, make_user
from tests.support.codes import codes

pytestmark = pytest.mark.django_db
ADDRESS = "/projects/pilot/reports/stages/"
ABOUT = "?protocol=anatomy"


@pytest.fixture
def second(sent: list[int]) -> Batch:
    """18 images of 3 generators, 6 of them unmarked; A counts the others, and one of the 6 as a control."""
    first = make_first(cells=lambda image, _: () if image % 3 == 0 else ("extra.limbs",), each=1)
    batch = make_batch(first.project, name="Counts", follows=first)
    told = {"batch": batch.pk, "follows": {"batch": first.pk, "way": "all", "control": 10}}
    Event.objects.create(project=first.project, verb="batch_released", data=told)
    person = first.project.memberships.get(code="A")
    for place, image in enumerate(images_of(first)):
        if place % 3 or not place:
            count = f"{place // 6 + 1}/4c"
            make_submitted(person, [("extra.limbs", count)] if place else [], image=image, batch=batch)
    return batch


def computed(project: Project, protocol: str = "anatomy", **settings: Any) -> dict[str, Any]:
    asked = request_report(project=project, kind="stages", protocol=protocol, **settings)
    run_report(asked.pk)
    report = newest_done(project, "stages", protocol)
    assert report is not None, Report.objects.get(pk=asked.pk).error
    report.refresh_from_db()
    return dict(report.result or {})


def test_the_report_is_of_both_stages_answers(second: Batch) -> None:
    found = computed(second.project)
    assert [found["stages"][name]["slug"] for name in ("first", "second")] == ["presence", "anatomy"]
    assert found["protocol"]["headline"] == "Cumulative score"
    assert found["answers"] == {"submitted": 49, "counted": 49, "not_counted": []}
    assert [row["count"] for row in rows_of(found, "images")] == [13, 5, 0, 0, 0]
    means = [row["second"] for row in rows_of(found, "stage_means")]
    assert means == [pytest.approx(0.2), pytest.approx(0.5), pytest.approx(0.75)]
    (control,) = rows_of(found, "control")
    assert (control["judged"], control["found"], control["left_out"]) == (1, 0, 5)
    assert rows_of(found, "consistency")[-1]["both"] == 12
    assert rows_of(found, "grades")[-1] == {
        "component": "All",
        "marked": 12,
        "none": 0.0,
        "grade a": 0.0,
        "grade b": 0.0,
        "grade c": 1.0,
    }


@pytest.mark.thorough
def test_a_zero_counts_only_where_a_lead_says_so(second: Batch) -> None:
    project = second.project
    assert rows_of(computed(project), "separation")[0]["images"] == 13
    ticked = computed(project, settings={"unmarked_as_zero": True})
    assert rows_of(ticked, "separation")[0]["images"] == 18
    assert ticked["settings"] == {"unmarked_as_zero": True}
    # Whoever asks without a setting keeps it, and finds that nothing has changed.
    before = Report.objects.count()
    assert computed(project) == ticked
    assert Report.objects.count() == before
    assert computed(project, settings={})["settings"] == {"unmarked_as_zero": False}


@pytest.mark.thorough
def test_scores_are_made_with_the_present_weights(second: Batch) -> None:
    before = rows_of(computed(second.project), "stage_means")[0]["second"]
    Project.objects.filter(pk=second.project_id).update(weights={"a": "0.2", "b": "0.5", "c": "2"})
    after = rows_of(computed(Project.objects.get(pk=second.project_id)), "stage_means")[0]["second"]
    assert after == pytest.approx(2 * before)


def test_what_waits_and_what_was_targeted_is_known_from_the_assignments(second: Batch) -> None:
    waiting = Annotation.objects.filter(assignment__batch=second).latest("pk")
    waiting.delete()
    Assignment.objects.filter(batch=second).update(drawn="targeted")
    found = computed(second.project)
    assert [row["count"] for row in rows_of(found, "images")] == [12, 5, 0, 1, 0]
    words = next(table["words"] for table in found["tables"] if table["name"] == "reliability")
    assert "12 images" in words


@pytest.mark.thorough
def test_another_answer_or_assignment_makes_another_report(second: Batch) -> None:
    project = second.project
    computed(project)
    computed(project)
    assert Report.objects.count() == 1
    Assignment.objects.filter(batch=second).update(drawn="targeted")
    computed(project)
    Annotation.objects.filter(assignment__batch=second.follows).first().delete()  # type: ignore[union-attr]
    computed(project)
    assert Report.objects.count() == 3


def test_without_a_draw_that_left_them_out_nothing_counts_as_zero(second: Batch) -> None:
    Batch.objects.filter(pk=second.pk).update(follows=None)
    make_batch(second.project, name="Again", follows=second.follows)
    found = computed(second.project, settings={"unmarked_as_zero": True})
    assert [row["count"] for row in rows_of(found, "images")] == [13, 0, 5, 0, 0]


def test_answers_of_neither_stage_are_named(second: Batch) -> None:
    other = make_batch(second.project, name="Stars", protocol="stars")
    person = second.project.memberships.get(code="B")
    make_submitted(person, image=images_of(second)[0], batch=other)
    Annotation.objects.filter(assignment__batch=second).earliest("pk").delete()
    answers = computed(second.project)["answers"]
    assert answers["not_counted"] == [{"reason": "other_protocol", "count": 1}]
    assert (answers["submitted"], answers["counted"]) == (49, 48)


def test_practice_is_told_once(second: Batch) -> None:
    person = second.project.memberships.get(code="B")
    practice = make_submitted(person, image=images_of(second)[0], batch=second)
    Assignment.objects.filter(pk=practice.assignment_id).update(purpose="training")
    answers = computed(second.project)["answers"]
    assert answers["not_counted"] == [{"reason": "training", "count": 1}]
    assert (answers["submitted"], answers["counted"]) == (50, 49)


class TestWhichStages:
    """The batch that is followed says it; else a protocol that can be shown as the other."""

    def test_the_newest_batch_that_follows_decides(self, second: Batch) -> None:
        assert first_stage_of(second.project, "anatomy") == "presence"

    def test_without_one_it_is_what_can_be_shown_as_the_other(self, second: Batch) -> None:
        Batch.objects.update(follows=None)
        assert first_stage_of(second.project, "presence") == "anatomy"
        assert first_stage_of(second.project, "anatomy") == "presence"
        found = computed(second.project, "presence")
        # Presence grades nothing, so there is no such table; what can be compared is compared.
        assert "grades" not in {table["name"] for table in found["tables"]}
        assert rows_of(found, "consistency")[-1]["both"] == 12

    def test_a_project_with_one_protocol_is_refused(self, sent: list[int]) -> None:
        project = make_project("single")
        make_submitted(make_member(project))
        asked = request_report(project=project, kind="stages", protocol="anatomy")
        assert run_report(asked.pk)
        failed = Report.objects.get()
        assert (failed.status, "follows another" in failed.error) == ("failed", True)

    def test_stages_without_a_common_image_are_refused(self, second: Batch) -> None:
        images = images_of(second)
        Annotation.objects.filter(assignment__batch=second.follows, assignment__image__in=images).delete()
        asked = request_report(project=second.project, kind="stages", protocol="anatomy")
        run_report(asked.pk)
        assert Report.objects.get().error == "No image has annotations in both stages yet."


def test_nobody_computes_it_unasked(second: Batch) -> None:
    expect_reports(second.project_id, protocols=("anatomy", "presence"))
    assert "stages" not in set(Report.objects.values_list("kind", flat=True))


class TestPage:
    """Its page, which a lead and a reviewer see."""

    @pytest.fixture
    def lead(self, second: Batch, client: Client) -> Client:
        return signed_in(client, second.project.memberships.get(code="lee"))

    @pytest.mark.thorough
    def test_the_batch_leads_to_it_and_the_tick_is_kept(self, second: Batch, lead: Client) -> None:
        html = lead.get(f"/batches/{second.pk}/").content.decode()
        assert f'href="{ADDRESS}{ABOUT}"' in html
        computed(second.project)
        assert 'name="unmarked_as_zero"' in lead.get(ADDRESS + ABOUT).content.decode()
        lead.post(f"{ADDRESS}refresh/{ABOUT}", {"unmarked_as_zero": "on"})
        report = Report.objects.latest("pk")
        assert report.settings == {"unmarked_as_zero": True}
        run_report(report.pk)
        page = lead.get(ADDRESS + ABOUT)
        assert 'name="unmarked_as_zero" checked' in page.content.decode()
        assert "up-to-date" in codes(page.content.decode())
        assert [section.slug for section in page.context["reading"].sections][:2] == [
            "separation",
            "stage_means",
        ]

    def test_a_reviewer_refreshes_and_decides_nothing(self, second: Batch, client: Client) -> None:
        computed(second.project, settings={"unmarked_as_zero": True})
        Annotation.objects.filter(assignment__batch=second).latest("pk").delete()
        signed_in(client, make_member(second.project, REVIEWER, user=make_user()))
        assert 'name="unmarked_as_zero"' not in client.get(ADDRESS + ABOUT).content.decode()
        client.post(f"{ADDRESS}refresh/{ABOUT}")
        assert Report.objects.latest("pk").settings == {"unmarked_as_zero": True}

    def test_changes_of_the_first_stage_are_counted_too(self, second: Batch, lead: Client) -> None:
        computed(second.project)
        answer = Annotation.objects.filter(assignment__batch=second.follows).earliest("pk")
        answer.submitted_at = timezone.now()
        answer.save()
        Event.objects.create(project=second.project, assignment=answer.assignment, verb="submitted")
        assert lead.get(ADDRESS + ABOUT).context["stand"].changes.new == 1


class TestCommand:
    """`manage.py report stages`."""

    def test_it_prints_sentences_and_tables(self, second: Batch) -> None:
        out = report("--project", "pilot", "--protocol", "anatomy")
        assert out.startswith("Two stages of Pilot, over 49 annotations")
        assert "Not counted: 5 images without marks left out of stage 2" in " ".join(out.split())
        assert "Separation of generators by stage" in out

    @pytest.mark.thorough
    def test_zeros_are_said(self, second: Batch) -> None:
        out = report("--project", "pilot", "--protocol", "anatomy", "--unmarked-as-zero")
        assert "Counted as 0 in stage 2" in " ".join(out.split())
        found = json.loads(report("--project", "pilot", "--protocol", "anatomy", "--json"))
        assert found["settings"] == {"unmarked_as_zero": False}

    def test_the_tick_goes_with_no_other_report(self, second: Batch) -> None:
        with pytest.raises(CommandError, match="only to the report stages"):
            report("--project", "pilot", "--protocol", "anatomy", "--unmarked-as-zero", kind="agreement")


def report(*arguments: str, kind: str = "stages") -> str:
    out = StringIO()
    call_command("report", kind, *arguments, stdout=out)
    return out.getvalue()


def signed_in(client: Client, member: Membership) -> Client:
    assert member.user is not None
    client.force_login(member.user)
    return client
