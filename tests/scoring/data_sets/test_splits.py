"""Splits by prompt: the worked numbers, named prompts, and what may not be in two splits."""

from __future__ import annotations

import pytest

from scoring.data_sets.splits import (
    InvalidSplits,
    Splitting,
    draw_of,
    named_prompts,
)


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


def test_shares_are_about_as_asked() -> None:
    splits = Splitting(seed=1, validation=0.1, test=0.2)
    found = [splits.split_of(f"prompt {number}") for number in range(10_000)]
    assert abs(found.count("test") - 2000) < 150
    assert abs(found.count("validation") - 1000) < 120


@pytest.mark.parametrize("shares", [(-0.1, 0.1), (0.5, 0.5), (float("nan"), 0.1), (0.1, 1.0)])
def test_shares_that_leave_nothing_for_training(shares: tuple[float, float]) -> None:
    with pytest.raises(InvalidSplits, match="leave a share for training"):
        Splitting(validation=shares[0], test=shares[1])


def test_a_prompt_named_twice() -> None:
    assert named_prompts({"test": ["a", "a"], "validation": ["b"]}) == {"a": "test", "b": "validation"}
    with pytest.raises(InvalidSplits, match="“a” is named in test and in validation"):
        named_prompts({"test": ["a"], "validation": ["a"]})
