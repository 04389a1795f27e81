"""What differs between two contents of a guideline, word by word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from annotator.guidelines.content import Content, Decision, Example
from annotator.protocols.page import Guide

_WORDS: Final = re.compile(r"\s*\S+")
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


def differences(earlier: Content, later: Content, guide: Guide) -> list[Difference]:
    """Return what differs, in the order of the guide: texts, decisions, examples, drawings."""
    found = [
        Difference(block.title, words(earlier.texts.get(block.key, ""), later.texts.get(block.key, "")))
        for block in guide.blocks
    ]
    topics = guide.topics
    found += _entries(
        "Decision",
        [_decision(one, topics) for one in earlier.decisions],
        [_decision(one, topics) for one in later.decisions],
    )
    found += _entries(
        "Example",
        [_example(one, guide) for one in earlier.examples],
        [_example(one, guide) for one in later.examples],
    )
    drawn = [("Shown" if one.drawn else "Hidden") for one in (earlier, later)]
    found.append(Difference("Drawn examples", words(*drawn)))
    return [one for one in found if any(piece.kind != "same" for piece in one.pieces)]


def words(earlier: str, later: str) -> list[Piece]:
    """Return the pieces of two texts, word by word."""
    before, after = _WORDS.findall(earlier), _WORDS.findall(later)
    runs = [
        (one.a, one.b, one.size)
        for one in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        if one.size >= _FEWEST_SAME
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


def _entries(title: str, earlier: Sequence[str], later: Sequence[str]) -> list[Difference]:
    """Compare lists entry by entry; entries that were replaced by as many are compared word by word."""
    found = []
    for tag, i, j, k, m in SequenceMatcher(None, earlier, later, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        both = min(j - i, m - k)
        found += [Difference(title, words(earlier[i + at], later[k + at])) for at in range(both)]
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
