"""Comparison of generators, prompts and groups."""

from typing import Final

UNEVENLY: Final = "spread unevenly over the generators, more than by chance"
"""What the table `balance` says of annotators or prompts that are; here, it loads no numeric library."""
