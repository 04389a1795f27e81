"""Connections of many browsers in one thread: TLS, kept alive, as little of the processor as Python allows.

The clients share the processor with the server they measure. So one loop holds all connections, and of an
answer it reads the status, the length and the body.
"""

from __future__ import annotations

import socket
import ssl
from contextlib import suppress
from typing import Final

HEAD_ENDS: Final = b"\r\n\r\n"


class Broken(Exception):
    """The connection ended before the response."""


class Line:
    """One kept connection. Nothing here waits; `ready` is called when the socket has something."""

    def __init__(self, port: int, tls: ssl.SSLContext) -> None:
        self._port, self._tls = port, tls
        self._taken = bytearray()
        self._waiting = b""
        self._ends = False
        self.socket = self._open()

    def send(self, request: bytes) -> bool:
        """Send one request; True where that took a new connection: `socket` is another one then."""
        self._taken.clear()
        renewed = self._ends
        if renewed:
            self.close()
            self.socket, self._ends = self._open(), False
        self._waiting = request
        self._go_on()
        return renewed

    def ready(self) -> tuple[int, bytes] | None:
        """Read available bytes; return status and body once complete. Raises Broken."""
        if self._waiting and not self._go_on():
            return None
        over = False
        with suppress(ssl.SSLWantReadError):
            while piece := self.socket.recv(1 << 16):
                self._taken += piece
            over = True
        answer = self._whole()
        if over and answer is None and self._taken:
            raise Broken(f"the connection ended after {len(self._taken)} bytes of an answer")
        self._ends = self._ends or over
        if answer is not None:
            self._taken.clear()
        return answer

    @property
    def over(self) -> bool:
        """Whether the server has closed the connection, or announced it."""
        return self._ends

    def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            self.socket.close()

    def _go_on(self) -> bool:
        """Complete the TLS handshake and send the waiting bytes."""
        try:
            self.socket.do_handshake()
        except ssl.SSLWantReadError:
            return False
        self.socket.sendall(self._waiting)
        self._waiting = b""
        return True

    def _whole(self) -> tuple[int, bytes] | None:
        begins = self._taken.find(HEAD_ENDS)
        if begins < 0:
            return None
        head = bytes(self._taken[:begins]).lower()
        _, found, length = head.partition(b"content-length:")
        if not found:
            raise Broken(f"an answer without a length: {head[:200]!r}")
        begins += len(HEAD_ENDS)
        ends = begins + int(length.partition(b"\r\n")[0])
        if len(self._taken) < ends:
            return None
        # nginx closes a connection after a thousand requests, with a header.
        self._ends = b"connection: close" in head
        return int(head[9:12]), bytes(self._taken[begins:ends])

    def _open(self) -> ssl.SSLSocket:
        plain = socket.create_connection(("127.0.0.1", self._port), timeout=10)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wrapped = self._tls.wrap_socket(plain, server_hostname="localhost", do_handshake_on_connect=False)
        wrapped.setblocking(False)
        return wrapped
