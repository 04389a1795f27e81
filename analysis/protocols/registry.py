"""The numbers of each protocol; those without their own have the generic ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from analysis.protocols.anatomy.reports import NUMBERS as ANATOMY
from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Numbers
from analysis.protocols.presence.reports import NUMBERS as PRESENCE
from analysis.protocols.realism.reports import NUMBERS as REALISM

OWN: Final[Mapping[str, Numbers]] = {"anatomy": ANATOMY, "presence": PRESENCE, "realism": REALISM}


def numbers_of(slug: str) -> Numbers:
    """Return the numbers of a protocol."""
    return OWN.get(slug, GENERIC)


def are_named(slugs: Collection[str]) -> bool:
    """Return whether files and responses of a project with these protocols name theirs.

    The first protocol is not named if it is the only one, because their form is older than other protocols.
    """
    return len(slugs) > 1 or any(numbers_of(slug).names_itself for slug in slugs)
