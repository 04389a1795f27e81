"""No test reaches beyond this machine."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any
from unittest import mock
from urllib.parse import urlsplit

SERVERS = frozenset(
    urlsplit(os.environ[name]).hostname for name in ("DATABASE_URL", "REDIS_URL") if os.environ.get(name)
)
"""Hosts of the database and the queue, which may be other machines."""


class BeyondLoopback(OSError):
    """A connection to another machine."""


def is_elsewhere(host: Any) -> bool:
    """Return whether a name or an address belongs to another machine."""
    if host in SERVERS or host in (None, "", b"", "localhost", socket.gethostname()):
        return False
    try:
        address = ip_address(host)
    except ValueError:
        return True
    plain = getattr(address, "ipv4_mapped", None) or address
    return not (plain.is_loopback or plain.is_unspecified)


@contextmanager
def only_loopback() -> Iterator[list[str]]:
    """Refuse look-ups and connections elsewhere while the block runs; yields the refused hosts."""
    refused: list[str] = []

    def guarded(real: Any, host_of: Any) -> Any:
        def call(*arguments: Any, **options: Any) -> Any:
            host = host_of(*arguments, **options)
            if is_elsewhere(host):
                refused.append(str(host))
                raise BeyondLoopback(f"a test reaches for {host}")
            return real(*arguments, **options)

        return call

    def of_address(sock: socket.socket, address: Any) -> Any:
        return address[0] if sock.family in (socket.AF_INET, socket.AF_INET6) else None

    with (
        mock.patch.object(socket.socket, "connect", guarded(socket.socket.connect, of_address)),
        mock.patch.object(socket.socket, "connect_ex", guarded(socket.socket.connect_ex, of_address)),
        mock.patch.object(socket, "getaddrinfo", guarded(socket.getaddrinfo, lambda host, *_, **__: host)),
    ):
        yield refused
