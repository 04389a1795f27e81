"""A small OpenID provider on loopback: discovery, authorization, token endpoint, signed id_tokens, keys."""

from __future__ import annotations

import base64
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "anatomark", "the-secret-of-the-client"


@dataclass
class Provider:
    """Who signs in there is `person`; `changed` are claims that an id_token then has instead."""

    issuer: str = ""
    person: dict[str, Any] = field(default_factory=lambda: {"sub": "248289761001"})
    changed: dict[str, Any] = field(default_factory=dict)
    key: rsa.RSAPrivateKey = field(default_factory=lambda: rsa.generate_private_key(65537, 2048))
    signed_with: Any = None
    algorithm: str = "RS256"
    says_it_is: str = ""
    does: str = ""
    """`drips` its headers or a body, `floods`, `redirects` or says `[]`, at the address `where`."""
    where: str = ""
    sent: int = 0
    asked: list[str] = field(default_factory=list)
    waiting: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, address: str) -> str:
        """Be the person's browser there: agree, and return the address they are sent back to."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert query["response_type"] == "code"
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        self.waiting[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.says_it_is or self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def keys(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}

    def token(self, sent: dict[str, str]) -> dict[str, Any] | None:
        """Give the token for a code, once, to who has the secret and the verifier."""
        asked = self.waiting.pop(sent.get("code", ""), None)
        digest = sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        good = (
            asked and asked["code_challenge"] == challenge and asked["redirect_uri"] == sent["redirect_uri"]
        )
        if not good or (sent.get("client_id"), sent.get("client_secret")) != (CLIENT, SECRET):
            return None
        now = int(time.time())
        said = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            **self.person,
            **self.changed,
        }
        signed = jwt.encode(said, self.signed_with or self.key, self.algorithm, headers={"kid": "one"})
        return {"access_token": "no-use-for-it", "token_type": "Bearer", "id_token": signed}


@contextmanager
def provider_running() -> Iterator[Provider]:
    """Serve a provider on a free port of 127.0.0.1."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.asked.append(self.path)
            if provider.does and self.path.endswith(provider.where):
                return self.misbehave()
            pages = {"/.well-known/openid-configuration": provider.discovery, "/keys": provider.keys}
            page = pages.get(self.path)
            return self.answer(page() if page else None)

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            if provider.does and self.path.endswith(provider.where):
                return self.misbehave()
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            sent = {name: values[0] for name, values in parse_qs(body).items()}
            return self.answer(provider.token(sent) if self.path == "/token" else None)

        def misbehave(self) -> None:
            status, piece, pause = {
                "drips headers": (b"200 OK\r\nX-A: ", b"a", 0.05),
                "drips": (b"200 OK\r\n\r\n", b" ", 0.05),
                "floods": (b"200 OK\r\n\r\n", b" " * 1_000_000, 0.0),
                "redirects": (b"302 Found\r\nLocation: /keys\r\nContent-Length: 0\r\n\r\n", b"", 0.0),
                "says []": (b"200 OK\r\nContent-Length: 2\r\n\r\n[]", b"", 0.0),
            }[provider.does]
            self.close_connection = True
            with suppress(OSError):
                self.wfile.write(b"HTTP/1.1 " + status)
                while piece and provider.does:
                    self.wfile.write(piece)
                    provider.sent += len(piece)
                    time.sleep(pause)

        def answer(self, said: dict[str, Any] | None) -> None:
            body = json.dumps(said if said is not None else {"error": "invalid_request"}).encode()
            self.send_response(200 if said is not None else 400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
