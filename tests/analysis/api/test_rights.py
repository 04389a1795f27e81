"""Every route of the API × everybody × every method: the routes are those of the OpenAPI document.

Two projects full of canaries, as for the pages (tests/permissions); here the visitors are tokens.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client

from analysis.api.document import document
from annotator.models import ApiToken, Membership, User
from annotator.people.tokens import create_token, new_secret
from tests.factories import make_payload
from tests.permissions.table import LEAD, MEMBERS, OVERSEERS, A
from tests.permissions.walking import METHODS, addresses, canaries_in, writes
from tests.permissions.world import Side, World, make_world

# Every case makes two projects with everything in them.
pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LEAST_CELLS = 700 * len(METHODS)
ANYBODY_WITH_A_TOKEN = frozenset({*MEMBERS, "lead of the other project", "deactivated lead", "superuser"})
TOKENLESS = {"anonymous", "session of the lead", "expired token of the lead", "revoked token of the lead"}
SHUT = {*TOKENLESS, "lead whose account is off"}
READ_ONLY = {"reading lead": "lead", "reading annotator A": "annotator A"}


@dataclass(frozen=True)
class Route:
    """Who gets an answer, what stands in the address, and what is sent."""

    who: frozenset[str]
    parts: Callable[[Side], Mapping[str, Any]]
    sends: Callable[[Side], object] = lambda _: None


def slug(side: Side) -> dict[str, Any]:
    return {"slug": side.slug}


def report(side: Side) -> dict[str, Any]:
    return {"slug": side.slug, "kind": "agreement"}


def answer(_: Side) -> object:
    return {"payload": make_payload(), "version": 2, "request_key": str(uuid4())}


ROUTES: dict[tuple[str, str], Route] = {
    ("get", "/projects"): Route(ANYBODY_WITH_A_TOKEN, lambda _: {}),
    ("get", "/projects/{slug}"): Route(MEMBERS, slug),
    ("get", "/projects/{slug}/people"): Route(LEAD, slug),
    ("get", "/projects/{slug}/overview"): Route(LEAD, slug),
    ("get", "/projects/{slug}/images"): Route(LEAD, slug),
    ("get", "/projects/{slug}/images/{image}"): Route(
        LEAD, lambda side: {**slug(side), "image": side.image.public_id}
    ),
    ("get", "/images/{image}/picture"): Route(MEMBERS, lambda side: {"image": side.image.public_id}),
    ("get", "/projects/{slug}/batches"): Route(LEAD, slug),
    ("get", "/batches/{batch}"): Route(LEAD, lambda side: {"batch": side.batch.pk}),
    ("get", "/projects/{slug}/assignments"): Route(LEAD, slug),
    ("get", "/projects/{slug}/queue"): Route(MEMBERS, slug),
    ("get", "/assignments/{assignment}"): Route(A, lambda side: {"assignment": side.of_a.pk}),
    ("get", "/projects/{slug}/annotations"): Route(MEMBERS, slug),
    ("get", "/annotations/{annotation}"): Route(A | LEAD, lambda side: {"annotation": side.answer_of_a.pk}),
    # The answer is submitted: whose it is, is told so with 409, which is an answer.
    ("post", "/assignments/{assignment}/save"): Route(A, lambda side: {"assignment": side.of_a.pk}, answer),
    ("post", "/assignments/{assignment}/submit"): Route(A, lambda side: {"assignment": side.of_a.pk}, answer),
    ("post", "/assignments/{assignment}/reopen"): Route(
        A,
        lambda side: {"assignment": side.of_a.pk},
        lambda _: {"version": 2, "request_key": str(uuid4())},
    ),
    ("post", "/assignments/{assignment}/skip"): Route(
        A,
        lambda side: {"assignment": side.of_a.pk},
        lambda _: {"version": 2, "request_key": str(uuid4()), "reason": "broken"},
    ),
    ("get", "/projects/{slug}/questions"): Route(LEAD, slug),
    ("post", "/questions/{question}/answers"): Route(
        LEAD,
        lambda side: {"question": side.question.pk},
        lambda _: {"text": "Yes.", "version": 2, "request_key": str(uuid4())},
    ),
    ("get", "/projects/{slug}/announcements"): Route(LEAD, slug),
    ("get", "/projects/{slug}/faces"): Route(LEAD, slug),
    ("get", "/projects/{slug}/references"): Route(LEAD, slug),
    ("get", "/projects/{slug}/standings"): Route(LEAD, slug),
    ("get", "/projects/{slug}/reports/{kind}"): Route(OVERSEERS, report),
    ("get", "/projects/{slug}/reports/{kind}/status"): Route(OVERSEERS, report),
    ("post", "/projects/{slug}/reports/{kind}/refresh"): Route(OVERSEERS, report),
    ("post", "/projects/{slug}/reports/{kind}/cancel"): Route(OVERSEERS, report),
    ("get", "/projects/{slug}/exports/{layout}.{form}"): Route(
        LEAD, lambda side: {**slug(side), "layout": "sheet", "form": "csv"}
    ),
    ("get", "/projects/{slug}/exports"): Route(LEAD, slug),
    ("post", "/projects/{slug}/exports"): Route(LEAD, slug, lambda _: {"layout": "marks"}),
    ("get", "/exports/{job}/file"): Route(LEAD, lambda side: {"job": side.made.pk}),
    ("get", "/jobs/{job}"): Route(LEAD, lambda side: {"job": side.job.pk}),
    ("post", "/jobs/{job}/cancel"): Route(LEAD, lambda side: {"job": side.job.pk}),
}
# Without a token, because they hold nobody's data: the document, its page, and that there is nothing else.
OPEN = {"api:openapi", "api:docs", "api:nowhere", "api:root"}


@pytest.fixture
def world(caplog: pytest.LogCaptureFixture) -> World:
    caplog.set_level(logging.CRITICAL, logger="django.request")
    return make_world()


@pytest.fixture
def headers(world: World) -> dict[str, dict[str, str]]:
    """What everybody's program sends along."""
    one, two = world.one, world.two
    people = {
        "annotator A": one.a.user,
        "annotator B": one.b.user,
        "reviewer": one.reviewer.user,
        "lead": one.lead.user,
        "lead of the other project": two.lead.user,
        "deactivated lead": one.off.user,
        "superuser": User.objects.get(username="root"),
        "lead whose account is off": User.objects.get(username="switched off"),
    }
    made = {who: token(user) for who, user in people.items()}
    made |= {reader: token(people[who], scope="read") for reader, who in READ_ONLY.items()}
    expired, revoked = token(one.lead.user), token(one.lead.user)
    last, before = ApiToken.objects.order_by("-pk")[:2]
    ApiToken.objects.filter(pk=last.pk).update(revoked_at=last.created_at)
    ApiToken.objects.filter(pk=before.pk).update(expires_at=before.created_at)
    made |= {"expired token of the lead": expired, "revoked token of the lead": revoked}
    # No reading has to note that a token was used, however long the walk takes.
    ApiToken.objects.update(last_used_at=last.created_at + timedelta(hours=1))
    cookie = {"cookie": f"anatomark_session={world.cookies['lead']}"}
    return {"anonymous": {}, "session of the lead": cookie, **made}


