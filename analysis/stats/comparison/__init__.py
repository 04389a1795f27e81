"""Comparison of generators, prompts and groups."""

from typing import Final

LEVEL: Final = 0.05
AT_LIMIT: Final = "at the limit"
"""The verdict of the table `differences` on pairs of which little would turn it."""
UNEVENLY: Final = "spread unevenly over the generators, more than by chance"
"""What the table `balance` says of annotators or prompts that are; here, it loads no numeric library."""


def is_clear(p_holm: float | None) -> bool:
    """Return whether a corrected p value of the mixed model is a clear difference."""
    return p_holm is not None and p_holm < LEVEL
