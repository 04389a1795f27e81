"""The content of a guideline: texts, decisions and examples, checked against its limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Final, Self
from uuid import UUID

from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.inputs.refusal import Refusal
from annotator.protocols.page import Guide

LONGEST_TEXT: Final = 6_000
LONGEST_DECISION: Final = 1_000
LONGEST_CAPTION: Final = 300
MOST_DECISIONS: Final = 200
MOST_EXAMPLES: Final = 60


class GuidelineRefused(Refusal, ValueError):
    """The guideline cannot be stored or published; the message says what to change."""


@dataclass(frozen=True)
class Decision:
    """One ruling: Markdown, what it is `about` (a block or component of the guide; empty: everything) and
    the ISO date it was made."""

    text: str
    about: str = ""
    made_on: str = ""


@dataclass(frozen=True)
class Example:
    """An adjudicated image as example of one or more components.

    `marks` and `adjudication`, its version, are filled when the guideline is published: marks as
    `{"component", "title", "text", "pins"}` with pins from 0 to 1.
    """

    image: str
    components: tuple[str, ...]
    caption: str = ""
    adjudication: int = 0
    marks: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Content:
    """A guideline. `texts` are Markdown by block, complete once checked. `drawn`: show our drawings."""

    texts: Mapping[str, str] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    examples: tuple[Example, ...] = ()
    drawn: bool = True

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """Return the content that `as_json` wrote."""
        return cls(
            texts=dict(stored.get("texts", {})),
            decisions=tuple(Decision(**decision) for decision in stored.get("decisions", ())),
            examples=tuple(
                Example(
                    **{
                        **example,
                        "components": tuple(example["components"]),
                        "marks": tuple(example["marks"]),
                    }
                )
                for example in stored.get("examples", ())
            ),
            drawn=bool(stored.get("drawn", True)),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the content as JSON to store."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]  # tuples become lists


def ours(guide: Guide) -> Content:
    """Return our guideline, from which every project starts."""
    return Content({block.key: block.text for block in guide.blocks})


def checked(content: Content, guide: Guide) -> Content:
    """Return content as it is stored: normal line ends, the built-in guideline's for empty texts, no empty
    decisions.

    Raises GuidelineRefused, naming the text, what was found and the limit.
    """
    titles = {block.key: block.title for block in guide.blocks}
    texts = {key: tidy(text) for key, text in content.texts.items()}
    for key, text in texts.items():
        if key not in titles:
            raise GuidelineRefused(f"There is no text {key!r} in this guideline.", "unknown-text")
        _require_text(titles[key], text, LONGEST_TEXT)
    decisions = tuple(_decision(decision, guide) for decision in content.decisions if tidy(decision.text))
    examples = tuple(_example(example, guide) for example in content.examples)
    for name, count, most in (
        ("decisions", len(decisions), MOST_DECISIONS),
        ("examples", len(examples), MOST_EXAMPLES),
    ):
        if count > most:
            raise GuidelineRefused(f"There are {count:,} {name}; the limit is {most}.", "too-many")
    if len({example.image for example in examples}) < len(examples):
        raise GuidelineRefused("The same image is an example twice. Name all its cells in one.", "twice")
    whole = {block.key: texts.get(block.key) or block.text for block in guide.blocks}
    return Content(whole, decisions, examples, content.drawn)


def _decision(one: Decision, guide: Guide) -> Decision:
    if one.about and one.about not in guide.topics:
        raise GuidelineRefused(f"A decision is about {one.about!r}, which is not in this guideline.", "about")
    _require_text("A decision", tidy(one.text), LONGEST_DECISION)
    return Decision(tidy(one.text), one.about, _day(one.made_on))


def _example(one: Example, guide: Guide) -> Example:
    try:
        image = str(UUID(one.image))
    except ValueError as error:
        raise GuidelineRefused("An example has no image. Choose the image again.", "no-image") from error
    unknown = [name for name in one.components if name not in guide.components]
    if unknown or not one.components:
        named = repr(unknown[0]) if unknown else "none"
        raise GuidelineRefused(f"Choose the cells that each example shows (found: {named}).", "no-cell")
    caption = " ".join(one.caption.split())
    _require_text("The caption of an example", caption, LONGEST_CAPTION)
    return Example(image, tuple(dict.fromkeys(one.components)), caption, one.adjudication, one.marks)


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return ""


def tidy(text: str) -> str:
    """Return a text with normal line ends and no space around it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _require_text(name: str, text: str, longest: int) -> None:
    if len(text) > longest:
        raise GuidelineRefused(
            f"{name} has {len(text):,} characters; the limit is {longest:,}. Shorten it.", "too-long"
        )
    if turns_text_round(text) or "\0" in text:
        raise GuidelineRefused(f"{name}: {TURNED}", "turned")
