"""The form of a guideline's draft, read from a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
