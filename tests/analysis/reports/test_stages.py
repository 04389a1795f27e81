"""Reports across protocols: two stages on the same images, and the same images under two protocols."""

from __future__ import annotations

import pytest
from scipy import stats

from analysis.models import Report
from analysis.reports.stages import first_stage_of
from analysis.stats.generic.tables import rows_of
from annotator.models import Annotation, Assignment, Batch, Event
from scoring.realism.consolidation import consolidate
from scoring.realism.protocol import REALISM
from tests.analysis.factories import make_submitted
from tests.analysis.mixed import answered
from tests.analysis.wider_study import error_of, result_of
from tests.annotator.batches.first_stages import images_of, make_first
from tests.factories import REVIEWER, make_batch, make_image, make_member, make_project
from tests.support.codes import codes
from tests.support.signing_in import signed_in

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


def test_the_report_is_of_both_stages_answers(second: Batch) -> None:
    found = result_of(second.project, "stages")
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
    found = result_of(second.project, "stages")
    assert [row["count"] for row in rows_of(found, "images")] == [12, 5, 0, 1, 0]
    words = next(table["words"] for table in found["tables"] if table["name"] == "reliability")
    assert "12 images" in words


def test_without_a_draw_that_left_them_out_nothing_counts_as_zero(second: Batch) -> None:
    Batch.objects.filter(pk=second.pk).update(follows=None)
    make_batch(second.project, name="Again", follows=second.follows)
    found = result_of(second.project, "stages", settings={"unmarked_as_zero": True})
    assert [row["count"] for row in rows_of(found, "images")] == [13, 0, 5, 0, 0]


def test_without_a_batch_that_is_followed_it_is_what_can_be_shown_as_the_other(second: Batch) -> None:
    Batch.objects.update(follows=None)
    assert first_stage_of(second.project, "presence") == "anatomy"
    assert first_stage_of(second.project, "anatomy") == "presence"
    found = result_of(second.project, "stages", "presence")
    # Presence grades nothing, so there is no such table; what can be compared is compared.
    assert "grades" not in {table["name"] for table in found["tables"]}
    assert rows_of(found, "consistency")[-1]["both"] == 12


def test_a_project_with_one_protocol_is_refused(sent: list[int]) -> None:
    project = make_project("single")
    make_submitted(make_member(project))
    assert "follows another" in error_of(project, "stages")


def test_stages_without_a_common_image_are_refused(second: Batch) -> None:
    images = images_of(second)
    Annotation.objects.filter(assignment__batch=second.follows, assignment__image__in=images).delete()
    assert error_of(second.project, "stages") == "No image has annotations in both stages yet."


def test_a_reviewer_refreshes_and_decides_nothing(second: Batch) -> None:
    result_of(second.project, "stages", settings={"unmarked_as_zero": True})
    Annotation.objects.filter(assignment__batch=second).latest("pk").delete()
    client = signed_in(make_member(second.project, REVIEWER))
    assert 'name="unmarked_as_zero"' not in client.get(ADDRESS + ABOUT).content.decode()
    client.post(f"{ADDRESS}refresh/{ABOUT}")
    assert Report.objects.latest("pk").settings == {"unmarked_as_zero": True}


ACROSS = "/projects/pilot/reports/across/"


@pytest.fixture
def counted(sent: list[int]) -> Batch:
    """18 images, two of three marked under presence; 12 counted under anatomy, alike but for one."""
    first = make_first(cells=lambda image, _: () if image % 3 == 0 else ("extra.limbs",), each=1)
    batch = make_batch(first.project, name="Counts")
    person = first.project.memberships.get(code="A")
    for place, image in enumerate(images_of(first)[:12]):
        marks = [("extra.limbs", f"{place % 3}/4c")] if place % 3 and place != 4 else []
        make_submitted(person, marks, image=image, batch=batch)
    return batch


def test_it_relates_the_images_of_both_protocols(counted: Batch) -> None:
    result = result_of(counted.project, "across")
    (row,) = rows_of(result, "across")
    assert row["images"] == 12
    assert row["rho"]["value"] > 0.5
    assert [r["number"] for r in rows_of(result, "contradictions")] == [1]
    assert result["across"] == ["presence"]
    assert result["answers"]["counted"] == 12 + 36


def test_without_a_shared_image_it_says_what_to_do(sent: list[int]) -> None:
    error = error_of(make_first(each=1).project, "across", "presence")
    assert "Release a batch of the same images under another protocol." in error


def test_opening_the_page_asks_for_it_once(counted: Batch) -> None:
    client = signed_in(counted.project.memberships.get(code="lee"))
    for _ in range(2):
        assert "first-numbers" in codes(client.get(f"{ACROSS}?protocol=anatomy"))
    assert counted.project.reports.filter(kind="across").count() == 1


def test_realism_is_related_by_its_consolidated_score(sent: list[int]) -> None:
    """1 1 1 8 8 gives 8, though its mean is 3.8: the image counts as the other reports say."""
    given = (
        "1 1 1 8 8",
        "2 2 3 3 2",
        "4 5 4 5 4",
        "9 9 9 8 9",
        "5 5 6 5 6",
        "1 2 1 1 2",
        "7 7 6 7 7",
        "3 3 3 4 4",
    )
    marks = (1, 8, 5, 2, 4, 9, 3, 7)
    project = make_project("scores")
    people = [make_member(project) for _ in range(5)]
    rating = make_batch(project, name="ratings", protocol="realism")
    counting = make_batch(project, name="counts")
    scores = []
    for place, (ratings, affected) in enumerate(zip(given, marks, strict=True)):
        image = make_image(project, number=place + 1)
        make_submitted(people[0], [("missing.face", f"{affected}/10c")], image=image, batch=counting)
        values = list(map(int, ratings.split()))
        for person, value in zip(people, values, strict=True):
            answered(REALISM, person, image, rating, {"rating": value})
        scores.append(consolidate(values, 0, 3).score)
    (row,) = rows_of(result_of(project, "across", "realism"), "across")
    expected = stats.spearmanr([float(score or 0) for score in scores], marks).statistic
    assert row["rho"]["value"] == pytest.approx(expected, abs=1e-12)
    means = [sum(map(int, ratings.split())) / 5 for ratings in given]
    assert abs(expected - stats.spearmanr(means, marks).statistic) > 0.01
