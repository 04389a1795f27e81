"""Unstorable text, sent as every parameter of every address, is refused without a server error.

Which parameters an address takes is learnt while it is walked: whatever name a view or a form looks up is
sent in the next round.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from analysis.api.api import api
from annotator.inputs.storable import UnstorableNumber, UnstorableText
from annotator.models import Project
from tests.analysis.api.callers import calling
from tests.analysis.api.test_rights import ROUTES
from tests.factories import make_payload, make_user
from tests.permissions.table import TABLE, Line
from tests.permissions.walking import Visitor, addresses
from tests.permissions.world import World, make_world

ODD = ("%00", "a%00b")
# As a JSON body can carry them; the escapes are those of JSON itself.
ODD_JSON = ("a\0b", "\ud800", "\udfffx")
ROUNDS = 3
LEAST_REQUESTS = 1100
AS = ("lead", "annotator A", "superuser")
FORM = "application/x-www-form-urlencoded"

pytestmark = pytest.mark.django_db


@pytest.mark.databases
class TestOneByOne:
    """The server errors, each with its request."""

    def test_no_database_is_given_such_text(self) -> None:
        for name in ("a\0b", "\ud800", "a\udfff"):
            with pytest.raises(UnstorableText):
                Project.objects.filter(name=name).exists()
            with pytest.raises(UnstorableText), transaction.atomic():
                Project.objects.bulk_create([Project(slug="x", name="x"), Project(slug="y", name=name)])
        assert not Project.objects.exists()
        assert Project.objects.create(slug="x", name="ok \U0001f642 \ufffd \ue000").pk

    def test_a_number_that_is_too_large_is_no_fault_of_the_server(self) -> None:
        asked = Project.objects.filter(pk__in=[10**20])
        if connection.vendor == "sqlite":
            with pytest.raises(UnstorableNumber):
                asked.exists()
        else:
            assert not asked.exists()

    def test_a_cookie_names_no_session_with_it(self) -> None:
        # A quoted cookie may carry any byte as an escape.
        cookie = rf'{settings.SESSION_COOKIE_NAME}="aaaa\000aaaaaaaaaaaaaa"'
        assert Client().get("/accounts/login/", headers={"cookie": cookie}).status_code == 200

    @pytest.mark.parametrize("charset", ["utf-7", "no-such-codec"])
    def test_another_charset_is_refused(self, client: Client, charset: str) -> None:
        client.force_login(make_user("ada"))
        kind = f"{FORM}; charset={charset}"
        assert client.get("/?q=+2AA-", CONTENT_TYPE=kind).status_code == 400
        assert client.generic("POST", "/settings/", b"a=+2AA-", kind).status_code == 400
        answer = client.get("/api/v1/projects?x=1", CONTENT_TYPE=kind)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "malformed")


@pytest.fixture
def world() -> Iterator[World]:
    logging.disable(logging.CRITICAL)  # thousands of refusals are no news
    yield make_world()
    logging.disable(logging.NOTSET)


@contextmanager
def looked_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """Collect the parameter names that queries and forms look up."""
    names: set[str] = set()
    with monkeypatch.context() as patched:
        for method in ("get", "getlist", "__getitem__", "__contains__"):
            real = getattr(QueryDict, method)

            def noting(self: QueryDict, name: Any, *rest: Any, real: Any = real, **more: Any) -> Any:
                names.add(str(name))
                return real(self, name, *rest, **more)

            patched.setattr(QueryDict, method, noting)
        yield names


@pytest.mark.thorough
@pytest.mark.databases
@pytest.mark.timeout(900)
class TestEverywhere:
    def test_pages(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        visitor, faults, tried = Visitor(world), [], 0
        lines = list(TABLE)
        lines += [
            Line(name, lambda _: [], frozenset({"superuser"}), ("GET",))
            for name, route in addresses()
            if name.startswith("admin:") and "<" not in route and name != "admin:jsi18n"
        ]
        for line in lines:
            address = reverse(line.name, args=line.parts(world.one))
            who = next((one for one in AS if one in line.who), "anonymous")
            for method in {"GET", "POST"} & set(line.methods):
                for query, body, status in walk(visitor, monkeypatch, who, method, address, line.sends):
                    tried += 1
                    if status >= 500 and status != line.says:
                        faults.append(f"{method} {address}?{query} {body}: {status}")
        assert not faults, "\n".join(faults)
        assert tried >= LEAST_REQUESTS

    def test_paths(self, world: World) -> None:
        visitor = Visitor(world)
        for name, route in addresses():
            parts = [part for part in route.split("/") if "<" in part]
            for place in range(len(parts)):
                odd = route
                for other, part in enumerate(parts):
                    odd = odd.replace(part, "a%00b" if other == place else "1", 1)
                for who in AS:
                    answer, _, _ = visitor.ask(who, "GET", f"/{odd}".replace("^", "").replace("$", ""))
                    assert answer.status_code < 500, (name, odd)

    def test_api(self, world: World) -> None:
        people = {"lead": world.one.lead, "annotator A": world.one.a}
        tokens = {who: calling(member.user) for who, member in people.items()}
        described = api.get_openapi_schema()["paths"]
        for path, route in ROUTES.items():
            address = path.format(**{name: str(part) for name, part in route.parts(world.one).items()})
            caller = tokens[next(who for who in ("lead", "annotator A") if who in route.who)]
            for named in described[f"/api/v1{path}"]["get"].get("parameters", []):
                if named["in"] == "query":
                    for odd in ODD:
                        with undone():
                            answer = caller.get(f"{address}?{named['name']}={odd}")
                        assert answer.status_code in (400, 404, 409, 422), (address, named["name"])

    def test_scripts(self, world: World) -> None:
        visitor = Visitor(world)
        sent = {"version": 2, "payload": make_payload(), "request_key": str(uuid4()), "capture": {}}
        for name in ("answer_save", "answer_submit", "answer_skip", "answer_reopen"):
            address = reverse(name, args=[world.one.of_a.pk])
            for body in odd_bodies(sent | {"reason": "x", "note": "x"}):
                become(visitor, "annotator A")
                with undone():
                    answer = visitor.client.post(address, json.dumps(body), "application/json")
                assert answer.status_code < 500, (address, body)
        become(visitor, "lead")
        address = reverse("upload_known", args=[world.one.upload.public_id])
        for odd in ODD_JSON:
            for body in ({"files": [[odd, 1]]}, {"files": [[odd, odd]]}, {"files": odd}, {odd: odd}):
                with undone():
                    answer = visitor.client.post(address, json.dumps(body), "application/json")
                assert answer.status_code < 500, (address, body)


def walk(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, who: str, method: str, address: str, sends: str
) -> Iterator[tuple[str, str, int]]:
    """Send every looked-up parameter with one of the odd values in turn; yield the request and the status."""
    done: set[str] = set()
    names = {"q", "p", "next"}
    for _ in range(ROUNDS):
        for place, name in enumerate(sorted(names - done)):
            pair = f"{quote(name)}={ODD[place % len(ODD)]}"
            body = "&".join(part for part in (sends, pair) if part) if method == "POST" else ""
            query = pair if method == "GET" else ""
            with looked_up(monkeypatch) as found:
                answer, _, _ = visitor.ask(who, method, f"{address}?{query}", body)
            names |= found
            yield query, body, answer.status_code
            done.add(name)


def odd_bodies(sent: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the body with one odd text as each value, inside each, and as a key."""
    for odd in ODD_JSON:
        yield sent | {odd: 1}
        for name in sent:
            yield sent | {name: odd}
            yield sent | {name: [odd]}
            yield sent | {name: {odd: odd}}


def become(visitor: Visitor, who: str) -> None:
    visitor.client.cookies = SimpleCookie({settings.SESSION_COOKIE_NAME: visitor.world.cookies[who]})


@contextmanager
def undone() -> Iterator[None]:
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
