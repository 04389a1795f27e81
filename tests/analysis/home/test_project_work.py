"""The work of projects: what is counted, and that drafts are found without reading what is submitted."""

from __future__ import annotations

import pytest

from analysis.home.dashboard import _line
from analysis.home.project_work import AnnotatorWork, _add_drafts, work_of
from analysis.home.quality_lines import QualityLine
from annotator.models import Annotation, Assignment, Batch
from annotator.models.counting import WorkCount
from tests.analysis.factories import EARLIER
from tests.analysis.home.conftest import Led
from tests.analysis.home.making import drafted, labelled
from tests.factories import make_assignment, make_batch, make_image
from tests.support.instructions import instructions


@pytest.mark.databases  # counted on SQLite alone
def test_drafts_are_found_without_reading_what_is_submitted(led: Led) -> None:
    drafted(led.ada, led.batch, days_ago=5)
    image = make_image(led.project)

    def submit(passes: range) -> None:
        made = Assignment.objects.bulk_create(
            Assignment(
                batch=led.batch, image=image, annotator=led.ada, status="done", position=each, pass_no=each
            )
            for each in passes
        )
        Annotation.objects.bulk_create(
            Annotation(
                assignment=each,
                payload={},
                ratings=[],
                status="submitted",
                saved_at=EARLIER,
                submitted_at=EARLIER,
            )
            for each in made
        )

    def found() -> None:
        work = {led.ada.pk: AnnotatorWork(led.ada)}
        _add_drafts([led.project], work)
        assert work[led.ada.pk].drafts == 1

    submit(range(100, 400))
    few = instructions(found)
    submit(range(400, 700))
    assert instructions(found) == few > 0


def test_what_is_submitted_skipped_left_and_imported(led: Led) -> None:
    labelled(led.ada, led.batch, 3)
    make_assignment(led.ada, batch=led.batch, status="skipped")
    make_assignment(led.ada, batch=led.batch)
    closed = make_batch(led.project, status="closed")
    make_assignment(led.ada, batch=closed)
    elsewhere = make_batch(led.project, prompt_seen=Batch.Seen.UNKNOWN)
    labelled(led.ada, elsewhere, 7)
    work = work_of([led.project])[led.project.pk]
    assert work.count == WorkCount(submitted=3, skipped=1, open=2, left=1, imported=7)
    assert work.count.words == "3 of 6 submitted, 1 skipped, 7 imported"
    assert (work.count.total, work.count.there, work.count.percent, work.waiting) == (6, 10, 50, 1)
    assert [each.count for each in work.annotators] == [work.count]
    assert work.annotators[0].last_seen is not None


def test_imports_are_nobodys_last_activity(led: Led) -> None:
    labelled(led.ada, make_batch(led.project, prompt_seen=Batch.Seen.UNKNOWN), 2)
    make_assignment(led.ada, batch=led.batch)
    [ada] = work_of([led.project])[led.project.pk].annotators
    assert ada.last_seen is None


def test_only_a_quality_report_gives_a_verdict(led: Led) -> None:
    def word(count: WorkCount, *quality: QualityLine) -> str:
        return _line(AnnotatorWork(led.ada, count, quality=quality), EARLIER).word

    fine = QualityLine("anatomy", "fine", (), (), (), 30, 20_000)
    assert word(WorkCount(submitted=30), fine) == "Fine"
    assert word(WorkCount(submitted=30)) == "Not checked yet"
    assert word(WorkCount(imported=30)) == "Not watched"
    assert word(WorkCount(open=30)) == "Too few"
