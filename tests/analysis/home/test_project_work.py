"""The work of projects: drafts are found without reading what is submitted."""

from __future__ import annotations

import pytest

from analysis.home.dashboard import WORDS, _line
from analysis.home.project_work import AnnotatorWork, Sample, Sampled, _add_drafts
from analysis.home.quality_lines import QualityLine
from annotator.models import Annotation, Assignment
from tests.analysis.factories import EARLIER
from tests.analysis.home.conftest import Led
from tests.analysis.home.making import drafted
from tests.factories import make_image
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


@pytest.mark.parametrize(
    ("done", "timed", "verdict"),
    [(0, 0, "few"), (23, 0, "few"), (19, 19, "few"), (20, 20, "unchecked"), (24, 0, "unchecked")],
)
def test_a_verdict_needs_as_much_as_in_a_quality_report(
    led: Led, done: int, timed: int, verdict: str
) -> None:
    last = [
        Sampled(each, EARLIER, 30_000 if each < timed else None, False, (1, each)) for each in range(done)
    ]
    work = AnnotatorWork(led.ada, done=done, samples=[Sample("anatomy", 1, done, last)])
    found = _line(work, EARLIER)
    assert (found.verdict, found.word) == (verdict, WORDS[verdict])


def test_only_a_quality_report_calls_somebody_fine(led: Led) -> None:
    imported = AnnotatorWork(led.ada, done=30)
    assert _line(imported, EARLIER).word == "Not watched"
    fine = QualityLine("anatomy", "fine", (), (), ())
    assert _line(AnnotatorWork(led.ada, done=30, quality=[fine]), EARLIER).word == "Fine"
    hasty = [Sampled(each, EARLIER, 900, False, (1, each)) for each in range(30)]
    rushing = AnnotatorWork(led.ada, done=30, samples=[Sample("anatomy", 1, 30, hasty)], quality=[fine])
    assert _line(rushing, EARLIER).word == "Fine", "the report speaks for its protocol"
