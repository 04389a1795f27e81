"""A finding of a comparison, and for what the mixed model's verdicts hold."""

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

LIMIT = 0.04, 0.06
"""Corrected p values between these are at the limit."""
FEWEST_PROMPTS = 2
FEWEST_ANNOTATORS = 3


@dataclass(frozen=True)
class Finding:
    """A sentence; `kind` is `clear`, `open` (inconclusive), `refused` (no number) or `note`."""

    kind: str
    text: str


def is_clear(test: Test) -> bool:
    """Return whether the corrected p is below 0.05."""
    return test["p_holm"] is not None and test["p_holm"] < LEVEL


def at_limit(test: Test) -> bool:
    """Return whether the corrected p is so near to 0.05 that little would turn the verdict."""
    return test["p_holm"] is not None and LIMIT[0] <= test["p_holm"] <= LIMIT[1]


def pairs_of(result: Result) -> list[Test]:
    """Return the mixed model's tests of every two generators, the only verdicts; none if it was refused."""
    return list(result["mixed_model"]["pairs"])


def scope(model: Mapping[str, Any]) -> str:
    """Return for which prompts and annotators a mixed model's intervals hold, as text.

    For prompts like these from 2 prompts on; for annotators like these from 3 on, if how they differ between
    generators is in the model.
    """
    left_out = {row["name"] for row in model["omitted"]}
    prompts = model["prompts"] >= FEWEST_PROMPTS and not {"prompt", "generator_prompt"} <= left_out
    annotators = model["annotators"] >= FEWEST_ANNOTATORS and "annotator_generator" not in left_out
    if prompts and annotators:
        return "for prompts and annotators like these"
    who = "annotator" if model["annotators"] == 1 else "annotators"
    if annotators:
        return f"for {_these(model['prompts'], 'prompt')} and annotators like these"
    what = "prompts like these" if prompts else _these(model["prompts"], "prompt")
    return f"for {what}, as judged by {'this' if who == 'annotator' else 'these'} {who}"


def _these(number: int, noun: str) -> str:
    return f"this {noun}" if number == 1 else f"these {noun}s"


def holds(model: Mapping[str, Any]) -> str:
    """Return the sentence that says for what a mixed model's intervals hold; empty if it was refused."""
    return "" if model["refused"] else f"Its intervals hold {scope(model)}."


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
