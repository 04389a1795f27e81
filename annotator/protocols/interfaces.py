"""The parts a protocol needs besides its rules before a batch can use it.

Packages register their parts in `AppConfig.ready`. A batch is not released if its protocol lacks one, because
annotators could not work on it or their annotations would not be counted.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

INTERFACES: Final[Mapping[str, str]] = {
    "page": "labelling page",
    "report": "report",
    "export": "export",
}
"""The titles of the parts by slug."""

_HAVING: dict[str, frozenset[str]] = {}


def register_interface(interface: str, protocols: Collection[str]) -> None:
    """Register the protocols, by slug, that have a part; raises KeyError for an unknown part."""
    INTERFACES[interface]
    _HAVING[interface] = frozenset(protocols)


def missing_interfaces(slug: str) -> tuple[str, ...]:
    """Return the parts that the protocol with this slug lacks."""
    return tuple(interface for interface in INTERFACES if slug not in _HAVING.get(interface, ()))
