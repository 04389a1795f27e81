"""Filters, splits and preference pairs of a data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.data_sets.filters import Detected, Filters, InvalidFilter, holds_one
from scoring.data_sets.preference_pairs import Pair, Scored, pairs_of, spread
from scoring.data_sets.splits import SPLITS, InvalidSplits, Split, Splitting, draw_of, named_prompts
from scoring.realism.consolidation import class_of

FINE = Detected(3, 3, 0.98, 0.8999)


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (FINE, ()),
        (None, ()),
        (Detected(), ()),
        (Detected(4, 3, 0.98, 0.0), ("persons",)),
        (Detected(3, 4, 0.98, 0.0), ("classes",)),
        (Detected(1, 1, 0.9799, 0.0), ("confidence",)),
        (Detected(1, 1, 0.98, 0.9), ("moderation",)),
        (Detected(9, 9, 0.0, 1.0), ("persons", "classes", "confidence", "moderation")),
    ],
)
def test_the_published_limits_are_the_defaults(found: Detected | None, reasons: tuple[str, ...]) -> None:
    assert Filters().reasons(found, "a cat") == reasons


def test_words_are_whole_words_in_any_case() -> None:
    asked = Filters(words=("person", "woman", "man", "girl", "boy", "child"))
    assert asked.reasons(FINE, "A Woman, leading a horse") == ()
    assert asked.reasons(FINE, "a snowman and a mandolin") == ("words",)
    assert asked.reasons(FINE, "a snowman", real=True) == ()
    assert holds_one("das Mädchen", ["MÄDCHEN"])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("most_persons", -1),
        ("most_classes", 1001),
        ("least_confidence", float("nan")),
        ("moderation_from", 1.5),
        ("words", ("a b",)),
        ("words", tuple(f"w{n}" for n in range(51))),
    ],
)
def test_limits_that_cannot_be_used(field: str, value: object) -> None:
    with pytest.raises(InvalidFilter) as refused:
        Filters(**{field: value})  # type: ignore[arg-type]
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("prompt", "draw"),
    [
        ("a ballerina dancing", 0.282975),
        ("a man holding an umbrella", 0.951863),
        ("a woman leading a horse", 0.517393),
    ],
)
def test_the_worked_numbers(prompt: str, draw: float) -> None:
    assert round(draw_of(7, prompt), 6) == draw


def test_a_prompt_is_in_the_split_of_its_number_unless_it_is_named() -> None:
    splits = Splitting(seed=7, validation=0.3, test=0.25, named={"a woman leading a horse": "test"})
    prompts = ("a ballerina dancing", "a man holding an umbrella", "a woman leading a horse")
    assert [splits.split_of(prompt) for prompt in prompts] == ["validation", "train", "test"]


@pytest.mark.parametrize("shares", [(-0.1, 0.1), (0.5, 0.5), (float("nan"), 0.1), (0.1, 1.0)])
def test_shares_that_leave_nothing_for_training(shares: tuple[float, float]) -> None:
    with pytest.raises(InvalidSplits, match="leave a share for training"):
        Splitting(validation=shares[0], test=shares[1])


def test_a_prompt_named_twice() -> None:
    assert named_prompts({"test": ["a", "a"], "validation": ["b"]}) == {"a": "test", "b": "validation"}
    with pytest.raises(InvalidSplits, match="“a” is named in test and in validation"):
        named_prompts({"test": ["a"], "validation": ["a"]})


WORKED = {
    "p1": {"i1": "1.5", "i2": "2.5", "i3": "7.5", "i4": "9", "i5": "5"},
    "p2": {"i6": "2", "i7": "8.5", "i8": "3.0", "i9": "7.0"},
}
IMAGES = [Scored(key, p, Fraction(score)) for p, own in WORKED.items() for key, score in own.items()]
TRAIN: dict[str, Split] = {"p1": "train", "p2": "train"}
TIES = {frozenset(pair) for pair in (("i1", "i2"), ("i3", "i4"))}
NON_TIES = {
    frozenset(pair) for pair in (("i1", "i3"), ("i1", "i4"), ("i2", "i3"), ("i2", "i4"), ("i6", "i7"))
}


def of_kind(pairs: Iterable[Pair], kind: str) -> set[frozenset[str]]:
    return {frozenset((pair.a, pair.b)) for pair in pairs if pair.kind == kind}


def test_the_worked_example() -> None:
    counts, found = pairs_of(IMAGES, TRAIN, seed=7)
    pairs = list(found)
    assert counts["train"].possible == {"tie": 2, "preferred": 5}
    assert (counts["train"].low, counts["train"].high, counts["train"].drawn) == (3, 3, 4)
    assert of_kind(pairs, "tie") == TIES
    preferred = of_kind(pairs, "preferred")
    # Two of five, spread over both prompts.
    assert len(preferred) == 2
    assert preferred < NON_TIES
    assert frozenset(("i6", "i7")) in preferred
    assert [counts[split].drawn for split in SPLITS] == [4, 0, 0]


def test_the_preferred_image_is_high_and_sides_are_swapped_by_seed() -> None:
    scores = {image.key: image.score for image in IMAGES}
    sides = Counter[tuple[Fraction, Fraction]]()
    for seed in range(40):
        for pair in pairs_of(IMAGES, TRAIN, seed=seed)[1]:
            if pair.kind == "tie":
                assert pair.preference == (Fraction(1, 2), Fraction(1, 2))
                continue
            better = pair.a if pair.preference[0] == 1 else pair.b
            assert class_of(scores[better]) == "high"
            assert sorted(pair.preference) == [0, 1]
            sides[pair.preference] += 1
    assert 20 < sides[Fraction(1), Fraction(0)] < 60  # of 80


def test_weights_are_inverse_to_the_pairs_of_a_prompt_with_mean_one() -> None:
    pairs = list(pairs_of(IMAGES, TRAIN, seed=7)[1])
    by_prompt = Counter(pair.prompt for pair in pairs)
    assert by_prompt == {"p1": 3, "p2": 1}
    assert {pair.weight for pair in pairs if pair.prompt == "p1"} == {Fraction(2, 3)}
    assert {pair.weight for pair in pairs if pair.prompt == "p2"} == {Fraction(2)}
    assert sum(pair.weight for pair in pairs) == len(pairs)


@pytest.mark.parametrize(
    ("scores", "why"),
    [
        (["5", "3", "7"], "No image has a score below 3 or above 7."),
        (["1", "2"], "No image has a score above 7, so none can be preferred."),
        (["8", "9"], "No image has a score below 3, so none is worse than another."),
        (
            ["1", "9"],
            "No prompt has two images below 3 or two above 7, so there are no ties to balance with.",
        ),
    ],
)
def test_no_pairs_say_why(scores: list[str], why: str) -> None:
    images = [Scored(f"i{n}", "p1", Fraction(score)) for n, score in enumerate(scores)]
    counts, pairs = pairs_of(images, TRAIN, seed=1)
    assert list(pairs) == []
    assert counts["train"].why_empty == why


def test_classes_in_different_prompts_give_no_preference() -> None:
    images = [Scored(f"{p}{n}", p, Fraction(s)) for p, s in (("p1", 1), ("p2", 9)) for n in range(2)]
    counts, _ = pairs_of(images, TRAIN, seed=1)
    assert counts["train"].why_empty == "No prompt has both an image below 3 and one above 7."


def test_one_prompt_with_30_000_images_is_not_enumerated() -> None:
    images = [Scored(f"{n:05}", "p1", Fraction(1 if n % 2 else 9)) for n in range(30_000)]
    counts, found = pairs_of(images, TRAIN, seed=1, most=1000)
    pairs = list(found)
    assert counts["train"].possible == {"tie": 224_985_000, "preferred": 225_000_000}
    assert Counter(pair.kind for pair in pairs) == {"tie": 500, "preferred": 500}
    assert len({frozenset((pair.a, pair.b)) for pair in pairs}) == 1000


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=9), st.data())
def test_spread_is_as_even_as_the_numbers_allow(there: dict[str, int], data: st.DataObject) -> None:
    size = data.draw(st.integers(0, sum(there.values())))
    found = spread(there, size, "1|tie")
    assert sum(found.values()) == size
    assert all(found[prompt] <= number for prompt, number in there.items())
    most = max(found.values(), default=0)
    assert all(found[p] >= most - 1 for p, number in there.items() if found[p] < number)
    with pytest.raises(ValueError, match="cannot be drawn"):
        spread(there, sum(there.values()) + 1, "1|tie")
