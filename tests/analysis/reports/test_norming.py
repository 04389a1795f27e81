"""Norming: the job that compares two rounds, and one round in numbers, beside worked ones and a package."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.stats.fewest_images import FEWEST
from analysis.stats.frames import AnnotationTable
from analysis.stats.norming import leniency_spread, round_measures
from annotator.models import Job, NormingSession
from annotator.norming.revealing import close_session, compare_rounds, reveal
from annotator.work.jobs import run_job
from tests.analysis.stats.conftest import framed, rated
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
    second = circle.start(follows=first)
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
    second = circle.start(follows=first)
    compare_rounds(second, circle.actor)
    assert compared(second).error == "Both rounds must be revealed before they can be compared."
    close_session(session=second, references=[], actor=circle.actor)
    compare_rounds(second, circle.actor)
    assert compared(second).status == "failed"


def by_name(frame: AnnotationTable) -> dict[str, Any]:
    return {one["name"]: one["estimate"] for one in round_measures(frame)}


def test_few_images_have_no_number() -> None:
    rows = [rated(image, name, {"missing.limbs": "1/4c"}) for image in range(1, FEWEST) for name in "AB"]
    found = by_name(framed(*rows))
    assert {one["refused"] for one in found.values()} == {"too few: 4 of 5 images"}
    assert {one["value"] for one in found.values()} == {None}
    nobody = by_name(framed(rated(1, "A", {})))
    assert {one["refused"] for one in nobody.values()} == {"too few: 0 of 5 images"}


def test_the_spread_of_three_people_has_an_interval() -> None:
    rng = np.random.default_rng(7)
    shift = np.array([0.0, 0.4, 1.1])
    values = (rng.normal(2, 1, 12)[:, None] + shift + rng.normal(0, 0.1, (12, 3))).ravel()
    unit, people = np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12)
    found = leniency_spread(values, unit, people)
    means = (values.reshape(12, 3) - values.reshape(12, 3).mean(axis=1, keepdims=True)).mean(axis=0)
    assert found["value"] == pytest.approx(means.std(ddof=1))
    numbers = [found["low"], found["value"], found["high"]]
    low, value, high = (number for number in numbers if number is not None)
    assert 0 <= low < value < high
