"""A test that reaches for another machine is refused; this machine's own addresses are not."""

from __future__ import annotations

import socket

import pytest

from tests.support.loopback import BeyondLoopback, only_loopback


@pytest.mark.parametrize(
    "host", ["192.0.2.1", "example.org", "2001:db8::1", "::ffff:192.0.2.1", "127.0.0.1.example.org"]
)
def test_another_machine_is_refused(host: str) -> None:
    with only_loopback() as refused:
        with pytest.raises(BeyondLoopback, match="a test reaches for"):
            socket.create_connection((host, 80), timeout=0.1)
        assert refused == [host]


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_this_machine_is_not(host: str) -> None:
    with only_loopback() as refused, pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, 1), timeout=1)
    assert refused == []
