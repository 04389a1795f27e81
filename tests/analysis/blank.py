"""Results over no annotations: every key is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from analysis.protocols.anatomy.agreement import anatomy_agreement
from analysis.protocols.anatomy.comparison import anatomy_comparison
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed

_COMPUTED: Final[Mapping[str, Callable[[RatingsFrame], Any]]] = {
    "agreement": anatomy_agreement,
    "comparison": anatomy_comparison,
}


def blank(kind: str) -> dict[str, Any]:
    """A report's result over no annotations."""
    return dict(_COMPUTED[kind](framed()))
