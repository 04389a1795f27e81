"""Every route of the API × everybody × every method: the routes are those of the OpenAPI document.

Two projects full of canaries, as for the pages (tests/permissions); here the visitors are tokens.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from analysis.api.api import api
from annotator.models import ApiToken, Membership, User
from annotator.people.tokens import LENGTH, PREFIX, create_token
from tests.permissions.table import LEAD, MEMBERS, OVERSEERS, A
from tests.permissions.walking import METHODS, addresses, canaries_in, writes
from tests.permissions.world import Side, World, make_world

# Every case makes two projects with everything in them.
pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ANYBODY_WITH_A_TOKEN = frozenset({*MEMBERS, "lead of the other project", "deactivated lead", "superuser"})
TOKENLESS = {"anonymous", "session of the lead", "expired token of the lead", "revoked token of the lead"}
SHUT = {*TOKENLESS, "lead whose account is off"}


@dataclass(frozen=True)
class Route:
    """Who gets an answer, and what stands in the address. `takes`: the same people may send something."""

    who: frozenset[str]
    parts: Callable[[Side], Mapping[str, Any]]
    takes: bool = False


def slug(side: Side) -> dict[str, Any]:
    return {"slug": side.slug}


ROUTES: dict[str, Route] = {
    "/projects": Route(ANYBODY_WITH_A_TOKEN, lambda _: {}),
    "/projects/{slug}": Route(MEMBERS, slug),
    "/projects/{slug}/forms": Route(LEAD, slug, takes=True),
    "/projects/{slug}/forms/{form}": Route(LEAD, lambda side: {**slug(side), "form": side.form}),
    "/projects/{slug}/images": Route(LEAD, slug),
    "/images/{image}/picture": Route(MEMBERS, lambda side: {"image": side.image.public_id}),
    "/projects/{slug}/annotations": Route(MEMBERS, slug),
    "/annotations/{annotation}": Route(A | LEAD, lambda side: {"annotation": side.answer_of_a.pk}),
    "/projects/{slug}/reports/{kind}": Route(OVERSEERS, lambda side: {**slug(side), "kind": "agreement"}),
    "/projects/{slug}/exports/{layout}.{form}": Route(
        LEAD, lambda side: {**slug(side), "layout": "sheet", "form": "csv"}
    ),
}
WRITTEN = "/projects/{slug}/suggestion-runs"
# Without a token, because they hold nobody's data: the document, its page, and an address of neither.
OPEN = {"api:openapi-json", "api:openapi-view", "api:api-root"}


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
    expired, revoked = token(one.lead.user), token(one.lead.user)
    last, before = ApiToken.objects.order_by("-pk")[:2]
    last.delete()
    ApiToken.objects.filter(pk=before.pk).update(expires_at=before.created_at)
    made |= {"expired token of the lead": expired, "revoked token of the lead": revoked}
    cookie = {"cookie": f"anatomark_session={world.cookies['lead']}"}
    return {"anonymous": {}, "session of the lead": cookie, **made}


def token(user: User | None) -> dict[str, str]:
    assert user is not None
    _, secret = create_token(user=user, name="walk", days=1)
    return {"authorization": f"Bearer {secret}"}


def test_every_address_has_a_line() -> None:
    described = api.get_openapi_schema()["paths"]
    assert {path.removeprefix("/api/v1"): set(methods) for path, methods in described.items()} == {
        # tests/analysis/api/test_suggestions.py has who may write there.
        **{path: {"get", "post"} if route.takes else {"get"} for path, route in ROUTES.items()},
        WRITTEN: {"post"},
    }, "Say who gets an answer."
    there = {name: f"/{route}" for name, route in addresses() if name.startswith("api:")}
    assert {re.sub(r"<\w+:(\w+)>", r"{\1}", there[name]) for name in set(there) - OPEN} == set(described)


@pytest.mark.timeout(900)
@pytest.mark.slow
def test_nobody_gets_what_is_not_theirs(
    world: World, headers: dict[str, dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    cells, opened, wrong = 0, 0, []
    client = Client(raise_request_exception=False)
    for path, side, method, who in product(ROUTES, (world.one, world.two), METHODS, headers):
        cells += 1
        problems, answered = try_cell(client, world, headers[who], path, method, who, side)
        wrong += problems
        opened += answered
    with capsys.disabled():
        print(f"\napi: {cells} cells, {opened} open, {len(wrong)} leaks")
    assert not wrong, "\n".join(wrong[:40])
    assert cells == len(ROUTES) * 2 * len(METHODS) * len(headers)
    assert opened >= len(ROUTES)


def try_cell(
    client: Client, world: World, headers: dict[str, str], path: str, method: str, who: str, side: Side
) -> tuple[list[str], bool]:
    """Send one request and undo it; returns what was wrong with the answer, and whether it was one."""
    route = ROUTES[path]
    with transaction.atomic():
        with writes() as written:
            answered = client.generic(method, "/api/v1" + path.format(**route.parts(side)), headers=headers)
            heard = b"".join(answered) if answered.streaming else answered.content
        transaction.set_rollback(True)
    cell = f"{method} {path} of side {side.number} as {who}: {answered.status_code}"
    problems = []
    expected = expected_status(route, who, side)
    if method == "POST" and route.takes:
        expected = {200: 422}.get(expected, expected)  # nothing is sent
    elif method != "GET":
        expected = 405
    if answered.status_code != expected:
        problems.append(f"{cell}, expected {expected}")
    is_open = answered.status_code == 200
    # An export leaves an event.
    if written and not (is_open and "exports/{layout}" in path):
        problems.append(f"{cell} wrote {written}")
    if not is_open and method != "HEAD" and set(json.loads(heard)["error"]) != {"code", "message", "fields"}:
        problems.append(f"{cell}: not our shape")
    text = heard.decode("utf-8", "replace") + str(answered.headers)
    problems += [f"{cell} tells {name}" for name in canaries_in(world, who, text)]
    if method == "GET" and path == "/projects" and who == "lead of the other project":
        assert world.two.project.name in text
    return problems, is_open


def expected_status(route: Route, who: str, side: Side) -> int:
    if who in SHUT:
        return 401
    if route.who == ANYBODY_WITH_A_TOKEN:
        return 200
    if side.number == 2:
        allowed = who == "lead of the other project" and "lead" in route.who
    else:
        allowed = who in route.who
    return 200 if allowed else 404


def test_a_token_opens_no_page_and_no_admin(world: World, headers: dict[str, dict[str, str]]) -> None:
    superuser, lead = headers["superuser"], headers["lead"]
    client = Client()
    for page in (
        "/",
        f"/projects/{world.one.slug}/",
        "/settings/tokens/",
        f"/projects/{world.one.slug}/exports/",
    ):
        assert client.get(page, headers=lead)["Location"].startswith("/accounts/login/")
    assert client.get("/admin/", headers=superuser)["Location"].startswith("/admin/login/")
    assert (
        client.get(f"/assignments/{world.one.of_a.pk}/state", headers=headers["annotator A"]).status_code
        == 401
    )


def test_rights_end_at_once(world: World, headers: dict[str, dict[str, str]]) -> None:
    address, client = f"/api/v1/projects/{world.one.slug}/images", Client()
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
    unknown = {"authorization": f"Bearer {PREFIX.ljust(LENGTH, 'x')}"}
    sent = [headers[who] for who in sorted(SHUT)] + [unknown, {"authorization": "Basic YTpi"}]
    answers = [client.get("/api/v1/projects", headers=each) for each in sent]
    assert {(one.status_code, one.content, one["WWW-Authenticate"]) for one in answers} == {
        (401, answers[0].content, 'Bearer realm="anatomark"')
    }


@pytest.mark.slow
def test_the_canaries_sing(world: World, headers: dict[str, dict[str, str]]) -> None:
    """A walk that hears nothing proves nothing: leads are told what leads may know."""
    client, heard = Client(), ""
    for path, route in ROUTES.items():
        if "picture" not in path:
            answer = client.get("/api/v1" + path.format(**route.parts(world.one)), headers=headers["lead"])
            heard += (b"".join(answer) if answer.streaming else answer.content).decode()
    silent = {name for name, canary in world.one.canaries.items() if canary not in heard}
    assert not silent & {"project", "batch", "generator", "source", "prompt", "group", "answer a", "code a"}
    assert canaries_in(world, "annotator A", heard)


def test_no_cookie_is_set_or_read(world: World, headers: dict[str, dict[str, str]]) -> None:
    answer = Client().get("/api/v1/projects", headers=headers["lead"])
    assert not answer.cookies
    assert "Cookie" not in answer.headers.get("Vary", "")
