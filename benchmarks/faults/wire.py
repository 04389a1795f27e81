"""A client's TLS connection to the proxy, kept alive."""

from __future__ import annotations

import http.client
import ssl
from pathlib import Path

from benchmarks.faults.seed import CSRF
from tests.config.deploy.process_set import ProcessSet

TIMEOUT_SECONDS = 20.0


class NoAnswer(Exception):
    """No response: the request may or may not have been carried out."""


class Line:
    """Sends requests as one user."""

    def __init__(self, running: ProcessSet, *, cookie: str = "", token: str = "") -> None:
        self._port = running.ports.https
        certificate: Path = running.home / "secrets" / "tls.crt"
        self._tls = ssl.create_default_context(cafile=str(certificate))
        self._connection: http.client.HTTPSConnection | None = None
        self._headers = {"Referer": f"https://localhost:{self._port}/"}
        if cookie:
            self._headers["Cookie"] = f"anatomark_session={cookie}; anatomark_csrf={CSRF}"
            self._headers["X-CSRFToken"] = CSRF
        if token:
            self._headers["Authorization"] = f"Bearer {token}"

    def ask(
        self, method: str, path: str, body: bytes = b"", kind: str = "application/json"
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body; raises NoAnswer."""
        headers = {**self._headers, **({"Content-Type": kind} if body else {})}
        try:
            if self._connection is None:
                self._connection = http.client.HTTPSConnection(
                    "127.0.0.1", self._port, timeout=TIMEOUT_SECONDS, context=_named(self._tls)
                )
            self._connection.request(
                method, path, body or None, {"Host": f"localhost:{self._port}", **headers}
            )
            answer = self._connection.getresponse()
            return answer.status, dict(answer.headers), answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise NoAnswer(str(error)) from error

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _named(context: ssl.SSLContext) -> ssl.SSLContext:
    """Connect without a look-up; the certificate names localhost."""
    context.check_hostname = False
    return context
