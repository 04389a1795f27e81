"""The result of an attempt for display: what was required, what was reached, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from annotator.models import Attempt
from annotator.protocols.registry import page_of
from scoring.parametric_intervals import Interval
from scoring.qualification_rules import ENOUGH_IMAGES, RuleTerm
from scoring.service import get_protocol

FEWEST_FOR_CELLS: Final = 5
"""With fewer images, the numbers of single cells would reveal the references."""


@dataclass(frozen=True)
class ShownTerm:
    """One requirement; `value` and `interval` are None for what could not be measured."""

    term: RuleTerm
    required: Fraction
    value: Fraction | None
    interval: Interval | None
    is_met: bool


@dataclass(frozen=True)
class ShownCell:
    """One cell over all images: how often it was found, of how many, and how often marked without cause."""

    title: str
    found: int = 0
    of: int = 0
    alone: int = 0


@dataclass(frozen=True)
class ShownResult:
    """The result of an ended attempt; `rows` is empty for too few images."""

    images: int
    terms: Sequence[ShownTerm]
    heads: Sequence[str]
    rows: Sequence[tuple[str, Sequence[ShownCell]]]

    @property
    def is_thin(self) -> bool:
        """Whether there are so few images that passing means little."""
        return self.images < ENOUGH_IMAGES


def shown_result(attempt: Attempt) -> ShownResult | None:
    """Return the result of an attempt; None while it runs."""
    if attempt.ended_at is None:
        return None
    protocol, result, terms = attempt.qualification.batch.protocol, attempt.result, shown_terms(attempt)
    if result["images"] < FEWEST_FOR_CELLS:
        return ShownResult(result["images"], terms, [], [])
    form = page_of(protocol).adjudicating([], stored=get_protocol(protocol).empty())
    counts = {key: (hits, hits + missed, alone) for key, hits, missed, alone in result["components"]}
    rows = [
        (title, [ShownCell(form.titles[key], *counts.get(key, (0, 0, 0))) for key in keys])
        for title, keys in form.rows
    ]
    return ShownResult(result["images"], terms, form.heads, rows)


def shown_terms(attempt: Attempt) -> list[ShownTerm]:
    """Return the requirements of an ended attempt with what was reached, in the protocol's order."""
    known = {term.name: term for term in get_protocol(attempt.qualification.batch.protocol).rule_terms}
    return [
        ShownTerm(
            known[result["term"]],
            Fraction(result["required"]),
            None if result["value"] is None else Fraction(result["value"]),
            None if result["interval"] is None else (result["interval"][0], result["interval"][1]),
            result["met"],
        )
        for result in attempt.result["terms"]
    ]


def shown_rule(protocol: str, rule: dict[str, str]) -> list[tuple[RuleTerm, str]]:
    """Return the terms of a rule with their thresholds, in the protocol's order."""
    return [(term, rule[term.name]) for term in get_protocol(protocol).rule_terms if term.name in rule]
