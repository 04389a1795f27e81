"""Results over no annotations: every key is there, for tests that state a few."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any, Final

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.agreement.agreement import agreement
from analysis.stats.frames import RatingsFrame
from tests.analysis.stats.conftest import framed

_COMPUTED: Final[Mapping[str, Callable[[RatingsFrame], Any]]] = {
    "agreement": agreement,
    "comparison": comparison,
}


def blank(kind: str, **parts: Any) -> dict[str, Any]:
    """A report's result with these parts; objects keep the keys that their part does not state."""
    found = deepcopy(_blank(kind))
    for key, part in parts.items():
        both = isinstance(part, dict) and isinstance(found.get(key), dict)
        found[key] = {**found[key], **part} if both else part
    return found


@cache
def _blank(kind: str) -> dict[str, Any]:
    return dict(_COMPUTED[kind](framed()))
