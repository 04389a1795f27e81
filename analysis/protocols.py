"""The protocols that analysis knows."""

from __future__ import annotations

from typing import Final

from scoring.anatomy.protocol import ANATOMY

REPORTED: Final = frozenset({ANATOMY.slug})
"""Reports count the answers of these."""
EXPORTED: Final = frozenset({ANATOMY.slug})
"""Exports hold the answers of these."""
