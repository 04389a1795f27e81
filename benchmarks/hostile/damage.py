"""Damage to files in transit."""

from __future__ import annotations

import random


def shortened(chance: random.Random, whole: bytes) -> bytes:
    """Return the beginning of a file."""
    return whole[: chance.randrange(len(whole))]


def flipped(chance: random.Random, whole: bytes, most: int) -> bytes:
    """Return a file with fewer than `most` changed bytes."""
    changed = bytearray(whole)
    for _ in range(chance.randrange(1, most)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)
