"""Processes: their account, their queue, compressed answers."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest
from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from config.middleware import CompressingMiddleware
from config.wsgi import application

pytestmark = pytest.mark.django_db


def test_workers_yield_to_the_web(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nnice\n")
    python.chmod(0o755)
    own = os.nice(0)
    for name, steps in {"web": 0, "worker": 10, "files": 10, "beat": 0}.items():
        done = subprocess.run(
            [Path(settings.BASE_DIR, "config/deploy/run.sh"), name],
            env={**os.environ, "PYTHON": str(python)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert int(done.stdout) == min(19, own + steps), name


PAGE = b"<p>Cells are marked.</p>" * 100


def answered(response: HttpResponseBase, accepted: str = "gzip, deflate, br") -> HttpResponseBase:
    """The answer to a browser that accepts these encodings."""

    def view(_: HttpRequest) -> HttpResponseBase:
        return response

    request = RequestFactory().get("/", HTTP_ACCEPT_ENCODING=accepted)
    result: HttpResponseBase = CompressingMiddleware(view)(request)  # type: ignore[assignment]
    return result


@pytest.mark.parametrize(
    "kind", ["text/html; charset=utf-8", "application/json", "text/csv", "image/svg+xml"]
)
def test_texts_are_a_fraction_and_padded_by_a_random_length(kind: str) -> None:
    sizes = set()
    for _ in range(20):
        answer = answered(HttpResponse(PAGE, content_type=kind, headers={"ETag": '"one"'}))
        assert isinstance(answer, HttpResponse)
        assert gzip.decompress(answer.content) == PAGE
        assert (answer["Content-Encoding"], answer["Vary"]) == ("gzip", "Accept-Encoding")
        assert answer["ETag"] == 'W/"one"'
        assert int(answer["Content-Length"]) == len(answer.content) < len(PAGE) / 5
        sizes.add(len(answer.content))
    assert len(sizes) > 1


@pytest.mark.parametrize(
    "response",
    [
        JsonResponse({"version": 1}),
        HttpResponse(PAGE, content_type="image/webp"),
        HttpResponse(PAGE, content_type="application/zip"),
        HttpResponse(PAGE, headers={"Content-Encoding": "br"}),
        FileResponse(BytesIO(PAGE), content_type="text/csv"),
        StreamingHttpResponse([PAGE], content_type="text/csv"),
    ],
)
def test_small_answers_images_files_and_streams_are_not(response: HttpResponseBase) -> None:
    before = dict(response.items())
    after = dict(answered(response).items())
    after.pop("Vary", None)
    assert after == before


SERVICE = 12_345
WRITES = """
import os, sys
from pathlib import Path
from config.service_account import run_as_owner
folder = Path(sys.argv[1])
run_as_owner(folder / "none", folder / "of-root", folder / "var")
(folder / "var" / "new").mkdir()
print(os.getuid(), os.getgid(), os.getgroups())
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")


def written_by(folder: Path) -> str:
    command = [sys.executable, "-c", WRITES, str(folder)]
    return subprocess.run(command, cwd=settings.BASE_DIR, capture_output=True, text=True, check=True).stdout


@needs_root
def test_root_becomes_the_owner_of_the_data() -> None:
    # Not below pytest's folder, which only root may enter.
    with TemporaryDirectory() as folder:
        home = Path(folder)
        home.chmod(0o755)
        for name in ("of-root", "var"):
            (home / name).mkdir()
        os.chown(home / "var", SERVICE, SERVICE)
        assert written_by(home) == f"{SERVICE} {SERVICE} [{SERVICE}]\n"
        assert (home / "var" / "new").stat().st_uid == SERVICE


@needs_root
def test_without_an_account_root_stays_root(tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    assert written_by(tmp_path).startswith("0 0 ")


# An answer closes old connections, which asks one that an earlier case has left open.


@pytest.mark.parametrize("charset", ["hex", "base64", "rot13", "zlib", "punycode", '"hex"', "unicode_escape"])
def test_a_codec_that_decodes_no_query_is_refused(charset: str) -> None:
    assert status_of(f"text/plain; charset={charset}", "a=%00%ff") == "400 Bad Request"


@pytest.mark.parametrize("content_type", ["", "text/plain", "text/plain; charset=UTF-8", ";;;", "a; b=c"])
def test_what_names_utf8_or_nothing_is_taken(content_type: str) -> None:
    assert status_of(content_type, "a=%00%ff") == "200 OK"


def status_of(content_type: str, query: str) -> str:
    environ: dict[str, Any] = {"PATH_INFO": "/health/live", "QUERY_STRING": query, "HTTP_HOST": "localhost"}
    setup_testing_defaults(environ)
    environ["CONTENT_TYPE"] = content_type
    said: list[str] = []
    b"".join(application(environ, lambda status, _headers, *_: said.append(status)))
    return said[0]
