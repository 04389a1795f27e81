"""One reference description of an image, assembled from the kept descriptions of its annotators."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median_low

from scoring.defect.marks import EFFECTS
from scoring.defect.masks import Mask, place_of


@dataclass(frozen=True)
class Described:
    """A kept description of an item with its mask, its kind, and whether the mask is kept, too."""

    mask: Mask
    kind: str | None
    text: str
    key: str = ""
    mask_kept: bool = True


def assemble(described: Iterable[Described], effects: Sequence[int]) -> str:
    """Return the descriptions as one text: the largest kept mask first, at the end the effect.

    Equal texts occur once. `effects` are those of the annotators who marked the image; without any, none is
    named.
    """
    sentences: list[str] = []
    known: set[tuple[str, ...]] = set()
    for each in sorted(described, key=lambda one: (not one.mask_kept, -one.mask.area)):
        words = tuple(re.findall(r"\w+", each.text.casefold()))
        if words and words not in known:
            known.add(words)
            where = ", ".join(filter(None, (place_of(each.mask), each.kind)))
            text = " ".join(each.text.split())
            closed = text if text.endswith((".", "!", "?", "…")) else f"{text}."
            sentences.append(f"{where[:1].upper()}{where[1:]}: {closed}")
    if effects:
        sentences.append(f"The effect on the image is {effect_of(effects)}.")
    return " ".join(sentences)


def effect_of(effects: Sequence[int]) -> str:
    """Return the effect on an image in a word, of those by annotator; empty for none."""
    return EFFECTS[median_low(effects)] if effects else ""
