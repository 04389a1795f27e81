"""Before and after: the job that compares a second round with its first."""

from __future__ import annotations

import pytest

from annotator.models import Job, NormingSession
from annotator.norming.closing import close_session
from annotator.norming.revealing import compare_rounds, reveal
from annotator.work.jobs import run_job
from tests.annotator.norming.making import ADA, Circle, answer_all, make_circle

pytestmark = pytest.mark.django_db


@pytest.fixture
def circle(db: None) -> Circle:
    return make_circle(images=12)


def compared(session: NormingSession) -> Job:
    job = Job.objects.filter(kind="norming_effect").latest("pk")
    assert run_job(job.pk)
    job.refresh_from_db()
    session.refresh_from_db()
    return job


def test_both_rounds_stand_side_by_side(circle: Circle) -> None:
    first = circle.revealed(5)
    second = circle.start(picked="alike", follows=first)
    answer_all(second, {"ada": ADA, "bob": ADA})
    reveal(session=second, actor=circle.actor)
    job = compared(second)
    assert job.status == "done", job.error
    assert job.result is not None
    assert second.effect is not None
    assert job.result["url"].endswith(f"/norming/{second.pk}/")
    rounds = {row["name"]: (row["before"], row["after"]) for row in second.effect["rounds"]}
    assert list(rounds) == [
        *("cumulative_score", "cells", "severity_a", "severity_b", "severity_c", "leniency_spread")
    ]
    # At first, one marks a hand as moderate and the other as severe in every image: they share every cell.
    before, after = rounds["cells"]
    assert (before["value"], after["value"]) == (1, 1)
    before, after = rounds["severity_c"]
    # The worked alpha: of 125 cells in two grids, 10 are marked severe by both or one (5 limbs, 5 hands).
    n, ones = 250, 15
    assert before["value"] == pytest.approx(1 - (n - 1) * 5 / (ones * (n - ones)))
    assert after["value"] == 1
    before, after = rounds["leniency_spread"]
    # Scores: 1/4 + 1/3 · 0.5 against 1/4 + 1/4, so each lies 1/24 from the image's mean.
    assert before["value"] == pytest.approx(2**0.5 / 24)
    assert after["value"] == pytest.approx(0)


def test_what_cannot_be_compared_is_refused_with_the_reason(circle: Circle) -> None:
    first = circle.revealed(3)
    compare_rounds(first, circle.actor)
    assert compared(first).error == "This session has no first round to compare it with."
    second = circle.start(picked="alike", follows=first)
    compare_rounds(second, circle.actor)
    assert compared(second).error == "Both rounds must be revealed before they can be compared."
    close_session(session=second, references=[], actor=circle.actor)
    compare_rounds(second, circle.actor)
    assert compared(second).status == "failed"
