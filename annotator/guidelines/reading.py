"""A published guideline as pages and the annotation page read it, and as Markdown.

markdown-it-py reads CommonMark without HTML and without images; nh3 then keeps only the listed elements, so
that a mistake in one of the two is not enough for a script.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from annotator.guidelines.content import Content
from annotator.guidelines.examples import shown_to
from annotator.guidelines.publishing import in_force
from annotator.models import GuidelineVersion, Membership, Project, User
from annotator.protocols.page import Guide, OwnGuide
from annotator.protocols.registry import page_of

DEEPEST: Final = 12
"""Nested lists and quotes; what is deeper is left out."""
ELEMENTS: Final = frozenset(
    {"p", "br", "hr", "strong", "em", "code", "pre", "blockquote", "ul", "ol", "li", "a", "h3"}
)
SCHEMES: Final = frozenset({"http", "https", "mailto"})
_ENDS: Final = re.compile(r"</(?:p|li|h3|pre|blockquote)>|<br>|<hr>")


@lru_cache(maxsize=512)
def to_html(text: str) -> SafeString:
    """Return Markdown as HTML: no HTML of its own, no images, links of known schemes with rel=noopener.

    Headings become h3, because the page has its own above them.
    """
    drawn = _READER.renderer.render(_levelled(_READER.parse(text)), _READER.options, {})
    clean = nh3.clean(
        drawn,
        tags=set(ELEMENTS),
        attributes={"a": {"href"}, "ol": {"start"}, "*": set()},
        url_schemes=set(SCHEMES),
        link_rel="noopener noreferrer",
    )
    return mark_safe(clean)  # noqa: S308 - the line above


def to_text(text: str) -> str:
    """Return Markdown as one line of plain text, without marks of emphasis and addresses of links."""
    spaced = _ENDS.sub(lambda end: end.group() + " ", str(to_html(text)))
    return " ".join(html.unescape(nh3.clean(spaced, tags=set())).split())


def _levelled(tokens: Sequence[Token]) -> Sequence[Token]:
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = "h3"
    return tokens


_OPTIONS: Final = {"html": False, "linkify": False, "typographer": False, "maxNesting": DEEPEST}
_READER: Final = MarkdownIt("commonmark", _OPTIONS).disable(["image", "html_block", "html_inline"])

MOST_SHOWN: Final = 3
"""Examples of one cell on the annotation page."""
EXAMPLE_SENT: Final = ("src", "width", "height", "alt", "caption", "pins")
"""What the annotation page needs of an example."""


def own_guide(content: Content, examples: Sequence[Mapping[str, Any]], guide: Guide) -> OwnGuide:
    """Return a project's own texts and examples for the guide; an example is under its first cell's first
    block."""
    placed: dict[str, list[Mapping[str, Any]]] = {}
    for example in examples:
        placed.setdefault(guide.components[example["components"][0]][0], []).append(example)
    texts = {key: to_html(text) for key, text in own_texts(content, guide).items()}
    return OwnGuide(texts, placed, content.drawn)


def own_texts(content: Content, guide: Guide) -> dict[str, str]:
    """Return the texts that differ from ours, for which the guide has a layout of its own."""
    ours = {block.key: block.text for block in guide.blocks}
    return {key: text for key, text in content.texts.items() if ours.get(key) != text}


def plain_texts(project: Project, protocol: str) -> dict[str, str]:
    """Return the texts of the version in force that are not ours, as plain text; one query at most."""
    version, guide = in_force(project, protocol), page_of(protocol).guide
    if version is None or guide is None:
        return {}
    return _plain(Content.of(version.content), guide)


def _plain(content: Content, guide: Guide) -> dict[str, str]:
    return {key: to_text(text) for key, text in own_texts(content, guide).items()}


def decisions_of(content: Content, guide: Guide) -> list[tuple[str, SafeString, str]]:
    """Return topic (empty for everything), text and date of the decisions, the latest first."""
    return [
        (guide.topics.get(decision.about, ""), to_html(decision.text), decision.made_on)
        for decision in reversed(content.decisions)
    ]


def by_component(member: Membership, protocol: str, guide: Guide, user: User) -> dict[str, Any] | None:
    """Return the guideline in force for the annotation page; None without one. Three queries.

    `texts`, those that are not ours, and `decisions` are plain texts by block and component; `cells` maps a
    component to at most three positions in `examples`.
    """
    version = in_force(member.project, protocol)
    if version is None:
        return None
    content = Content.of(version.content)
    examples = shown_to(member, protocol, content.examples, user)
    cells: dict[str, list[int]] = {}
    for place, example in enumerate(examples):
        for name in example["components"]:
            cells.setdefault(name, []).append(place)
    used = sorted({place for places in cells.values() for place in places[:MOST_SHOWN]})
    numbers = {place: number for number, place in enumerate(used)}
    return {
        "version": version.number,
        "summary": version.summary,
        "texts": _plain(content, guide),
        "decisions": _decisions(content),
        "examples": [{name: examples[place][name] for name in EXAMPLE_SENT} for place in used],
        "cells": {name: [numbers[at] for at in places[:MOST_SHOWN]] for name, places in cells.items()},
    }


def _decisions(content: Content) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for decision in reversed(content.decisions):
        if decision.about:
            texts.setdefault(decision.about, []).append(to_text(decision.text))
    return texts


def as_markdown(version: GuidelineVersion, name: str, guide: Guide) -> str:
    """Return a version as one Markdown document, for bundles."""
    content, topics = Content.of(version.content), guide.topics
    parts = [f"# {name}: guideline, version {version}", f"Published {version.published_at:%Y-%m-%d}."]
    parts += [version.summary] if version.summary else []
    for block in guide.blocks:
        if block.key in content.texts:
            parts += [f"## {block.title}", content.texts[block.key]]
    if content.decisions:
        parts.append("## Decisions")
        for decision in content.decisions:
            about = topics.get(decision.about, "Everything")
            parts += [f"### {about}{f', {decision.made_on}' if decision.made_on else ''}", decision.text]
    if content.examples:
        parts.append("## Examples")
        for example in content.examples:
            marks = "; ".join(f"{mark['title']} {mark['text']}".strip() for mark in example.marks)
            parts.append(f"- {marks or 'No marks'}{f': {example.caption}' if example.caption else ''}")
    return "\n\n".join(parts) + "\n"
