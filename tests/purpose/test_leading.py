"""What a lead does to a batch is about its work; training, anchors and repeats in it stay where they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from analysis.reports.status import changes_since
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.batches.previews import preview_of
from annotator.batches.requests import BatchRequest
from annotator.batches.stored_plans import held_in
from annotator.exchange import import_study
from annotator.models import Assignment, Batch, Event
from annotator.records.image_deletion import delete_image
from annotator.work.sending import MAKE_DISPLAY
from tests.analysis.factories import EARLIER, make_submitted
from tests.annotator.exchange.conftest import StudyFolder, sheet_row
from tests.annotator.planned import faults_in, make_study, people_of, released
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project
from tests.support.messages import ids_sent_to

pytestmark = pytest.mark.django_db


def give_others(batch: Batch) -> list[int]:
    """Five anchors for everybody, which are nobody's work, and a repeat of each one's first image."""
    made = []
    images = [make_image(batch.project) for _ in range(5)]
    for person in batch.project.memberships.order_by("code"):
        own = Assignment.objects.filter(batch=batch, annotator=person).order_by("position").first()
        given = [(image, "anchor", 1) for image in images] + ([(own.image, "repeat", 2)] if own else [])
        for image, purpose, number in given:
            row = make_assignment(person, image=image, batch=batch, purpose=purpose, pass_no=number)
            made.append(row.pk)
    return made


def rows(keys: list[int]) -> list[tuple[str, str, int]]:
    found = Assignment.objects.filter(pk__in=keys).order_by("pk")
    return list(found.values_list("status", "purpose", "pass_no"))


@pytest.mark.parametrize("planned", [True, False])
def test_a_change_of_people(planned: bool) -> None:
    """The same proposal with and without them; carried out, it moves none of them."""
    project = make_study("pilot", "ABCDE")
    batch = released(project, "ABCD", coders=2)
    if not planned:
        batch.plans.all().delete()
    leaving, joining = people_of(project, "B"), people_of(project, "E")
    before = propose_people_change(batch=batch, leaving=leaving, joining=joining)
    others = give_others(batch)
    outcome = outcome_of(propose_people_change(batch=batch, leaving=leaving, joining=joining))
    assert outcome == outcome_of(before)
    given = rows(others)
    apply_people_change(
        batch=batch, leaving=leaving, joining=joining, outcome=outcome, reason="E for B", actor=None
    )
    assert rows(others) == given
    for person in people_of(project, "ABCDE"):
        placed = batch.assignments.filter(annotator=person, position__isnull=False)
        positions = list(placed.order_by("position").values_list("position", flat=True))
        assert positions == list(range(1, len(positions) + 1))


def test_the_plan_stands_and_says_how_much_it_gave() -> None:
    project = make_study("pilot")
    batch = released(project)
    held = batch.assignments.count()
    give_others(batch)
    assert faults_in(batch) == []
    assert held_in(batch) == held


def test_a_preview_tells_what_is_given_again_of_work_alone() -> None:
    project = make_study("pilot")
    request = BatchRequest(name="next", people=tuple(one.pk for one in people_of(project)))
    trained = make_batch(project)
    for image in project.images.all():
        for person in people_of(project):
            make_assignment(person, image=image, batch=trained, purpose="qualification")
    assert preview_of(project, request)["again"] == 0
    Assignment.objects.update(purpose="work")
    again = preview_of(project, request)
    assert again["again"] == again["annotations"] == 30


def test_a_deleted_image_takes_its_work_from_the_reports() -> None:
    """All of its answers are kept and named; a report has lost those that it had counted."""
    project = make_project()
    person, image, batch = make_member(project), make_image(project), make_batch(project)
    make_submitted(person, image=image, batch=batch, submitted_at=EARLIER)
    for number in (1, 2):
        repeat = make_assignment(person, image=image, batch=batch, purpose="repeat", pass_no=number)
        make_submitted(person, assignment=repeat, submitted_at=EARLIER)
    delete_image(image=image, reason="not ours", actor=None)
    event = Event.objects.get(verb="image_deleted")
    assert (event.data["submitted"], event.data["by_protocol"]) == (3, {"anatomy": 1})
    assert len(event.data["assignments"]) == 3
    assert changes_since(project, EARLIER).deleted == 1


def test_an_imported_row_is_no_repetition_of_training(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    ids_sent_to(monkeypatch, MAKE_DISPLAY)
    study, project = StudyFolder(tmp_path / "study"), make_project()
    study.image("sdXL/couple_hugging/sdXL_hug_01.png")
    import_study(study.path, project=project)
    person = make_member(project, code="anno1")
    trained = make_assignment(person, image=project.images.get(), purpose="training", status="done")
    make_submitted(person, [("missing.limbs", "1/4c")], assignment=trained)
    study.sheet(sheet_row("sdxl_couple hugging_01", "anno1", {"missing.limbs": "2/4a"}))
    report = import_study(study.path, project=project)
    assert (report.annotations_added, report.unmatched_rows) == (1, [])
    assert Assignment.objects.get(purpose="work").annotation.payload["marks"][0]["severity"] == "a"
