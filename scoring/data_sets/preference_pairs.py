"""Pairs of images of one prompt with the preference between them, for learning a metric.

Source: the pairs of the BodyRealism data set. Only low (below 3) and high (above 7) scores take part; of a
high and a low image the high one is preferred, two of a kind are a tie. How many of each are drawn, the
seeded draw and the scale of the weights are ours.

Nothing enumerates the pairs of a prompt: they are counted, and those drawn are computed from their number, so
that 30,000 images of one prompt are no more work than the pairs asked for.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Final, Literal

from scoring.data_sets.splits import SPLITS, Split

Kind = Literal["tie", "preferred"]
KINDS: Final[tuple[Kind, ...]] = ("tie", "preferred")
LOW_BELOW, HIGH_ABOVE = 3, 7
MOST_PAIRS: Final = 200_000
"""Pairs of a split, unless a lead sets another limit; the source has 160,000 for training."""


@dataclass(frozen=True)
class Scored:
    """One image with a score; `key` identifies it, such as the SHA-256 of its file."""

    key: str
    prompt: str
    score: Fraction


@dataclass(frozen=True)
class Pair:
    """Two images of a prompt, by key; `preference` is (1, 0), (0, 1) or (½, ½) for A and B.

    `weight` is inversely proportional to the number of pairs of its prompt in the split, with mean 1.
    """

    split: Split
    prompt: str
    kind: Kind
    a: str
    b: str
    preference: tuple[Fraction, Fraction]
    weight: Fraction = Fraction(1)


@dataclass(frozen=True)
class Counted:
    """The pairs of a split: how many are possible and drawn of each kind, from how many prompts and images.

    `low` and `high` count the images that can take part.
    """

    possible: Mapping[Kind, int]
    drawn: int
    prompts: int
    low: int
    high: int

    @property
    def why_empty(self) -> str:
        """Why there are no pairs, as a sentence; empty if there are some."""
        if self.drawn:
            return ""
        if not self.low and not self.high:
            return "No image has a score below 3 or above 7."
        if not self.high:
            return "No image has a score above 7, so none can be preferred."
        if not self.low:
            return "No image has a score below 3, so none is worse than another."
        if not self.possible["preferred"]:
            return "No prompt has both an image below 3 and one above 7."
        return "No prompt has two images below 3 or two above 7, so there are no ties to balance with."


def why_no_pairs(counts: Mapping[Split, Counted]) -> str:
    """Return why no split has a pair, as a sentence; empty if one has."""
    if any(count.drawn for count in counts.values()):
        return ""
    low, high = sum(count.low for count in counts.values()), sum(count.high for count in counts.values())
    whole = Counted({"tie": 0, "preferred": 0}, 0, 0, low, high).why_empty
    if not low or not high:
        return f"There are no pairs: {whole}"
    reasons = " ".join(f"{split.capitalize()}: {count.why_empty}" for split, count in counts.items())
    return f"There are no pairs. {reasons}"


@dataclass(frozen=True)
class _Group:
    """The images of a prompt that take part, each class ordered by key."""

    prompt: str
    low: Sequence[str]
    high: Sequence[str]

    def count(self, kind: Kind) -> int:
        if kind == "preferred":
            return len(self.low) * len(self.high)
        return _two_of(len(self.low)) + _two_of(len(self.high))

    def pair(self, kind: Kind, number: int) -> tuple[str, str]:
        """Return a pair by its number from 0; the preferred image first, of a tie the smaller key."""
        if kind == "preferred":
            place, other = divmod(number, len(self.low))
            return self.high[place], self.low[other]
        lows = _two_of(len(self.low))
        own, rest = (self.low, number) if number < lows else (self.high, number - lows)
        second = (1 + isqrt(8 * rest + 1)) // 2
        return own[rest - _two_of(second)], own[second]


def pairs_of(
    images: Iterable[Scored], splits: Mapping[str, Split], *, seed: int, most: int = MOST_PAIRS
) -> tuple[dict[Split, Counted], Iterator[Pair]]:
    """Return the counts of each split, and its pairs: as many ties as preferences, at most `most` together.

    `splits` are the prompts' splits; images of other prompts take no part. Order of images does not matter.
    """
    groups = _groups(images)
    counts: dict[Split, Counted] = {}
    shares: dict[Split, dict[Kind, dict[str, int]]] = {}
    for split in SPLITS:
        own = [group for group in groups if splits.get(group.prompt) == split]
        possible = {kind: sum(group.count(kind) for group in own) for kind in KINDS}
        size = min(*possible.values(), most // 2)
        shares[split] = {
            kind: spread({group.prompt: group.count(kind) for group in own}, size, f"{seed}|{kind}")
            for kind in KINDS
        }
        taking_part = {prompt for share in shares[split].values() for prompt, n in share.items() if n}
        low, high = sum(len(group.low) for group in own), sum(len(group.high) for group in own)
        counts[split] = Counted(possible, 2 * size, len(taking_part), low, high)
    return counts, _drawn(groups, splits, shares, seed)


def _drawn(
    groups: Sequence[_Group],
    splits: Mapping[str, Split],
    shares: Mapping[Split, Mapping[Kind, Mapping[str, int]]],
    seed: int,
) -> Iterator[Pair]:
    for split in SPLITS:
        own = [group for group in groups if splits.get(group.prompt) == split]
        sizes = {
            group.prompt: sum(shares[split][kind].get(group.prompt, 0) for kind in KINDS) for group in own
        }
        drawn, prompts = sum(sizes.values()), sum(1 for size in sizes.values() if size)
        for group in own:
            if not sizes[group.prompt]:
                continue
            # Each prompt weighs the same: the weights 1/size sum to the number of prompts.
            weight = Fraction(drawn, prompts * sizes[group.prompt])
            for kind in KINDS:
                wanted = shares[split][kind].get(group.prompt, 0)
                name = f"{seed}|{kind}|{group.prompt}"
                for number in chosen(group.count(kind), wanted, name):
                    yield replace(_sided(split, group, kind, number, seed), weight=weight)


def _sided(split: Split, group: _Group, kind: Kind, number: int, seed: int) -> Pair:
    first, second = group.pair(kind, number)
    given = (Fraction(1), Fraction(0)) if kind == "preferred" else (Fraction(1, 2), Fraction(1, 2))
    if _number(f"{seed}|side|{first}|{second}") % 2:
        return Pair(split, group.prompt, kind, second, first, (given[1], given[0]))
    return Pair(split, group.prompt, kind, first, second, given)


def _groups(images: Iterable[Scored]) -> list[_Group]:
    low: dict[str, list[str]] = {}
    high: dict[str, list[str]] = {}
    for image in images:
        if not LOW_BELOW <= image.score <= HIGH_ABOVE:
            (low if image.score < LOW_BELOW else high).setdefault(image.prompt, []).append(image.key)
    prompts = sorted({*low, *high})
    return [_Group(p, sorted(low.get(p, ())), sorted(high.get(p, ()))) for p in prompts]


def spread(there: Mapping[str, int], size: int, name: str) -> dict[str, int]:
    """Return how many to draw of each prompt: as evenly as its number allows, `size` in all.

    Prompts are filled to a common level; what remains goes to the first prompts by the SHA-256 of
    `name|prompt`. Raise ValueError if there are fewer than `size`.
    """
    if size > sum(there.values()):
        raise ValueError(f"{size} cannot be drawn from {sum(there.values())}")
    level, left, used = 0, size, 0
    steps = Counter(there.values())
    open_prompts = sum(count for number, count in steps.items() if number)
    for number in sorted(number for number in steps if number):
        gain = (number - level) * open_prompts
        if gain > left:
            break
        left, level = left - gain, number
        open_prompts -= steps[number]
    if open_prompts:
        more, used = divmod(left, open_prompts)
        level += more
    numbers = {prompt: min(number, level) for prompt, number in there.items()}
    further = sorted(
        (prompt for prompt, number in there.items() if number > level),
        key=lambda prompt: _digest(f"{name}|{prompt}"),
    )
    for prompt in further[:used]:
        numbers[prompt] += 1
    return numbers


def chosen(of: int, wanted: int, name: str) -> list[int]:
    """Return `wanted` different numbers below `of` in ascending order, drawn by the SHA-256 of `name|0`, …

    Of more than half, those left out are drawn instead, so that the draw ends soon.
    """
    few = min(wanted, of - wanted)
    places: set[int] = set()
    turn = 0
    while len(places) < few:
        places.add(_number(f"{name}|{turn}") % of)
        turn += 1
    return sorted(places) if few == wanted else [number for number in range(of) if number not in places]


def _two_of(number: int) -> int:
    return number * (number - 1) // 2


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _number(text: str) -> int:
    return int.from_bytes(_digest(text)[:8])
