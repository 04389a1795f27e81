"""Requests to the identity provider: in ten seconds all together, of a megabyte each, without redirects.

The timeouts of requests count between two bytes, so a provider that sends one now and then would hold a web
process for as long as it likes.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any, Final

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

SECONDS: Final = 10.0
MOST_BYTES: Final = 1024 * 1024

_ends: ContextVar[float] = ContextVar("provider_requests_end")


@contextlib.contextmanager
def limited_time() -> Iterator[None]:
    """Let all requests of the block end within SECONDS from now."""
    token = _ends.set(time.monotonic() + SECONDS)
    try:
        yield
    finally:
        _ends.reset(token)


class ProviderSession(requests.Session):
    """A session whose requests raise requests.RequestException at the end of time and past MOST_BYTES."""

    def __init__(self) -> None:
        super().__init__()
        self.trust_env = False
        for scheme in ("http://", "https://"):
            self.mount(scheme, _Adapter())

    def request(self, *args: Any, **more: Any) -> requests.Response:
        """Return a response whose body is read. Raises requests.RequestException."""
        options = {**more, "timeout": max(0.1, _left()), "stream": True, "allow_redirects": False}
        response = super().request(*args, **options)
        body = bytearray()
        for piece in response.iter_content(64 * 1024):
            body += piece
            if len(body) > MOST_BYTES:
                response.close()
                raise requests.RequestException("The provider's answer is larger than 1 MB.")
        response._content = bytes(body)
        return response


def _left() -> float:
    now = time.monotonic()
    return _ends.get(now + SECONDS) - now


class _Ending(HTTPConnection):
    """A connection that breaks when the time is over, whatever it waits for."""

    def _new_conn(self) -> socket.socket:
        opened = super()._new_conn()
        # A second handle of the connection: TLS takes the first one over, and a body may outlive it.
        timer = threading.Timer(max(0.0, _left()), _break, [opened.dup()])
        timer.daemon = True
        timer.start()
        return opened


def _break(handle: socket.socket) -> None:
    with handle, contextlib.suppress(OSError):
        handle.shutdown(socket.SHUT_RDWR)


class _EndingTls(_Ending, HTTPSConnection):
    """The same over TLS, whose handshake counts too."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Ending


class _TlsPool(HTTPSConnectionPool):
    ConnectionCls = _EndingTls


class _Adapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **more: Any) -> None:
        super().init_poolmanager(*args, **more)
        self.poolmanager.pool_classes_by_scheme = {"http": _Pool, "https": _TlsPool}
