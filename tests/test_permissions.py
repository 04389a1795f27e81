"""Every address × every kind of visitor × every method, with two projects full of canaries; caching."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.urls import reverse

from annotator.models import User
from config.middleware import KeptByNobodyMiddleware, UnreadBodyMiddleware
from tests.permissions.rating import make_rated
from tests.permissions.table import ANNOTATORS, ANYBODY, NEVER, TABLE
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

LEAST_CELLS = 2200 * len(METHODS) if METHODS == EVERY_METHOD else 2800


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


@pytest.mark.slow
def test_the_canaries_sing(world: World) -> None:
    """The walk detects leaks: leads see every canary that leads may see."""
    heard = ""
    visitor = Visitor(world)
    for address in PAGES:
        _, body, _ = visitor.ask("lead", "GET", address.format(world.one))
        heard += body.decode()
    silent = {name for name, canary in world.one.canaries.items() if canary not in heard}
    assert silent == {"file", "file of b", *NEVER}
    assert set(canaries_in(world, "annotator A", heard)) >= {
        "answer b of side 1",
        "generator of side 1",
        "source of side 1",
    }


@pytest.mark.slow  # two projects with everything in them
@pytest.mark.thorough  # tests/test_blurred_faces.py walks the pages of one rater
def test_raters_learn_nothing_of_an_image(world: World) -> None:
    """Neither prompt, generator, file and group nor what others have said: realism cannot show them."""
    raters = {who: world.cookies[who] for who in sorted(ANNOTATORS)}
    visitor, tally = Visitor(replace(world, cookies=raters)), Tally()
    for side in make_rated(world.one):
        for line in TABLE:
            if line.who & ANNOTATORS:
                walk_line(visitor, line, side, tally)
    # What A has not rated yet has no page of A's answer.
    assert [leak for leak in tally.leaks if "own_answer of side 1 as annotator A: 404" not in leak] == []
    assert tally.cells > 300


PAGES = (
    "/settings/tokens/",
    "/projects/{0.slug}/",
    "/projects/{0.slug}/people/",
    "/projects/{0.slug}/guideline/",
    "/projects/{0.slug}/guideline/edit/",
    "/projects/{0.slug}/references/",
    "/projects/{0.slug}/images/{0.image.public_id}/",
    "/projects/{0.slug}/images/{0.image_of_b.public_id}/",
    "/projects/{0.slug}/export/sheet.csv",
    "/jobs/{0.job.pk}/",
    "/batches/{0.batch.pk}/",
    "/projects/{0.slug}/questions/?state=all",
)


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


OF_OTHER_PROTOCOLS = ("faces", "data_set_filters", "rating_form")
MOST_KINDS = 45


def test_a_lead_of_anatomy_has_few_kinds_of_pages(world: World) -> None:
    """Addresses of one project that answer with a whole page; files, parts and redirects are none."""
    visitor, kinds = Visitor(world), set()
    for line in TABLE:
        if "lead" not in line.who or "GET" not in line.methods or not line.parts(world.one):
            continue
        answer, body, _ = visitor.ask("lead", "GET", reverse(line.name, args=line.parts(world.one)))
        if answer.status_code == 200 and body.lstrip().startswith(b"<!doctype html>"):
            kinds.add(line.name)
    kinds = {name for name in kinds if not name.startswith(OF_OTHER_PROTOCOLS)}
    assert len(kinds) <= MOST_KINDS, sorted(kinds)


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


def test_what_a_view_says_stands() -> None:
    said = HttpResponse(headers={"Cache-Control": "private, max-age=60"})
    answer = KeptByNobodyMiddleware(lambda _: said)(RequestFactory().get("/"))
    assert answer["Cache-Control"] == "private, max-age=60"


@pytest.mark.parametrize("kind", ["application/json", "application/offset+octet-stream", "text/plain"])
def test_a_refused_body_is_read_to_its_end(kind: str) -> None:
    request = RequestFactory().generic("POST", "/", b"x" * 3_000_000, kind)
    UnreadBodyMiddleware(lambda _: HttpResponse(status=413))(request)
    assert request.read(1) == b""
