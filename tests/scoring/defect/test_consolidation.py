"""Verdicts by unanimity or an expert, and what reviewers keep: the worked images, and properties."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.defect.consolidation import (
    CHECK,
    Checked,
    bits_of,
    checked,
    differing_regions,
    letters_of,
    made_from,
    votes_of,
)
from scoring.defect.description import Described, assemble, effect_of
from scoring.defect.masks import iou, read_mask, rectangle, shared_area, union
from scoring.defect.verdict import ACCEPT, REJECT, VERDICT
from scoring.protocol import InvalidPayload

MASKS = {
    key: read_mask({"size": [4, 5], "counts": text})
    for key, text in {"A1": "5220003", "B1": "931000", "B2": "01c0"}.items()
}
ITEMS = [
    {"key": key, "mask": MASKS[key].as_json(), "kind": "structural", "text": text}
    for key, text in (("A1", "Two hands are fused"), ("B1", "two hands are fused."), ("B2", "A spare tip"))
]


def check(votes: str, **more: object) -> dict[str, object]:
    """A check of the worked image: the votes on mask and description of each item."""
    answers = {
        f"{item['key']}_{part}": "keep" if votes[2 * at + place] == "1" else "drop"
        for at, item in enumerate(ITEMS)
        for place, part in enumerate(("mask", "text"))
    }
    return {"made_from": "9f3c", "items": ITEMS, "effects": [1, 2], "answers": answers, **more}


def consolidated(*votes: str, **more: object) -> Checked:
    """What these votes keep of the worked image."""
    found = checked([check(each, **more) for each in votes])
    assert found is not None
    return found


def test_the_worked_image_is_consolidated() -> None:
    found = consolidated("111101", "111101", "110111")
    assert (found.masks, found.disputed) == (("A1", "B1"), True)
    assert [kept.key for kept in found.described] == ["A1", "B1", "B2"]
    assert (found.region.as_json()["counts"], found.region.area) == ("5221O000", 11)
    assert (found.source, found.added) == ("assembled", 11 / 10 - 1)
    assert found.reference.startswith("Centre right, structural: two hands are fused.")
    assert found.reference.endswith("The effect on the image is noticeable.")
    ruled = checked([check("111100")] * 3, check("000011", reference=" A tip. "))
    assert ruled is not None
    assert (ruled.masks, ruled.reference, ruled.source) == (("B2",), "A tip.", "expert")
    outdated = checked([check("111100")], check("000011", made_from="0000"))
    assert outdated is not None
    assert outdated.masks == ("A1", "B1")


def test_the_worked_annotators_mark_different_regions() -> None:
    a, b = MASKS["A1"], union([MASKS["B1"], MASKS["B2"]])
    assert (shared_area(a, b), union([a, b]).area) == (4, 12)
    assert iou(a, b) == Fraction(1, 3)
    assert differing_regions(MASKS) == ["A", "B"]
    assert differing_regions({"A1": a, "B1": a}) == []


def test_more_than_half_keep_and_a_flag_disputes() -> None:
    tied = consolidated("101010", "010101")
    assert (tied.masks, tied.described, tied.region.area, tied.disputed) == ((), [], 0, True)
    agreed = consolidated(*["101010"] * 3)
    assert (agreed.masks, agreed.described, agreed.disputed) == (tuple(MASKS), [], False)
    assert consolidated(*["101010"] * 3, flag={"reason": "other", "note": ""}).disputed


@given(st.lists(st.text("01", min_size=6, max_size=6), min_size=1, max_size=4))
def test_the_order_of_reviewers_does_not_matter_and_the_region_lies_in_the_marks(cast: list[str]) -> None:
    found = consolidated(*cast)
    for order in permutations(cast):
        other = consolidated(*order)
        assert (other.votes, other.disputed, other.region) == (found.votes, found.disputed, found.region)
    assert shared_area(found.region, union(list(MASKS.values()))) == found.region.area
    # The number of the votes is equal exactly if all are.
    assert [bits_of(votes_of(check(each))) for each in cast] == cast
    assert (len(set(cast)) > 1) == found.disputed


def test_of_nothing_nothing_is_kept() -> None:
    assert checked([]) is None
    assert checked([check("111111", items=[])]) is None
    assert checked([check("111111"), check("111111", made_from="0000")]) is None


def test_digests_know_no_order_and_letters_are_drawn_by_image() -> None:
    assert made_from([(2, 1), (1, 4)]) == made_from([(1, 4), (2, 1)])
    assert made_from([(1, 5), (2, 1)]) != made_from([(1, 4), (2, 1)])
    assert len(made_from([])) == 16
    drawn = {tuple(letters_of([5, 6], f"{image:064}", 1).items()) for image in range(20)}
    assert drawn == {((5, "A"), (6, "B")), ((6, "A"), (5, "B"))}
    assert letters_of([5, 6], "a", 1) == letters_of([6, 5], "a", 1)


HANDS = Described(rectangle(9, 9, (0, 6, 3, 3)), "structural", "Two hands are fused")
TIPS = Described(rectangle(9, 9, (7, 7, 1, 1)), "structural", "Fingertips without a hand.")


def test_the_reference_names_the_largest_first_and_the_effect_last() -> None:
    again = Described(TIPS.mask, "logical", "two HANDS, are fused!")
    assert assemble([TIPS, HANDS, again], [1, 2]) == (
        "Lower left, structural: Two hands are fused. "
        "Lower right, structural: Fingertips without a hand. "
        "The effect on the image is noticeable."
    )
    assert assemble([Described(HANDS.mask, "logical", "…")], []) == ""


def test_kept_masks_come_before_texts_whose_mask_is_dropped() -> None:
    dropped = Described(HANDS.mask, "structural", "Two hands are fused", mask_kept=False)
    assert assemble([dropped, TIPS], []).startswith("Lower right")


def test_the_effect_is_the_lower_median() -> None:
    given: list[list[int]] = [[3], [2, 0], [0, 3, 1], [1, 2, 0, 3], []]
    assert [effect_of(each) for each in given] == ["unusable", "slight", "noticeable", "noticeable", ""]


def test_a_check_is_complete_once_everything_is_judged() -> None:
    answer = CHECK.clean(check("111100"))
    assert CHECK.ratings(answer, {}) == (
        ("masks_kept", "", Fraction(2)),
        ("texts_kept", "", Fraction(2)),
        ("votes", "", Fraction(0b111100)),
    )
    assert CHECK.clean(answer.payload()).payload() == answer.payload()
    partly = check("111100") | {"answers": {"A1_mask": "keep", "C1_mask": "keep"}}
    assert CHECK.clean(partly, complete=False).payload()["answers"] == {"A1_mask": "keep"}
    with pytest.raises(InvalidPayload) as refused:
        CHECK.clean(partly)
    assert refused.value.errors[""] == ["Not submitted: A1, B1 and B2 are not judged."]


def test_given_things_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidPayload, match="two have the key A1"):
        CHECK.clean({"items": [ITEMS[0], ITEMS[0]]}, complete=False)
    with pytest.raises(InvalidPayload, match="expected objects with a key such as A1"):
        CHECK.clean({"items": ["A1", {"key": "1A"}]}, complete=False)


def test_a_check_is_decided_by_majority_or_expert() -> None:
    assert CHECK.decide is not None
    alike, apart = [check("111100")] * 3, [check("111100"), check("111100"), check("110011")]
    assert CHECK.decide(alike, 3, None) == CHECK.decide(apart, 3, None) == 2
    assert CHECK.decide(apart, 3, Fraction(1)) == 1
    assert CHECK.decide(alike[:2], 3, None) is None
    of_others = [*alike[:2], check("111100", made_from="0000")]
    assert CHECK.decide(of_others, 3, None) is None


WORDS = {"A": ACCEPT, "R": REJECT, "U": "cannot_judge"}
IMAGES = ("RRR", "AAA", "ARR", "RRR", "AAR", "AAA", "RRU", "RR")
EXPERT = {2: Fraction(1), 4: Fraction(0)}


def decided(votes: str, expert: Fraction | None = None) -> Fraction | None:
    assert VERDICT.decide is not None
    return VERDICT.decide([{"answers": {"verdict": WORDS[vote]}} for vote in votes], 3, expert)


def test_the_worked_images_are_decided() -> None:
    found = [decided(votes, EXPERT.get(at)) for at, votes in enumerate(IMAGES)]
    assert found == [1, 0, 1, 1, 0, 0, None, None]


def test_an_expert_does_not_outvote_those_who_agree() -> None:
    assert decided("RRR", Fraction(0)) == 1
    assert decided("AR", Fraction(0)) is None
    assert decided("UUU") is None
    assert decided("UUU", Fraction(1)) == 1


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
