"""The number of generated examples per property."""

from __future__ import annotations

import os


def examples(count: int) -> int:
    """Return the number for this run: `count` in `make test`, ten times as many in `make test-all`."""
    return count * (10 if os.environ.get("THOROUGH") else 1)
