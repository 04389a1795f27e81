"""Statements of the abstract without a number, checked against the published data."""

from __future__ import annotations

import pandas as pd

from analysis.stats.agreement.agreement import agreement
from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction.notes import BEST, OTHERS, number

GROUPS = ("individual", "pair", "group")


def statements(frame: RatingsFrame) -> list[tuple[str, str]]:
    """Return each statement in our own words with the result in the published data."""
    return [
        ("DALL-E 3 consistently better than Stable Diffusion", _lower_means(_means(frame, "prompt"))),
        ("groups harder for every generator than individuals or pairs", _groups(frame)),
        ("agreement between annotators relatively poor", _agreement(frame)),
    ]


def _means(frame: RatingsFrame, column: str) -> pd.DataFrame:
    """Return mean cumulative scores by the column's values (rows) and generator (columns)."""
    return frame.annotations.pivot_table(
        index=column, columns="generator", values="cumulative_score", observed=True
    )


def _lower_means(means: pd.DataFrame) -> str:
    if not {BEST, *OTHERS} <= set(means.columns):
        return "The project has no such generators."
    return "; ".join(_lower(means, other) for other in OTHERS)


def _lower(means: pd.DataFrame, other: str) -> str:
    against = [str(prompt) for prompt in means.index[means[BEST] >= means[other]]]
    text = f"lower mean than {other} in {len(means) - len(against)} of {len(means)} prompts"
    return f"{text} (not: {', '.join(against)})" if against else text


def _groups(frame: RatingsFrame) -> str:
    means = _means(frame, "prompt_group")
    if not set(GROUPS) <= set(means.index):
        return "The project has no such prompt groups."
    ordered = means.loc[list(GROUPS)]
    hardest = sum(column.idxmax() == "group" for _, column in ordered.items())
    shown = "; ".join(
        f"{name} {' / '.join(number(float(mean), 2) for mean in column)}" for name, column in ordered.items()
    )
    return f"true of {hardest} of {len(means.columns)} (means {' / '.join(GROUPS)}: {shown})"


def _agreement(frame: RatingsFrame) -> str:
    means = agreement(frame)["mean_of_pairs"]
    named = (means[name] for name in ("cumulative_score", "overall_severity", "cells"))
    known = [mean for mean in named if mean is not None]
    if not known:
        return "No pair of annotators has an alpha."
    return (
        f"the largest mean alpha is {number(max(known))}; Krippendorff (2018) asks 0.667 for tentative "
        "conclusions and 0.800 for reliable ones"
    )
