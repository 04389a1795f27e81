"""The protocols that analysis has numbers of their own for; every other one has the generic ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from analysis.protocols.anatomy.numbers import NUMBERS as ANATOMY
from analysis.protocols.generic import GENERIC
from analysis.protocols.numbers import Numbers
from analysis.protocols.presence.numbers import NUMBERS as PRESENCE

OWN: Final[Mapping[str, Numbers]] = {"anatomy": ANATOMY, "presence": PRESENCE}
EXPORTED: Final = frozenset({"anatomy"})
"""Exports hold the answers of these."""


def numbers_of(slug: str) -> Numbers:
    """Return what is computed of a protocol's answers."""
    return OWN.get(slug, GENERIC)
