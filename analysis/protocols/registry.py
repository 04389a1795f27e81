"""The numbers of each protocol; those without their own have the generic ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from analysis.protocols.anatomy.reports import NUMBERS as ANATOMY
from analysis.protocols.defect.reports import NUMBERS as DEFECT
from analysis.protocols.generic import GENERIC, computing
from analysis.protocols.interface import Numbers
from scoring.protocol import PREFIX
from scoring.service import get_protocol

# One key rates an image, so only answers that no one can have thought about count as fast.
_FAST_MS: Final = 600
OWN: Final[Mapping[str, Numbers]] = {
    "anatomy": ANATOMY,
    "presence": computing(agreement="analysis.protocols.presence.agreement.presence_agreement"),
    "realism": replace(
        computing(
            agreement="analysis.protocols.realism.agreement.realism_agreement",
            comparison="analysis.protocols.realism.comparison.realism_comparison",
        ),
        using_adjudicated=frozenset(),
        by_score="analysis.protocols.realism.comparison.with_scores",
        fast_ms=_FAST_MS,
    ),
    **DEFECT,
}


def numbers_of(slug: str) -> Numbers:
    """Return the numbers of a protocol; each question of a form takes as long as the one of realism."""
    form = get_protocol(slug).form if slug.startswith(PREFIX) else None
    if form is None:
        return OWN.get(slug, GENERIC)
    numbers = computing(agreement="analysis.stats.generic.correlations.agreement_of_items")
    return replace(numbers, fast_ms=_FAST_MS * len(form["items"]))
