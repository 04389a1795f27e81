"""The form of a guideline's draft: read from a request, and merged with another lead's change."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.http import QueryDict
from django.utils import timezone

from annotator.guidelines.content import MOST_DECISIONS, MOST_EXAMPLES, Content, Decision, Example
from annotator.protocols.page import Guide


def content_in(sent: QueryDict, guide: Guide) -> Content:
    """Return the content of the form, unchecked; new decisions are dated today."""
    return Content(
        {block.key: sent.get(f"text.{block.key}", "") for block in guide.blocks},
        tuple(_decisions(sent)),
        tuple(_examples(sent)),
        "drawn" in sent,
    )


def text_fields(
    content: Content, guide: Guide, was: Mapping[str, str], clashes: Mapping[str, str]
) -> list[dict[str, str]]:
    """Return the texts for display; `was` are the digests of what they were when the page was loaded.

    After a conflict, `theirs` is the other lead's text.
    """
    return [
        {
            "key": block.key,
            "title": block.title,
            "text": content.texts.get(block.key, ""),
            "was": was.get(block.key, ""),
            "theirs": clashes.get(block.key, ""),
        }
        for block in guide.blocks
    ]


def list_digest(content: Content) -> str:
    """Return the digest of decisions and examples together."""
    bare = [replace(example, marks=(), adjudication=0) for example in content.examples]
    return digest(f"{content.decisions}{bare}{content.drawn}")


def merged_with(theirs: Content, mine: Content, sent: QueryDict) -> tuple[Content, dict[str, Any]]:
    """Merge my form with the draft another lead has stored, so that nothing of either is lost.

    A text that I have not changed becomes theirs; a text that both changed stays mine and is a clash. Of
    decisions and examples changed by both, all are kept. Also returns `clashes`, and whether
    `both_lists` have changed.
    """
    texts = dict(mine.texts)
    clashes: dict[str, str] = {}
    merged = {"clashes": clashes, "both_lists": False}
    for key, other in theirs.texts.items():
        was, own = sent.get(f"was.{key}", ""), texts.get(key, "")
        if digest(own) == was:
            texts[key] = other
        elif digest(other) != was and digest(other) != digest(own):
            clashes[key] = other
    was = sent.get("was.lists", "")
    if list_digest(mine) == was:
        return Content(texts, theirs.decisions, theirs.examples, theirs.drawn), merged
    if list_digest(theirs) in (was, list_digest(mine)):
        return Content(texts, mine.decisions, mine.examples, mine.drawn), merged
    decisions = tuple(dict.fromkeys((*theirs.decisions, *mine.decisions)))
    named = {example.image for example in mine.examples}
    examples = (*(example for example in theirs.examples if example.image not in named), *mine.examples)
    return Content(texts, decisions, examples, mine.drawn), {**merged, "both_lists": True}


def digest(text: str) -> str:
    """Return a short digest of a text, whatever its line ends."""
    return hashlib.sha256(text.replace("\r\n", "\n").strip().encode()).hexdigest()[:16]


def _decisions(sent: QueryDict) -> Iterable[Decision]:
    today = timezone.localdate().isoformat()
    for place in _places(sent, "decision", MOST_DECISIONS):
        text = sent.get(f"decision.{place}.text", "").replace("\r\n", "\n").strip()
        made_on = sent.get(f"decision.{place}.made_on", "")[:10]
        if text:
            yield Decision(text, sent.get(f"decision.{place}.about", ""), made_on or today)


def _examples(sent: QueryDict) -> Iterable[Example]:
    for place in _places(sent, "example", MOST_EXAMPLES):
        image = sent.get(f"example.{place}.image", "")
        if image and f"example.{place}.remove" not in sent:
            cells = tuple(sent.getlist(f"example.{place}.cells"))
            yield Example(image, cells, sent.get(f"example.{place}.caption", ""))


def _places(sent: Mapping[str, Any], name: str, most: int) -> list[int]:
    """Return the numbers of the form's rows; a few more than allowed, so that the limit is reported."""
    places = {key.split(".")[1] for key in sent if key.startswith(f"{name}.") and key.count(".") == 2}
    return sorted(int(place) for place in places if place.isascii() and place.isdigit() and len(place) < 6)[
        : 2 * most
    ]
