"""The protocols that analysis has numbers of their own for; every other one has the generic ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from analysis.protocols.anatomy.numbers import NUMBERS as ANATOMY
from analysis.protocols.generic import GENERIC
from analysis.protocols.numbers import Numbers
from analysis.protocols.presence.numbers import NUMBERS as PRESENCE

OWN: Final[Mapping[str, Numbers]] = {"anatomy": ANATOMY, "presence": PRESENCE}


def numbers_of(slug: str) -> Numbers:
    """Return what is computed of a protocol's answers."""
    return OWN.get(slug, GENERIC)


def are_named(slugs: Collection[str]) -> bool:
    """Return whether what is told of a project with these protocols says which one it is about.

    Of one that is alone and came first nothing is said: it was the only one when files and answers got their
    form.
    """
    return len(slugs) > 1 or any(numbers_of(slug).names_itself for slug in slugs)
