"""A finding of a comparison, and which analysis leads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from analysis.stats.estimates import TOO_WIDE
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, limits

LEVEL = 0.05

Result = Mapping[str, Any]
Test = Mapping[str, Any]

IMAGE, ADJUSTED, MIXED = "image", "adjusted", "mixed"


@dataclass(frozen=True)
class Finding:
    """A sentence; `kind` is `clear`, `open` (inconclusive), `refused` (no number) or `note`."""

    kind: str
    text: str


def is_clear(test: Test) -> bool:
    """Return whether the corrected p is below 0.05."""
    return test["p_holm"] is not None and test["p_holm"] < LEVEL


def leading(result: Result, declared: str) -> str:
    """Return which analysis leads: the declared one, else over images, or adjusted where that is skewed.

    An analysis that could not be computed never leads.
    """
    wanted = declared or (ADJUSTED if not result["balance"]["balanced"] else IMAGE)
    return wanted if wanted == IMAGE or pairs_of(result, wanted) else IMAGE


def pairs_of(result: Result, analysis: str) -> list[Test]:
    """Return the pairs of generators of an analysis; none if it was not computed."""
    if analysis == IMAGE:
        return list(result["generator_comparisons"])
    return list(result["mixed_model" if analysis == MIXED else "adjusted"]["pairs"])


def adjusted_for(result: Result) -> str:
    """Return what the adjusted differences are adjusted for, as text."""
    return " and ".join(result["adjusted"]["adjusted_for"])


def adjusted_prompts(result: Result) -> dict[str, Mapping[str, Any]]:
    """Return the adjusted means over images by prompt; none if they were not computed."""
    return {row["prompt"]: row["mean"] for row in result["adjusted"]["prompts"]}


def skewed_over(result: Result) -> list[str]:
    """Return over what the prompts are spread more unevenly than by chance: annotators, generators."""
    spread = result["balance"]["spread"]
    over = {"annotators_by_prompt": "annotators", "prompts": "generators"}
    return [what for name, what in over.items() if spread[name]["state"] == "skewed"]


def joint(test: Test) -> str:
    """Return a difference with its joint interval."""
    found = test["simultaneous"]
    value = f"difference {rounded(test['difference']['value'], PLACES)}"
    if found["low"] is None:
        return f"{value} ({TOO_WIDE} for an interval)" if found["refused"] == TOO_WIDE else value
    return f"{value} (joint 95% interval {limits(found)})"


def sharper(test: Test) -> str:
    """Return why a clear difference has an interval with 0; empty if it has not."""
    found = test["simultaneous"]
    if found["low"] is None or not found["low"] <= 0 <= found["high"]:
        return ""
    return " The joint interval includes 0 because it is less sharp than Holm's stepwise test."
