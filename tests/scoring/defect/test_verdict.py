"""Decisions by unanimity and by an expert: the worked images."""

from __future__ import annotations

from fractions import Fraction

import pytest

from scoring.defect.verdict import ACCEPT, REJECT, VERDICT
from scoring.protocol import Decision, InvalidPayload

WORDS = {"A": ACCEPT, "R": REJECT, "U": "cannot_judge"}
IMAGES = ("RRR", "AAA", "ARR", "RRR", "AAR", "AAA", "RRU", "RR")
EXPERT = {2: Fraction(1), 4: Fraction(0)}


def decided(votes: str, expert: Fraction | None = None) -> Decision:
    assert VERDICT.decide is not None
    return VERDICT.decide([{"answers": {"verdict": WORDS[vote]}} for vote in votes], 3, expert)


def test_the_worked_images_are_decided() -> None:
    found = [decided(votes, EXPERT.get(at)) for at, votes in enumerate(IMAGES)]
    assert [(each.value, each.by, each.why_open) for each in found] == [
        (1, "unanimity", ""),
        (0, "unanimity", ""),
        (1, "expert", ""),
        (1, "unanimity", ""),
        (0, "expert", ""),
        (0, "unanimity", ""),
        (None, "", "differ"),
        (None, "", "outstanding"),
    ]


def test_an_expert_does_not_outvote_those_who_agree() -> None:
    assert decided("RRR", Fraction(0)) == Decision(Fraction(1), "unanimity")
    assert decided("AR", Fraction(0)) == Decision(None, why_open="outstanding")
    assert decided("UUU") == Decision(None, why_open="differ")
    assert decided("UUU", Fraction(1)) == Decision(Fraction(1), "expert")


def test_a_verdict_is_a_rating_form_of_one_answer() -> None:
    answer = VERDICT.clean({"answers": {"verdict": REJECT}})
    assert VERDICT.ratings(answer, {}) == (("verdict", "", Fraction(1)),)
    doubtful = VERDICT.clean({"answers": {"verdict": "cannot_judge"}, "note": "Too dark."})
    assert VERDICT.ratings(doubtful, {}) == (("cannot_judge", "verdict", Fraction(1)),)
    for note in ("", "  "):
        unsaid = {"answers": {"verdict": "cannot_judge"}, "note": note}
        assert VERDICT.clean(unsaid, complete=False).payload()["note"] == note
        with pytest.raises(InvalidPayload, match="say in the note why the image cannot be judged"):
            VERDICT.clean(unsaid)
    with pytest.raises(InvalidPayload, match="“maybe” is not an answer to “Verdict”"):
        VERDICT.clean({"answers": {"verdict": "maybe"}})
