"""A relay between proxy and web that drops responses after the web has handled the requests."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Relay:
    """One request per connection, like the proxy; `drop(n)` discards the next n responses to saves."""

    def __init__(self, listens: int, web: int) -> None:
        self._web = web
        self._left = 0
        self._lock = threading.Lock()
        self.dropped = 0
        self._server = socket.create_server(("127.0.0.1", listens), backlog=128)
        threading.Thread(target=self._accept, daemon=True).start()

    def drop(self, count: int) -> None:
        """Discard this many further responses."""
        with self._lock:
            self._left += count

    def close(self) -> None:
        """Stop listening."""
        self._server.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(("127.0.0.1", self._web), 5) as web:
            back: threading.Thread | None = None
            while data := client.recv(65536):
                if back is None:
                    is_save = b"/save HTTP/" in data[:200]
                    back = threading.Thread(target=self._answer, args=(client, web, is_save), daemon=True)
                    back.start()
                web.sendall(data)
            if back is not None:
                back.join(120)

    def _answer(self, client: socket.socket, web: socket.socket, is_save: bool) -> None:
        with suppress(OSError):
            drops: bool | None = None
            while data := web.recv(65536):
                if drops is None:
                    drops = is_save and self._takes()
                if not drops:
                    client.sendall(data)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)

    def _takes(self) -> bool:
        with self._lock:
            if self._left == 0:
                return False
            self._left -= 1
            self.dropped += 1
            return True
