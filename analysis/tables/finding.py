"""A finding, and for what the verdicts of a comparison's mixed model hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from analysis.stats import comparison

FEWEST_PROMPTS: Final = 2
FEWEST_ANNOTATORS: Final = 3

Result = Mapping[str, Any]
Test = Mapping[str, Any]


@dataclass(frozen=True)
class Finding:
    """A sentence; `kind` is `clear`, `open` (inconclusive), `refused` (no number) or `note`."""

    kind: str
    text: str


def is_clear(test: Test) -> bool:
    """Return whether the corrected p is that of a clear difference."""
    return comparison.is_clear(test["p_holm"])


def at_limit(test: Test) -> bool:
    """Return whether little would turn the verdict on a pair."""
    verdict: str = test["verdict"]
    return verdict == comparison.AT_LIMIT


def scope(model: Mapping[str, Any]) -> str:
    """Return for which prompts and annotators a mixed model's intervals hold, as text.

    For prompts like these from 2 prompts on; for annotators like these from 3 on, if how they differ between
    generators is in the model.
    """
    kept = set(model["kept"])
    prompts = model["prompts"] >= FEWEST_PROMPTS and bool({"prompt", "generator_prompt"} & kept)
    annotators = model["annotators"] >= FEWEST_ANNOTATORS and "annotator_generator" in kept
    if prompts and annotators:
        return "for prompts and annotators like these"
    who = "annotator" if model["annotators"] == 1 else "annotators"
    if annotators:
        return f"for {_these(model['prompts'], 'prompt')} and annotators like these"
    what = "prompts like these" if prompts else _these(model["prompts"], "prompt")
    return f"for {what}, as judged by {'this' if who == 'annotator' else 'these'} {who}"


def _these(number: int, noun: str) -> str:
    return f"this {noun}" if number == 1 else f"these {noun}s"
