"""The site in a process of its own, on the tests' database, and a client that speaks HTTP to it."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection
from django.test import Client

from annotator.models import Upload, User
from tests.annotator.uploads.tus_client import BYTES, VERSION, named

ROOT: Final = Path(__file__).resolve().parents[4]
TOKEN: Final = "t" * 32


@dataclass(frozen=True)
class Site:
    """A running server and the process that listens."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def worker(self) -> int:
        """The process that answers."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return int(children.split()[0])

    def kill(self) -> None:
        """End it as a crash would, worker and listener."""
        worker = self.worker
        self.process.kill()
        os.kill(worker, signal.SIGKILL)
        self.process.wait(timeout=30)
        while _lives(worker):  # a write that is under way ends before its process does
            time.sleep(0.01)


@contextmanager
def serving(worker_class: str = "gthread", **environment: str) -> Iterator[Site]:
    """A server on a free port, with the database, the storage and the secrets of the tests."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}"]
    options = ["--workers", "1", "--worker-class", worker_class, "--threads", "4", "--log-level", "warning"]
    process = subprocess.Popen([*command, *options], cwd=ROOT, env={**_environment(), **environment})
    site = Site(port, process)
    try:
        _wait_for(site)
        yield site
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(timeout=30)


@dataclass(frozen=True)
class Browser:
    """A signed-in browser of one person."""

    site: Site
    session: str

    @classmethod
    def of(cls, site: Site, user: User) -> Browser:
        """Sign in."""
        client = Client()
        client.force_login(user)
        return cls(site, client.cookies[settings.SESSION_COOKIE_NAME].value)

    def headers(self, **more: str) -> dict[str, str]:
        """What every request of a script carries."""
        cookie = f"{settings.SESSION_COOKIE_NAME}={self.session}; {settings.CSRF_COOKIE_NAME}={TOKEN}"
        return {**VERSION, "Cookie": cookie, "X-CSRFToken": TOKEN, **more}

    def ask(
        self, method: str, address: str, body: bytes | None = None, **headers: str
    ) -> http.client.HTTPResponse:
        """Send one request and read its answer."""
        line = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=60)
        line.request(method, address, body, self.headers(**headers))
        answer = line.getresponse()
        answer.body = answer.read()  # type: ignore[attr-defined]
        line.close()
        return answer

    def announce(self, upload: Upload, name: str, size: int) -> tuple[str, int]:
        """Announce a file; its address and how much of it is there."""
        headers = {"Upload-Length": str(size), "Upload-Metadata": named(name), "Content-Length": "0"}
        answer = self.ask("POST", f"/uploads/{upload.public_id}/files/", None, **headers)
        assert answer.status == 201, answer.status
        return answer.headers["Location"], int(answer.headers["Upload-Offset"])

    def patch(self, address: str, offset: int, body: bytes) -> http.client.HTTPResponse:
        """Send bytes from an offset."""
        return self.ask("PATCH", address, body, **{"Upload-Offset": str(offset), "Content-Type": BYTES})

    def offset(self, address: str) -> int:
        """How much is there."""
        return int(self.ask("HEAD", address).headers["Upload-Offset"])

    def begin_patch(self, address: str, offset: int, length: int, first: bytes) -> socket.socket:
        """Send a request whose body is longer than what is sent of it; the open connection."""
        headers = self.headers(**{"Upload-Offset": str(offset), "Content-Type": BYTES})
        lines = [f"PATCH {address} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        line = socket.create_connection(("127.0.0.1", self.site.port), timeout=60)
        line.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + first)
        return line


def _lives(process: int) -> bool:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return "State:\tZ" not in status


def _environment() -> dict[str, str]:
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        url = f"sqlite:///{database['NAME']}"
    else:
        host = f"{database['HOST']}:{database['PORT'] or 5432}"
        url = f"postgresql://{database['USER']}:{database['PASSWORD']}@{host}/{database['NAME']}"
    return {
        **os.environ,
        "DATABASE_URL": url,
        "SECRET_KEY": settings.SECRET_KEY,
        "MEDIA_ROOT": str(settings.MEDIA_ROOT),
        "UPLOAD_DIR": str(settings.UPLOAD_DIR),
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }


def _wait_for(site: Site) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        assert site.process.poll() is None, "the server did not start"
        line = http.client.HTTPConnection("127.0.0.1", site.port, timeout=60)
        try:
            line.request("GET", "/accounts/login/")
            assert line.getresponse().status == 200
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return
        finally:
            line.close()
    raise AssertionError("the server did not answer")
