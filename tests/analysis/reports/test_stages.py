"""The report on two stages: from the rows to its result, its settings, its page, the command and the API."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from analysis.reports.stages import first_stage_of
from analysis.reports.stored import newest_done
from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project
from tests.analysis.factories import make_submitted
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.batches.first_stages import images_of, make_first
from tests.factories import REVIEWER, make_batch, make_member, make_project, make_user

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


def test_what_waits_and_what_was_targeted_is_known_from_the_assignments(second: Batch) -> None:
    waiting = Annotation.objects.filter(assignment__batch=second).latest("pk")
    waiting.delete()
    Assignment.objects.filter(batch=second).update(drawn="targeted")
    found = computed(second.project)
    assert [row["count"] for row in rows_of(found, "images")] == [12, 5, 0, 1, 0]
    words = next(table["words"] for table in found["tables"] if table["name"] == "reliability")
    assert "12 images" in words


def test_without_a_draw_that_left_them_out_nothing_counts_as_zero(second: Batch) -> None:
    Batch.objects.filter(pk=second.pk).update(follows=None)
    make_batch(second.project, name="Again", follows=second.follows)
    found = computed(second.project, settings={"unmarked_as_zero": True})
    assert [row["count"] for row in rows_of(found, "images")] == [13, 0, 5, 0, 0]


class TestWhichStages:
    """The batch that is followed says it; else a protocol that can be shown as the other."""

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


class TestPage:
    """Its page, which a lead and a reviewer see."""

    @pytest.fixture
    def lead(self, second: Batch, client: Client) -> Client:
        return signed_in(client, second.project.memberships.get(code="lee"))

    def test_a_reviewer_refreshes_and_decides_nothing(self, second: Batch, client: Client) -> None:
        computed(second.project, settings={"unmarked_as_zero": True})
        Annotation.objects.filter(assignment__batch=second).latest("pk").delete()
        signed_in(client, make_member(second.project, REVIEWER, user=make_user()))
        assert 'name="unmarked_as_zero"' not in client.get(ADDRESS + ABOUT).content.decode()
        client.post(f"{ADDRESS}refresh/{ABOUT}")
        assert Report.objects.latest("pk").settings == {"unmarked_as_zero": True}


class TestCommand:
    """`manage.py report stages`."""

    def test_it_prints_sentences_and_tables(self, second: Batch) -> None:
        out = report("--project", "pilot", "--protocol", "anatomy")
        assert out.startswith("Two stages of Pilot, over 49 annotations")
        assert "Not counted: 5 images without marks left out of stage 2" in " ".join(out.split())
        assert "Separation of generators by stage" in out

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
