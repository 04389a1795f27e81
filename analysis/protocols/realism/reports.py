"""The numbers of the realism protocol: generic reports of what its consolidation makes of the ratings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Compute, Numbers

if TYPE_CHECKING:
    from analysis.stats.generic.values import ValuesFrame


def _computation(kind: str) -> Compute:
    from analysis.protocols.realism.agreement import realism_agreement
    from analysis.protocols.realism.comparison import realism_comparison

    known: dict[str, Compute] = {"agreement": realism_agreement, "comparison": realism_comparison}
    return known[kind]


def _by_score(frame: ValuesFrame) -> ValuesFrame:
    from analysis.protocols.realism.comparison import with_scores
    from analysis.protocols.realism.images import RatedImages

    return with_scores(RatedImages(frame))


# One key rates an image, so only answers that no one can have thought about count as fast.
NUMBERS: Final[Numbers] = replace(
    GENERIC,
    computation=_computation,
    using_adjudicated=frozenset(),
    by_score=_by_score,
    fast_ms=600,
)
