"""What differs between two contents of a guideline, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from typing import Final

from annotator.guidelines.content import Content, Decision, Example
from annotator.protocols.page import Guide

MOST_LINES: Final = 400
"""Comparing takes up to the cube of the number of lines if these repeat; longer texts are shown whole."""


def differences(earlier: Content, later: Content, guide: Guide) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return what differs, in the order of the guide: texts, decisions, examples, drawings.

    Each is a title and pieces of lines: `same`, `removed` or `added`, and their text.
    """
    before, after = (_texts(content, guide) for content in (earlier, later))
    return [
        (title, _pieces(old, new)) for (title, old), (_, new) in zip(before, after, strict=True) if old != new
    ]


def _pieces(earlier: str, later: str) -> list[tuple[str, str]]:
    before, after = earlier.splitlines(keepends=True), later.splitlines(keepends=True)
    if max(len(before), len(after)) > MOST_LINES:
        before, after = [earlier], [later]
    pieces: list[tuple[str, str]] = []
    for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after).get_opcodes():
        removed, added = "".join(before[start:end]), "".join(after[new_start:new_end])
        both = [("removed", removed), ("added", added)]
        pieces += [("same", removed)] if tag == "equal" else [piece for piece in both if piece[1]]
    return pieces


def _texts(content: Content, guide: Guide) -> list[tuple[str, str]]:
    return [
        *((block.title, content.texts.get(block.key, "")) for block in guide.blocks),
        ("Decisions", _listed(_decision(decision, guide.topics) for decision in content.decisions)),
        ("Examples", _listed(_example(example, guide) for example in content.examples)),
        ("Drawn examples", "Shown" if content.drawn else "Hidden"),
    ]


def _listed(entries: Iterable[str]) -> str:
    return "".join(f"{entry}\n" for entry in entries)


def _decision(one: Decision, topics: Mapping[str, str]) -> str:
    return f"{topics.get(one.about, 'Everything')}: {one.text}"


def _example(one: Example, guide: Guide) -> str:
    shown = ", ".join(guide.titles.get(name, name) for name in one.components)
    marks = ", ".join(str(mark["text"]) for mark in one.marks)
    about = f"Image {one.image[:8]}, {shown}" + (f" ({marks})" if marks else "")
    return f"{about}: {one.caption}" if one.caption else about
