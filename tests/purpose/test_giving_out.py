"""However images are given out, those that several people have are marked as drawn at random."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from annotator.batches import releases
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.exchange import import_study
from annotator.models import Assignment, Batch
from annotator.models.counting import mark_random
from annotator.work.sending import MAKE_DISPLAY
from tests.annotator.exchange.conftest import StudyFolder, sheet_row
from tests.annotator.planned import make_study, people_of, released
from tests.factories import make_project
from tests.support.messages import ids_sent_to

pytestmark = pytest.mark.django_db


def coders_of_random(batch: Batch) -> dict[str, set[int]]:
    """For each way of drawing how many people hold an image that was drawn so."""
    held: dict[int, list[str]] = {}
    for image, drawn in batch.assignments.filter(position__isnull=False).values_list("image", "drawn"):
        held.setdefault(image, []).append(drawn)
    found: dict[str, set[int]] = {}
    for drawings in held.values():
        for drawn in drawings:
            found.setdefault(drawn, set()).add(len(drawings))
    return found


@pytest.mark.parametrize("chunk", [8, 5000])
def test_a_release(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one piece, and in several."""
    monkeypatch.setattr(releases, "CHUNK", chunk)
    batch = released(make_study("pilot"), coders=3)
    assert coders_of_random(batch) == {"single": {1}, "random": {3}}


def test_a_change_of_people() -> None:
    """Whoever takes an overlap image over has it for the same reason."""
    project = make_study("pilot", "ABCDE")
    batch = released(project, "ABCD", coders=2)
    leaving, joining = people_of(project, "B"), people_of(project, "E")
    outcome = outcome_of(propose_people_change(batch=batch, leaving=leaving, joining=joining))
    apply_people_change(
        batch=batch, leaving=leaving, joining=joining, outcome=outcome, reason="E for B", actor=None
    )
    assert coders_of_random(batch) == {"single": {1}, "random": {2}}
    of_the_newcomer = batch.assignments.filter(annotator__code="E", drawn="random")
    assert of_the_newcomer.exists()


def test_a_release_marks_what_the_rows_say() -> None:
    """A plan knows its images' annotators; the statement that looks at the rows finds nothing to add."""
    batch = released(make_study("pilot"), coders=3)
    marked = set(batch.assignments.filter(drawn="random").values_list("pk", flat=True))
    assert marked
    assert mark_random(batch) == 0
    batch.assignments.update(drawn="single")
    assert mark_random(batch) == len(marked)
    assert set(batch.assignments.filter(drawn="random").values_list("pk", flat=True)) == marked


def test_an_import(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second file of the same name adds a second judge; once stated, both answers are marked."""
    settings.MEDIA_ROOT = tmp_path / "media"
    ids_sent_to(monkeypatch, MAKE_DISPLAY)
    study, project = StudyFolder(tmp_path / "study"), make_project()
    for number in (1, 2):
        study.image(f"sdXL/couple_hugging/sdXL_hug_0{number}.png")
    first, second = (sheet_row(f"sdxl_couple hugging_0{number}", "anno1") for number in (1, 2))
    study.sheet(first, second)
    import_study(study.path, project=project)
    assert list(Assignment.objects.values_list("drawn", flat=True)) == ["unknown", "unknown"]
    study.sheet(first, second, sheet_row("sdxl_couple hugging_02", "anno2"))
    import_study(study.path, project=project)
    assert coders_of_random(Batch.objects.get()) == {"unknown": {1, 2}}
    import_study(study.path, project=project, doubles="random")
    assert coders_of_random(Batch.objects.get()) == {"single": {1}, "random": {2}}
