"""The result of an attempt for display: what was required, what was reached, and where."""

from __future__ import annotations

from typing import Any, Final

from annotator.models import Attempt
from annotator.protocols.registry import page_of
from scoring.qualification_rules import ENOUGH_IMAGES, RuleTerm
from scoring.service import get_protocol

FEWEST_FOR_CELLS: Final = 5
"""With fewer images, the numbers of single cells would reveal the references."""


def shown_result(attempt: Attempt) -> dict[str, Any] | None:
    """Return the result of an attempt, None while it runs; `rows` is empty for too few images.

    `terms` are the requirements with what was reached, in the protocol's order.

    A cell says how often it was `found`, `of` how many, and how often it was marked `alone`, without cause.
    """
    if attempt.ended_at is None:
        return None
    protocol, images = attempt.qualification.batch.protocol, attempt.result["images"]
    form = page_of(protocol).adjudicating([], stored=get_protocol(protocol).empty())
    cells = {
        key: {"found": hits, "of": hits + missed, "alone": alone}
        for key, hits, missed, alone in attempt.result["components"]
    }
    rows = [(title, [cells.get(key) for key in keys]) for title, keys in form.rows]
    known = {term.name: term for term in get_protocol(protocol).rule_terms}
    return {
        "images": images,
        # So few that passing means little.
        "is_thin": images < ENOUGH_IMAGES,
        "terms": [{**result, "term": known[result["term"]]} for result in attempt.result["terms"]],
        "heads": form.heads,
        "rows": rows if images >= FEWEST_FOR_CELLS else [],
    }


def shown_rule(protocol: str, rule: dict[str, str]) -> list[tuple[RuleTerm, str]]:
    """Return the terms of a rule with their thresholds, in the protocol's order."""
    return [(term, rule[term.name]) for term in get_protocol(protocol).rule_terms if term.name in rule]
