"""Caching by browsers and proxies: every address declares it, and most forbid it."""

from __future__ import annotations

import logging

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from config.middleware import KeptByNobodyMiddleware, UnreadBodyMiddleware
from tests.factories import make_user
from tests.permissions.table import TABLE
from tests.permissions.walking import Visitor
from tests.permissions.world import make_world

AS = ("lead", "annotator A", "superuser", "anonymous")


@pytest.mark.thorough
@pytest.mark.django_db
def test_every_address_says_what_may_be_kept() -> None:
    logging.disable(logging.CRITICAL)
    visitor = Visitor(make_world())
    silent, seen = [], 0
    for line in TABLE:
        address = reverse(line.name, args=line.parts(visitor.world.one))
        for who in ("anonymous", next((one for one in AS if one in line.who), "anonymous")):
            for method in ("GET", "POST", "PUT"):
                answer, _, _ = visitor.ask(who, method, address, line.sends)
                kept = answer.headers.get("Cache-Control", "")
                seen += 1
                if "no-store" not in kept and "private" not in kept and "max-age=0" not in kept:
                    silent.append(f"{method} {address} as {who}: {answer.status_code} {kept!r}")
    logging.disable(logging.NOTSET)
    assert seen > 300
    allowed = ("/offline/", "/offline-worker.js", "/api/")
    assert not [line for line in silent if not any(name in line for name in allowed)]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/guide/", "/accounts/password/", "/accounts/login/", "/nowhere/"])
def test_pages_are_kept_by_nobody(client: Client, address: str) -> None:
    client.force_login(make_user("ada"))
    assert "no-store" in client.get(address)["Cache-Control"]


def test_what_a_view_says_stands() -> None:
    said = HttpResponse(headers={"Cache-Control": "private, max-age=60"})
    answer = KeptByNobodyMiddleware(lambda _: said)(RequestFactory().get("/"))
    assert answer["Cache-Control"] == "private, max-age=60"


@pytest.mark.parametrize("kind", ["application/json", "application/offset+octet-stream", "text/plain"])
def test_a_refused_body_is_read_to_its_end(kind: str) -> None:
    request = RequestFactory().generic("POST", "/", b"x" * 3_000_000, kind)
    UnreadBodyMiddleware(lambda _: HttpResponse(status=413))(request)
    assert request.read(1) == b""
