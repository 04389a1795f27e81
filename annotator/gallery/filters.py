"""The filters of a gallery: read from an address, written to one, and in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlencode

from annotator.annotations.summary_values import FIELD_OF, mask_of
from annotator.inputs.numbers import decimal
from annotator.inputs.storable import is_storable
from scoring.grid.taxonomy import (
    BODY_PART_TITLES,
    BODY_PARTS,
    CELLS,
    ERROR_TYPE_TITLES,
    ERROR_TYPES,
    SEVERITIES,
    SEVERITY_TITLES,
)
from scoring.people import BANDS
from scoring.prompts import LONGEST_KEY, LONGEST_PROMPT, prompt_key
from scoring.protocol import Protocol

LONGEST: Final = LONGEST_KEY
SEVERAL: Final[Mapping[str, int]] = {"generator": 6, "annotator": 4, "attribute": 12}
"""Filters that can be given several times, and how often."""
HALF: Final = 0.005 + 1e-9
"""Scores are shown with two decimals, so one score means those that round to it, halves either way."""

TEXTS: Final[Mapping[str, str]] = {
    "generator": "Generator",
    "prompt": "Prompt",
    "prompt_group": "Prompt group",
    "annotator": "Annotator",
    "attribute": "Attribute",
    "tag": "Tag",
    "q": "Search",
}
CHOICES: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "cell": ("Cell", {cell.key: cell.title for cell in CELLS}),
    "type": ("Error type", {name: ERROR_TYPE_TITLES[name] for name in ERROR_TYPES}),
    "part": ("Body part", {name: BODY_PART_TITLES[name] for name in BODY_PARTS}),
    "severity": ("Severity", {name: f"{name} {SEVERITY_TITLES[name]}" for name in SEVERITIES}),
    "people": ("People counted", {band: band for band in BANDS}),
    "flagged": ("Flagged", {"1": "yes"}),
    "adjudicated": ("Adjudicated", {"1": "yes"}),
    "disagreement": ("Annotators disagree", {"1": "yes"}),
}
SCORES: Final[Mapping[str, str]] = {"score_min": "Score from", "score_max": "Score below"}
NAMES: Final = (
    *("generator", "prompt", "prompt_group", "attribute", "people"),
    *("cell", "type", "part", "severity", "tag", "annotator"),
    *("score_min", "score_max", "flagged", "adjudicated", "disagreement", "q"),
)
"""All filters, in the order in which they are shown."""
CELL_FILTERS: Final = ("cell", "type", "part")
ORIGINS: Final[dict[str, tuple[str, Callable[[str], str]]]] = {}
"""The report sections a gallery can be opened from as `?from=name`, and so the only ones it links back to:
title, and the address in a project of this slug."""


@dataclass(frozen=True)
class GalleryFilter:
    """Accepted filters by name, in the order of `NAMES`."""

    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.values)

    def one(self, name: str) -> str:
        """Return a filter's first value; empty if it is not set."""
        return self.values.get(name, ("",))[0]

    def many(self, name: str) -> tuple[str, ...]:
        """Return all values of a filter."""
        return self.values.get(name, ())

    def without(self, *names: str) -> GalleryFilter:
        """Return the other filters."""
        return GalleryFilter({name: own for name, own in self.values.items() if name not in names})

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Return parameters and values, as for an address."""
        return ((name, value) for name, values in self.values.items() for value in values)

    @property
    def code(self) -> str:
        """The annotator whose own marks and scores are meant; empty for all together."""
        return self.one("annotator") if len(self.many("annotator")) == 1 else ""

    @property
    def mask(self) -> int | None:
        """The bits of the cells of which one must be marked; None without such a filter."""
        if not any(self.one(name) for name in (*CELL_FILTERS, "severity")):
            return None
        return mask_of(
            cell.key
            for cell in CELLS
            if self.one("cell") in ("", cell.key)
            and self.one("type") in ("", cell.error_type)
            and self.one("part") in ("", cell.body_part)
        )

    @property
    def marked_field(self) -> str:
        """The field of a summary with the cells marked at the severity asked for."""
        return FIELD_OF.get(self.one("severity"), "marked")

    @property
    def scores(self) -> tuple[float | None, float | None]:
        """The lowest score that matches, and the one from which none does."""
        low, high = (decimal(self.one(name)) for name in SCORES)
        if low is not None and low == high:
            return low - HALF, low + HALF
        return low, high

    def chips(self) -> list[tuple[str, str, GalleryFilter]]:
        """Return title and value of each filter in words, and what is left without it."""
        attributes = [(*divided(text), self._without_attribute(text)) for text in self.many("attribute")]
        words = self.without("attribute")._words()
        return [*attributes, *((title, value, self.without(*names)) for title, value, names in words)]

    def _without_attribute(self, text: str) -> GalleryFilter:
        rest = tuple(other for other in self.many("attribute") if other != text)
        return GalleryFilter({**self.values, "attribute": rest}) if rest else self.without("attribute")

    def _words(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        for name in self.values:
            if name in TEXTS:
                title = TEXTS[name]
                joint = " and " if name == "annotator" else " or "
                yield title, joint.join(self.many(name)), (name,)
            elif name in CHOICES:
                title, values = CHOICES[name]
                yield title, values[self.one(name)], (name,)
            elif name == "score_min" or (name == "score_max" and not self.one("score_min")):
                title = "Score of an annotation" if self.code else "Score"
                yield title, _range(self.one("score_min"), self.one("score_max")), tuple(SCORES)


def _range(low: str, high: str) -> str:
    if low and high:
        return low if low == high else f"{low} to below {high}"
    return f"from {low}" if low else f"below {high}"


def read_filter(
    given: Mapping[str, Sequence[str]], protocol: Protocol, *, counts_people: bool = True
) -> tuple[GalleryFilter, list[tuple[str, str]]]:
    """Return the filters of an address that apply under a protocol, and what is wrong with the others.

    A problem is a text and a code. `counts_people` tells whether annotators count people under any protocol
    of the project.
    """
    values: dict[str, tuple[str, ...]] = {}
    problems: list[tuple[str, str]] = []
    for name in NAMES:
        texts = tuple(dict.fromkeys(text.strip() for text in given.get(name, ()) if text.strip()))
        if not texts:
            continue
        if name == "prompt":
            # Addresses hold no more than the key of a long prompt.
            texts = tuple(prompt_key(text) for text in texts if len(text) <= LONGEST_PROMPT) or texts
        if _applies(name, texts, protocol, counts_people=counts_people):
            values[name] = texts
        else:
            title = TEXTS.get(name) or SCORES.get(name) or CHOICES[name][0]
            shown = ", ".join(text[:60] for text in texts)
            said = f"“{title}: {shown}” does not apply to “{protocol.title}”."
            problems.append((f"{said} Showing images without this filter.", f"bad-{name}"))
    return GalleryFilter(values), problems


def divided(attribute: str) -> tuple[str, str]:
    """Return the name and the value of `gender=female`; the value is empty without a sign between them."""
    name, _, value = attribute.partition("=")
    return name, value


def has_severities(protocol: Protocol) -> bool:
    """Tell whether annotations under a protocol give severities."""
    components = (component for variable in protocol.variables for component in variable.components)
    return any(component.rpartition(".")[2] in SEVERITIES for component in components)


def _applies(name: str, texts: Sequence[str], protocol: Protocol, *, counts_people: bool) -> bool:
    """Tell whether values of a filter can be applied under a protocol."""
    missing = {
        **dict.fromkeys(CELL_FILTERS, not protocol.on_cells),
        "severity": not has_severities(protocol),
        "people": not counts_people,
    }
    if missing.get(name) or len(texts) > SEVERAL.get(name, 1):
        return False
    if not all(is_storable(text) and len(text) <= LONGEST for text in texts):
        return False
    if name == "attribute":
        return all(map(all, map(divided, texts)))
    if name in CHOICES:
        return texts[0] in CHOICES[name][1]
    return name not in SCORES or decimal(texts[0]) is not None


def query_of(filter_: GalleryFilter, more: Mapping[str, Any]) -> str:
    """Return a query string of filters and further parameters without empty ones; `?` alone if none."""
    pairs = [*filter_.pairs(), *((name, value) for name, value in more.items() if value)]
    return f"?{urlencode(pairs)}" if pairs else "?"
