"""What happens to any file on its way."""

from __future__ import annotations

import random


def shortened(chance: random.Random, whole: bytes) -> bytes:
    """Return the beginning of a file."""
    return whole[: chance.randrange(len(whole))]


def flipped(chance: random.Random, whole: bytes, most: int) -> bytes:
    """Return a file in which fewer than `most` bytes are others."""
    changed = bytearray(whole)
    for _ in range(chance.randrange(1, most)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)
