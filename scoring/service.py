"""The registry of protocols: the one place that knows which exist."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from scoring.anatomy.protocol import ANATOMY
from scoring.protocol import Protocol

PROTOCOLS: Final[Mapping[str, Protocol]] = MappingProxyType(
    {protocol.slug: protocol for protocol in (ANATOMY,)}
)


class UnknownProtocol(KeyError):
    """No protocol has this slug."""

    def __str__(self) -> str:
        return f"there is no protocol {self.args[0]!r}; known: {', '.join(sorted(PROTOCOLS))}"


def get_protocol(slug: str) -> Protocol:
    """The protocol a batch names by its slug. Raises UnknownProtocol."""
    try:
        return PROTOCOLS[slug]
    except KeyError:
        raise UnknownProtocol(slug) from None
