"""Random numbers from a seed and a label, the same on every machine and Python version."""

from __future__ import annotations

from hashlib import sha256
from random import Random
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """Random integers for one purpose.

    Only `Random.getrandbits` is used, which returns the bits of the Mersenne Twister; `shuffle`, `choice` and
    `randrange` have changed between versions of Python.
    """

    def __init__(self, seed: int, *labels: str) -> None:
        text = "\0".join([str(seed), *labels])
        digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
        self._bits = Random(int.from_bytes(digest, "big")).getrandbits  # noqa: S311

    def below(self, bound: int) -> int:
        """Return a number from 0 to bound - 1, uniformly; bound is at least 1."""
        width = (bound - 1).bit_length()
        number = self._bits(width)
        while number >= bound:
            number = self._bits(width)
        return number

    def shuffle(self, items: list[T]) -> None:
        """Shuffle the items in place (Fisher-Yates)."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def shuffled(self, items: list[T]) -> list[T]:
        """Return the items in a random order."""
        copy = list(items)
        self.shuffle(copy)
        return copy
