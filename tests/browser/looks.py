"""How pages are looked at: every size, light and dark.

What a size breaks, no colour mends, and the other way round: each size once, with both schemes among them,
finds what all pairs would. `LOOKS=all` tries all pairs.
"""

from __future__ import annotations

import os

import pytest

VIEWPORTS = {"small": (1280, 720), "upright": (820, 1180), "large": (1920, 1080)}
PAIRS = [("small", "light"), ("upright", "dark"), ("large", "light")]
ALL_PAIRS = [(size, scheme) for size in VIEWPORTS for scheme in ("light", "dark")]


def _over(pairs: list[tuple[str, str]]) -> pytest.MarkDecorator:
    each = [pytest.param(*pair, id="-".join(pair)) for pair in pairs]
    return pytest.mark.parametrize(("size", "scheme"), each)


every_look = _over(ALL_PAIRS if os.environ.get("LOOKS") == "all" else PAIRS)
"""Three sizes, two schemes."""
two_looks = _over(ALL_PAIRS[:4] if os.environ.get("LOOKS") == "all" else PAIRS[:2])
"""For states that a large window cannot break."""
