"""What differs between two contents of a guideline, word by word.

Comparing takes up to the cube of the number of words if these repeat, so its steps are counted: a text that
would take too many is compared line by line, and then as a whole.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import accumulate
from typing import Final, Literal

from annotator.guidelines.content import Content, Decision, Example
from annotator.protocols.page import Guide

MOST_STEPS: Final = 5_000_000
"""Steps of all texts of a page, under a second; a rewritten text of 6,000 characters takes 50,000."""
MOST_STEPS_OF_TEXT: Final = 500_000
_WORDS: Final = re.compile(r"(?<!\s)\s*\S+")
_LINES: Final = re.compile(r"(?<!\s)\s*\S+(?:[^\S\n]+\S+)*")
"""Each a run of words, so that the words of a line are words of the text. A run of spaces without a word is
searched once, not once for each space.
"""
_FEWEST_SAME: Final = 3
"""Fewer unchanged words between two changes are shown as changed, because the eye reads them so."""
Kind = Literal["same", "added", "removed"]


@dataclass(frozen=True)
class Piece:
    """A run of text that is in both contents, only in the later, or only in the earlier one."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Difference:
    """One text, decision or example that differs."""

    title: str
    pieces: Sequence[Piece]


@dataclass
class Steps:
    """The steps left for the texts of a page."""

    left: int = MOST_STEPS


class _TooManySteps(Exception):
    """The texts are not worth comparing so finely."""


class _Matcher(SequenceMatcher[str]):
    """Takes from `steps` before each search the units and pairs of equal units that it may look at."""

    def __init__(self, before: Sequence[str], after: Sequence[str], steps: Steps) -> None:
        super().__init__(None, before, after, autojunk=False)
        self._steps, self._left = steps, MOST_STEPS_OF_TEXT
        times = Counter(after)
        self._pairs = list(accumulate((1 + times[one] for one in before), initial=0))

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        taken = self._pairs[-1 if ahi is None else ahi] - self._pairs[alo]
        if taken > min(self._left, self._steps.left):
            raise _TooManySteps
        self._left -= taken
        self._steps.left -= taken
        return super().find_longest_match(alo, ahi, blo, bhi)


def differences(earlier: Content, later: Content, guide: Guide) -> list[Difference]:
    """Return what differs, in the order of the guide: texts, decisions, examples, drawings."""
    steps = Steps()
    found = [
        Difference(
            block.title, words(earlier.texts.get(block.key, ""), later.texts.get(block.key, ""), steps)
        )
        for block in guide.blocks
    ]
    topics = guide.topics
    found += _entries(
        "Decision",
        [_decision(one, topics) for one in earlier.decisions],
        [_decision(one, topics) for one in later.decisions],
        steps,
    )
    found += _entries(
        "Example",
        [_example(one, guide) for one in earlier.examples],
        [_example(one, guide) for one in later.examples],
        steps,
    )
    drawn = [("Shown" if one.drawn else "Hidden") for one in (earlier, later)]
    found.append(Difference("Drawn examples", words(drawn[0], drawn[1], steps)))
    return [one for one in found if any(piece.kind != "same" for piece in one.pieces)]


def words(earlier: str, later: str, steps: Steps | None = None) -> list[Piece]:
    """Return the pieces of two texts, word by word; where that takes too many steps, line by line."""
    steps = steps or Steps()
    try:
        return _compared(_WORDS, earlier, later, steps, _FEWEST_SAME)
    except _TooManySteps:
        pieces: list[Piece] = []
    for piece in _compared_or_whole(_LINES, earlier, later, steps, 1):
        if piece.kind == "added" and pieces and pieces[-1].kind == "removed":
            pieces += _compared_or_whole(_WORDS, pieces.pop().text, piece.text, steps, _FEWEST_SAME)
        else:
            pieces.append(piece)
    return pieces


def _compared_or_whole(
    units: re.Pattern[str], earlier: str, later: str, steps: Steps, fewest: int
) -> list[Piece]:
    try:
        return _compared(units, earlier, later, steps, fewest)
    except _TooManySteps:
        return [piece for piece in (Piece("removed", earlier), Piece("added", later)) if piece.text]


def _compared(units: re.Pattern[str], earlier: str, later: str, steps: Steps, fewest: int) -> list[Piece]:
    before, after = units.findall(earlier), units.findall(later)
    if before == after:
        # Also once no steps are left.
        return [Piece("same", "".join(before))] if before else []
    runs = [
        (one.a, one.b, one.size)
        for one in _Matcher(before, after, steps).get_matching_blocks()
        if one.size >= fewest
        or one.a == one.b == 0
        or (one.a + one.size, one.b + one.size) == (len(before), len(after))
    ]
    pieces: list[Piece] = []
    i = k = 0
    for at, there, size in [*runs, (len(before), len(after), 0)]:
        pieces += [Piece("removed", "".join(before[i:at]))] if i < at else []
        pieces += [Piece("added", "".join(after[k:there]))] if k < there else []
        pieces += [Piece("same", "".join(before[at : at + size]))] if size else []
        i, k = at + size, there + size
    return pieces


def _entries(title: str, earlier: Sequence[str], later: Sequence[str], steps: Steps) -> list[Difference]:
    """Compare lists entry by entry; entries that were replaced by as many are compared word by word."""
    found = []
    for tag, i, j, k, m in SequenceMatcher(None, earlier, later, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        both = min(j - i, m - k)
        found += [Difference(title, words(earlier[i + at], later[k + at], steps)) for at in range(both)]
        found += [Difference(title, [Piece("removed", text)]) for text in earlier[i + both : j]]
        found += [Difference(title, [Piece("added", text)]) for text in later[k + both : m]]
    return found


def _decision(one: Decision, topics: Mapping[str, str]) -> str:
    return f"{topics.get(one.about, 'Everything')}: {one.text}"


def _example(one: Example, guide: Guide) -> str:
    shown = ", ".join(guide.titles.get(name, name) for name in one.components)
    marks = ", ".join(str(mark["text"]) for mark in one.marks)
    about = f"Image {one.image[:8]}, {shown}" + (f" ({marks})" if marks else "")
    return f"{about}: {one.caption}" if one.caption else about
