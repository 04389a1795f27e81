"""Every address × every kind of visitor × every method, with two projects full of canaries; caching."""

from __future__ import annotations

import logging

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from annotator.models import User
from config.middleware import HeadersMiddleware, UnreadBodyMiddleware
from tests.permissions.table import ANYBODY, NEVER, TABLE
from tests.permissions.walking import (
    EVERY_METHOD,
    METHODS,
    Tally,
    Visitor,
    addresses,
    canaries_in,
    walk_admin,
    walk_line,
)
from tests.permissions.world import World, make_world

pytestmark = pytest.mark.django_db

OF_OTHER_PROTOCOLS = ("faces", "data_set_filters", "rating_form")
MOST_KINDS = 45
"""Of pages that a lead of anatomy has in a project; files, parts and redirects are none."""
LEAST_CELLS = 2150 * len(METHODS) if METHODS == EVERY_METHOD else 2500


@pytest.fixture
def world(caplog: pytest.LogCaptureFixture) -> World:
    caplog.set_level(logging.CRITICAL, logger="django.request")  # thousands of refusals are no news
    return make_world()


def test_every_address_has_a_line() -> None:
    # The API's routes are walked in tests/analysis/api/test_rights.py, token by token.
    there = {name for name, _ in addresses() if not name.startswith(("admin:", "api:"))}
    listed = {line.name for line in TABLE}
    unlisted, gone = sorted(there - listed), sorted(listed - there)
    assert not unlisted, f"Say in tests/permissions/table.py, one line each, who may open: {unlisted}"
    assert not gone, f"tests/permissions/table.py has lines for addresses that are gone: {gone}"


@pytest.mark.timeout(900)  # half a minute by itself; the machine may have other things to do
@pytest.mark.slow
def test_nobody_gets_what_is_not_theirs(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(world.cookies) == ANYBODY
    visitor, tally = Visitor(world), Tally()
    for line in TABLE:
        for side in (world.one, world.two):
            walk_line(visitor, line, side, tally)
    walk_admin(visitor, tally)
    with capsys.disabled():
        print(f"\npermissions: {tally.cells} cells, {tally.reached} open, {len(tally.leaks)} leaks")
    assert not tally.leaks, "\n".join(tally.leaks)
    assert tally.cells >= LEAST_CELLS
    # The walk detects leaks: the lead gets every canary that leads may see.
    _, body, _ = visitor.ask("lead", "GET", f"{reverse('questions', args=[world.one.slug])}?state=all")
    heard = tally.heard_by_lead | set(canaries_in(world, "", body.decode()))
    silent = {name for name in world.one.canaries if f"{name} of side 1" not in heard}
    # Only files and the API name an image by its contents.
    assert silent == NEVER - {"panel id"} | {"file", "file of b"}
    kinds = {name for name in tally.whole_pages if not name.startswith(OF_OTHER_PROTOCOLS)}
    assert len(kinds) <= MOST_KINDS, sorted(kinds)


@pytest.mark.slow
def test_a_form_of_another_project_is_unknown_at_every_address(world: World) -> None:
    visitor, refused, leaks = Visitor(world), {1: 0, 2: 0}, []
    for line in (line for line in TABLE if "GET" in line.methods):
        for side in (world.one, world.two):
            form = side.form
            address = f"{reverse(line.name, args=line.parts(world.one))}?protocol={form}"
            answer, body, _ = visitor.ask("lead", "GET", address)
            refused[side.number] += answer.status_code == 404
            told = canaries_in(world, "lead", body.decode(errors="replace"))
            leaks += [f"{address} tells {name}" for name in told if name != f"{line.shows} of side 1"]
    assert leaks == []
    assert refused[2] > refused[1]


@pytest.mark.slow
def test_no_address_makes_an_account_without_an_invitation(world: World) -> None:
    before = set(User.objects.values_list("pk", flat=True))
    fields = {
        **dict.fromkeys(("username", "code", "email", "name"), "brand-new"),
        **dict.fromkeys(("password", "password1", "password2"), "a-password-like-no-other"),
        "invitation": str(world.one.invitation.pk),
        "role": "lead",
    }
    client = Client(raise_request_exception=False)
    for line in TABLE:
        # Joining needs an open invitation and is tested with invitations.
        if line.name != "invitation":
            for side in (world.one, world.two):
                client.post(reverse(line.name, args=line.parts(side)), fields)
    for name in ("register", "signup", "accounts/register", "accounts/signup", "admin/annotator/user/add"):
        client.post(f"/{name}/", fields)
    assert set(User.objects.values_list("pk", flat=True)) == before


def test_what_a_view_says_stands() -> None:
    said = HttpResponse(headers={"Cache-Control": "private, max-age=60"})
    HeadersMiddleware(lambda _: said)(RequestFactory().get("/"))
    assert said["Cache-Control"] == "private, max-age=60"


@pytest.mark.parametrize("kind", ["application/json", "application/offset+octet-stream", "text/plain"])
def test_a_refused_body_is_read_to_its_end(kind: str) -> None:
    request = RequestFactory().generic("POST", "/", b"x" * 3_000_000, kind)
    UnreadBodyMiddleware(lambda _: HttpResponse(status=413))(request)
    assert request.read(1) == b""
