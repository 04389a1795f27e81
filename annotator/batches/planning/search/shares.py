"""Shares per annotator, as even as earlier images and limits allow."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from annotator.batches.planning.randomness import Stream


def level(held: Sequence[int], limits: Sequence[int], amount: int) -> list[Fraction]:
    """Share `amount` so that held + share is as even as possible, 0 <= share <= limit (water filling).

    The limits must have room for the amount.
    """
    # The level rises from one corner (an annotator starts to take, or is full) to the next.
    corners = sorted({value for low, room in zip(held, limits, strict=True) for value in (low, low + room)})
    height = Fraction(corners[0])
    for below, above in pairwise(corners):
        taking = sum(
            1 for low, room in zip(held, limits, strict=True) if low <= below and above <= low + room
        )
        filled = sum(_taken(low, room, Fraction(below)) for low, room in zip(held, limits, strict=True))
        if filled + taking * (above - below) >= amount:
            height = below + (Fraction(amount) - filled) / taking if taking else Fraction(below)
            break
        height = Fraction(above)
    return [_taken(low, room, height) for low, room in zip(held, limits, strict=True)]


def _taken(low: int, room: int, height: Fraction) -> Fraction:
    return min(Fraction(room), max(Fraction(0), height - low))


def whole(shares: Sequence[Fraction], stream: Stream) -> list[int]:
    """Round shares with a whole sum down or up; ties between equal fractions are random."""
    floors = [share.numerator // share.denominator for share in shares]
    missing = int(sum(shares)) - sum(floors)
    order = list(range(len(shares)))
    stream.shuffle(order)
    order.sort(key=lambda index: floors[index] - shares[index])
    for index in order[:missing]:
        floors[index] += 1
    return floors