def token(user: User | None, scope: str = "read_write") -> dict[str, str]:
    assert user is not None
    secret = new_secret()
    create_token(user=user, name="walk", scope=scope, days=1, secret=secret)
    return {"authorization": f"Bearer {secret}"}


def test_every_route_has_a_line() -> None:
    there = {
        (method, path.removeprefix("/api/v1"))
        for path, methods in document()["paths"].items()
        for method in methods
    }
    assert there == set(ROUTES), "Say in ROUTES, one line each, who gets an answer."


def test_every_address_is_in_the_document() -> None:
    there = {(name, re.sub(r"<\w+:(\w+)>", r"{\1}", route)) for name, route in addresses()}
    routes = {f"/{route}" for name, route in there if name.startswith("api:") and name not in OPEN}
    assert routes == set(document()["paths"])
    assert {name for name, _ in there} >= OPEN


@pytest.mark.timeout(900)
@pytest.mark.slow
def test_nobody_gets_what_is_not_theirs(
    world: World, headers: dict[str, dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    cells, opened, wrong = 0, 0, []
    client = Client(raise_request_exception=False)
    for path in sorted({path for _, path in ROUTES}):
        for side in (world.one, world.two):
            for method in METHODS:
                for who in headers:
                    cells += 1
                    problems, answered = try_cell(client, world, headers, path, method, who, side)
                    wrong += problems
                    opened += answered
    with capsys.disabled():
        print(f"\napi: {cells} cells, {opened} open, {len(wrong)} leaks")
    assert not wrong, "\n".join(wrong[:40])
    assert cells >= LEAST_CELLS
    assert opened >= len(ROUTES)


def try_cell(
    client: Client,
    world: World,
    headers: Mapping[str, dict[str, str]],
    path: str,
    method: str,
    who: str,
    side: Side,
) -> tuple[list[str], bool]:
    """Send one request and undo it; returns what was wrong with the answer, and whether it was one."""
    route = ROUTES.get((method.lower(), path))
    parts = (route or next(one for (_, p), one in ROUTES.items() if p == path)).parts(side)
    sends = route.sends(side) if route else None
    body = json.dumps(sends) if sends is not None else ""
    with transaction.atomic():
        with writes() as written:
            answered = client.generic(
                method, "/api/v1" + path.format(**parts), body, "application/json", headers=headers[who]
            )
            heard = b"".join(answered) if answered.streaming else answered.content
        transaction.set_rollback(True)
    expected = expected_status(route, method, who, side)
    cell = f"{method} {path} of side {side.number} as {who}: {answered.status_code}"
    found = []
    if answered.status_code not in expected:
        found.append(f"{cell}, expected {sorted(expected)}")
    is_open = answered.status_code < 300 or answered.status_code == 409
    if written and (not is_open or (method == "GET" and "exports/{layout}" not in path)):
        found.append(f"{cell} wrote {written}")
    if not is_open and method != "HEAD" and set(json.loads(heard)["error"]) != {"code", "message", "fields"}:
        found.append(f"{cell}: not our shape")
    text = heard.decode("utf-8", "replace") + str(answered.headers)
    found += [f"{cell} tells {name}" for name in canaries_in(world, READ_ONLY.get(who, who), text)]
    if route and path == "/projects" and who == "lead of the other project" and side.number == 1:
        assert world.two.project.name in text
    return found, is_open


def expected_status(route: Route | None, method: str, who: str, side: Side) -> set[int]:
    if route is None:
        return {405}
    if who in SHUT:
        return {401}
    if who in READ_ONLY:
        if method == "POST":
            return {403}
        who = READ_ONLY[who]
    if route.who == ANYBODY_WITH_A_TOKEN:
        return {200}
    if side.number == 2:
        allowed = who == "lead of the other project" and "lead" in route.who
    else:
        allowed = who in route.who
    return {200, 202, 409} if allowed else {404}


def test_a_token_opens_no_page_and_no_admin(world: World, headers: dict[str, dict[str, str]]) -> None:
    superuser, lead = headers["superuser"], headers["lead"]
    client = Client()
    for page in (
        "/",
        f"/projects/{world.one.slug}/",
        "/settings/tokens/",
        f"/projects/{world.one.slug}/export/sheet.csv",
    ):
        assert client.get(page, headers=lead)["Location"].startswith("/accounts/login/")
    assert client.get("/admin/", headers=superuser)["Location"].startswith("/admin/login/")
    assert (
        client.get(f"/assignments/{world.one.of_a.pk}/state", headers=headers["annotator A"]).status_code
        == 401
    )


def test_rights_end_at_once(world: World, headers: dict[str, dict[str, str]]) -> None:
    address, client = f"/api/v1/projects/{world.one.slug}/people", Client()
    assert client.get(address, headers=headers["lead"]).status_code == 200
    Membership.objects.filter(pk=world.one.lead.pk).update(role="annotator")
    assert client.get(address, headers=headers["lead"]).status_code == 404
    Membership.objects.filter(pk=world.one.lead.pk).update(role="lead", is_active=False)
    assert client.get(address, headers=headers["lead"]).status_code == 404
    Membership.objects.filter(pk=world.one.lead.pk).update(is_active=True)
    assert client.get(address, headers=headers["lead"]).status_code == 200
    User.objects.filter(memberships=world.one.lead).update(is_active=False)
    assert client.get(address, headers=headers["lead"]).status_code == 401


def test_every_refused_token_gets_the_same_bytes(world: World, headers: dict[str, dict[str, str]]) -> None:
    client = Client()
    unknown = {"authorization": f"Bearer {new_secret()}"}
    sent = [headers[who] for who in sorted(SHUT)] + [unknown, {"authorization": "Basic YTpi"}]
    answers = [client.get("/api/v1/projects", headers=each) for each in sent]
    assert {(one.status_code, one.content, one["WWW-Authenticate"]) for one in answers} == {
        (401, answers[0].content, 'Bearer realm="anatomark"')
    }


@pytest.mark.slow
def test_the_canaries_sing(world: World, headers: dict[str, dict[str, str]]) -> None:
    """A walk that hears nothing proves nothing: leads are told what leads may know."""
    client, heard = Client(), ""
    for (method, path), route in ROUTES.items():
        if method == "get" and "picture" not in path:
            found = client.get("/api/v1" + path.format(**route.parts(world.one)), headers=headers["lead"])
            heard += (b"".join(found) if found.streaming else found.content).decode()
    silent = {name for name, canary in world.one.canaries.items() if canary not in heard}
    assert not silent & {"project", "batch", "generator", "source", "prompt", "group", "answer a"}
    assert not silent & {"job", "file", "file of b", "code a", "account a", "code off"}
    assert canaries_in(world, "annotator A", heard)


@pytest.mark.thorough
def test_no_cookie_is_set_or_read(world: World, headers: dict[str, dict[str, str]]) -> None:
    answer = Client().get("/api/v1/projects", headers=headers["lead"])
    assert not answer.cookies
    assert "Cookie" not in answer.headers.get("Vary", "")
