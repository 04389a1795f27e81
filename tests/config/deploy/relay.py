"""What stands before an object store in tests: passes requests on, notes what was asked, and can refuse."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

REFUSAL = b"<Error><Code>AccessDenied</Code><BucketName>a-secret-bucket</BucketName></Error>"


@dataclass
class Relay:
    """Listens on 127.0.0.1 from `start` on; `signed` are the headers of requests by a signed address."""

    store: str
    refusing: bool = False
    signed: list[dict[str, str]] = field(default_factory=list)

    def start(self) -> str:
        """Return its address."""
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                by_address = "X-Amz-Signature=" in self.path
                if by_address:
                    relay.signed.append({**dict(self.headers), ":method": self.command, ":path": self.path})
                if by_address and relay.refusing:
                    self._answer(403, [("x-amz-request-id", "1")], REFUSAL)
                    return
                sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                connection = HTTPConnection(urlsplit(relay.store).netloc, timeout=20)
                connection.request(self.command, self.path, sent, dict(self.headers))
                answer = connection.getresponse()
                self._answer(answer.status, answer.getheaders(), answer.read())
                connection.close()

            def _answer(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
                length = str(len(body))
                self.send_response_only(status)
                for name, text in headers:
                    if name.lower() == "content-length" and self.command == "HEAD":
                        length = text
                    if name.lower() not in {"connection", "transfer-encoding", "content-length"}:
                        self.send_header(name, text)
                self.send_header("Content-Length", length)
                self.end_headers()
                if self.command != "HEAD" and status != 304:
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        for verb in ("GET", "HEAD", "PUT", "POST", "DELETE"):
            setattr(Handler, f"do_{verb}", Handler.pass_on)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def stop(self) -> None:
        """Listen no more."""
        self._server.shutdown()
        self._server.server_close()
