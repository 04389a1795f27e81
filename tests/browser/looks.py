"""How pages are looked at: small and upright, light and dark.

What a size breaks, no colour mends, and the other way round: each size once, with both schemes among them,
finds what all pairs would. `LOOKS=all` tries all pairs.
"""

from __future__ import annotations

import os

import pytest

VIEWPORTS = {"small": (1280, 720), "upright": (820, 1180)}
PAIRS = [("small", "light"), ("upright", "dark")]
ALL_PAIRS = [(size, scheme) for size in VIEWPORTS for scheme in ("light", "dark")]

two_looks = pytest.mark.parametrize(
    ("size", "scheme"),
    [
        pytest.param(*pair, id="-".join(pair))
        for pair in (ALL_PAIRS if os.environ.get("LOOKS") == "all" else PAIRS)
    ],
)
"""Both sizes, both schemes."""
