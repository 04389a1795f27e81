"""The way in: what Django would fall over before it has asked any middleware."""

from __future__ import annotations

from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from config.wsgi import application

# An answer closes old connections, which asks one that an earlier case has left open.
pytestmark = pytest.mark.django_db


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
