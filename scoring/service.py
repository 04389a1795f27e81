"""The registry of protocols."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from scoring.anatomy.protocol import ANATOMY
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Protocol
from scoring.realism.protocol import REALISM


def registry(*protocols: Protocol) -> Mapping[str, Protocol]:
    """Return a read-only mapping of protocols by slug; raises ValueError for a repeated slug."""
    found: dict[str, Protocol] = {}
    for each in protocols:
        if found.setdefault(each.slug, each) is not each:
            raise ValueError(f"two protocols have the slug {each.slug!r}")
    return MappingProxyType(found)


PROTOCOLS: Final = registry(ANATOMY, PRESENCE, REALISM)


class UnknownProtocol(KeyError):
    """No protocol has this slug."""

    def __str__(self) -> str:
        return f"there is no protocol {self.args[0]!r}; known: {', '.join(sorted(PROTOCOLS))}"


def unknown_in_words(error: UnknownProtocol) -> str:
    """Return what an unknown protocol means for people: what is missing, and what to do."""
    return (
        f"This server does not know the protocol “{error.args[0]}”. Ask its administrator to install a "
        "version of Anatomark that does."
    )


def get_protocol(slug: str) -> Protocol:
    """Return the protocol with this slug. Raises UnknownProtocol."""
    try:
        return PROTOCOLS[slug]
    except KeyError:
        raise UnknownProtocol(slug) from None
