"""Sentences on what a file leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.data.counting import REASONS

UNFINISHED: Final = "unfinished"
_WORDS: Final[Mapping[str, str]] = {**REASONS, UNFINISHED: "begun and not complete"}


def sentences(protocol: str, source: str, not_counted: Mapping[str, int]) -> list[str]:
    """Return sentences on converted annotations and on those left out, with reasons."""
    said = []
    if source != protocol:
        said.append(f"Annotations made under the protocol {source} are shown as {protocol}.")
    reasons = [f"{count:,} {words}" for name, words in _WORDS.items() if (count := not_counted.get(name))]
    if reasons:
        said.append(f"Left out: {'; '.join(reasons)}.")
    return said
