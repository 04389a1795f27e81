"""Decisions by unanimity and by an expert: the worked images."""

from __future__ import annotations

import math

import krippendorff
import numpy as np
import pytest

from scoring.defect.verdict import ACCEPT, CANNOT_JUDGE, REJECT, Decision, decision
from scoring.parametric_intervals import clopper_pearson

WORDS = {"A": ACCEPT, "R": REJECT, "U": CANNOT_JUDGE}
IMAGES = ("RRR", "AAA", "ARR", "RRR", "AAR", "AAA", "RRU", "RR")
EXPERT = {2: REJECT, 4: ACCEPT}


def decided(votes: str, expert: str | None = None) -> Decision:
    return decision([WORDS[vote] for vote in votes], 3, expert)


def test_the_worked_images_are_decided() -> None:
    found = [decided(votes, EXPERT.get(at)) for at, votes in enumerate(IMAGES)]
    assert [(each.value, each.by, each.why_open) for each in found] == [
        ("reject", "unanimity", ""),
        ("accept", "unanimity", ""),
        ("reject", "expert", ""),
        ("reject", "unanimity", ""),
        ("accept", "expert", ""),
        ("accept", "unanimity", ""),
        (None, "", "differ"),
        (None, "", "outstanding"),
    ]


@pytest.mark.parametrize(("images", "alpha"), [(IMAGES, 0.641026), (IMAGES[:-1], 0.616162)])
def test_the_worked_votes_agree(images: tuple[str, ...], alpha: float) -> None:
    values = {"R": 1.0, "A": 0.0, "U": math.nan}
    votes = np.array([[values[vote] for vote in each] + [math.nan] * (3 - len(each)) for each in images]).T
    found = krippendorff.alpha(reliability_data=votes, level_of_measurement="nominal")
    assert round(found, 6) == alpha


def test_an_expert_does_not_outvote_those_who_agree() -> None:
    assert decided("RRR", ACCEPT) == Decision("reject", "unanimity")
    assert decided("AR", ACCEPT) == Decision(None, why_open="outstanding")
    assert decided("UUU") == Decision(None, why_open="differ")
    assert decided("UUU", REJECT) == Decision("reject", "expert")


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(4, 7, 0.184, 0.901), (3, 6, 0.118, 0.882), (0, 20, 0, 0.168)]
)
def test_the_worked_shares_have_intervals(hits: int, of: int, low: float, high: float) -> None:
    assert tuple(round(float(end), 3) for end in clopper_pearson(hits, of) or ()) == (low, high)


def test_what_is_no_verdict_is_refused() -> None:
    with pytest.raises(ValueError, match="'maybe' is no verdict"):
        decision(["maybe"], 1)
    with pytest.raises(ValueError, match="'no' is no verdict"):
        decision([ACCEPT], 1, "no")
