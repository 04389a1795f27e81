"""Splits of a data set into training, validation and test, by prompt, so that no prompt is in two.

The prompts that a lead names are in the split named; the others are drawn by the SHA-256 of seed and prompt.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

Split = Literal["train", "validation", "test"]
SPLITS: Final[tuple[Split, ...]] = ("train", "validation", "test")


class InvalidSplits(ValueError):
    """Splits that cannot be made; the message names the prompt, image or share."""


def draw_of(seed: int, prompt: str) -> float:
    """Return a number from 0 to below 1: the first 8 hexadecimal digits of SHA-256(`seed|prompt`) / 2³²."""
    return int(hashlib.sha256(f"{seed}|{prompt}".encode()).hexdigest()[:8], 16) / 2**32


@dataclass(frozen=True)
class Splitting:
    """Seed, shares of validation and test, and named prompts; the rest is for training.

    A prompt is in the test split if its number is below the share of test, in validation if it is below both
    together. Raise InvalidSplits for shares that are negative or leave nothing for training.
    """

    seed: int = 1
    validation: float = 0.1
    test: float = 0.1
    named: Mapping[str, Split] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shares = (self.validation, self.test)
        if not all(math.isfinite(share) and 0 <= share < 1 for share in shares) or sum(shares) >= 1:
            raise InvalidSplits(
                f"The shares of validation ({self.validation:g}) and test ({self.test:g}) must be from 0 and "
                "leave a share for training."
            )

    def split_of(self, prompt: str) -> Split:
        """Return the split of a prompt."""
        if prompt in self.named:
            return self.named[prompt]
        draw = draw_of(self.seed, prompt)
        if draw < self.test:
            return "test"
        return "validation" if draw < self.test + self.validation else "train"


def named_prompts(given: Mapping[Split, Iterable[str]]) -> dict[str, Split]:
    """Return the split of each named prompt; raise InvalidSplits for a prompt named in two splits."""
    splits: dict[str, Split] = {}
    for split, prompts in given.items():
        for prompt in prompts:
            if splits.setdefault(prompt, split) != split:
                raise InvalidSplits(
                    f"The prompt “{prompt[:120]}” is named in {splits[prompt]} and in {split}. Name it once."
                )
    return splits
