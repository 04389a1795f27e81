"""One request for every address, visitor and method, and the faults of its response."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import unquote

from django.conf import settings
from django.db import connection, transaction
from django.http.response import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from annotator.images.signed_urls import image_url
from annotator.models import Assignment
from tests.factories import user_of
from tests.permissions.table import EVERYTHING_OF, LEAD, NEVER, OWN, Line
from tests.permissions.world import Side, World

EVERY_METHOD = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_EVERYBODY = bool(os.environ.get("THOROUGH"))
ABROAD = ("lead",)
"""A representative on the second side, where no visitor of the first side has a role.

Its own lead gets what the lead of the first side gets.
"""
AT_THE_ADMIN = ("anonymous", "lead", "lead of the other project", "superuser")
IN_VAIN = ("annotator A",)
"""Representatives where an address takes no such method, which is refused before anybody is asked about."""
METHODS = EVERY_METHOD if _EVERYBODY else ("GET", "POST")
"""Methods for every address; other changing methods are tried where an address accepts them."""
SAFE = {"GET", "HEAD", "OPTIONS"}
REFUSED = {401, 403, 404, 405}
_WRITE = re.compile(r'\s*(INSERT INTO|UPDATE|DELETE FROM) "(?!django_session)', re.IGNORECASE)
_PART = re.compile(r"<(?:\w+:)?(\w+)>")


@dataclass
class Tally:
    """How many cells were tried, what was wrong in them, and what the lead of the first side gets."""

    cells: int = 0
    reached: int = 0
    leaks: list[str] = field(default_factory=list)
    whole_pages: set[str] = field(default_factory=set)
    heard_by_lead: set[str] = field(default_factory=set)


@dataclass
class Visitor:
    """A browser that can sign in as anyone."""

    world: World
    client: Client = field(default_factory=lambda: Client(raise_request_exception=False))

    def ask(
        self, who: str, method: str, address: str, sends: str = ""
    ) -> tuple[HttpResponseBase, bytes, list[str]]:
        """Send one request and undo its changes; return the response, its body and its writes."""
        self.client.cookies = SimpleCookie()
        if cookie := self.world.cookies[who]:
            self.client.cookies[settings.SESSION_COOKIE_NAME] = cookie
        with transaction.atomic():
            with writes() as written:
                answer = self.client.generic(method, address, sends, "application/x-www-form-urlencoded")
                body = b"".join(answer) if answer.streaming else answer.content
            transaction.set_rollback(True)
        return answer, body, written


@contextmanager
def writes() -> Iterator[list[str]]:
    """Collect the statements that change more than sessions."""
    found: list[str] = []

    def look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if _WRITE.match(sql):
            found.append(sql[:60])
        return execute(sql, params, many, context)

    with connection.execute_wrapper(look):
        yield found


def refused(answer: HttpResponseBase) -> bool:
    """Return whether access was refused: an error, the sign-in, or "reload, you are signed out"."""
    if answer.status_code == 302:
        return bool(re.match(r"[^?]*/login/\?next=", answer["Location"]))
    return answer.status_code in REFUSED or answer.headers.get("HX-Refresh") == "true"


def led_away(answer: HttpResponseBase, address: str) -> bool:
    """Return whether the response only redirects: home, or from an address of forms to the page above it."""
    above = address.rstrip("/").rpartition("/")[0] + "/"
    return answer.status_code == 302 and answer["Location"] in ("/", above)


def walk_line(visitor: Visitor, line: Line, side: Side, tally: Tally) -> None:
    """Try one address of one side as every visitor, with every method."""
    address = reverse(line.name, args=line.parts(side))
    for who in visitor.world.cookies if side.number == 1 or _EVERYBODY else ABROAD:
        allowed = who in line.who if side.number == 1 else _allowed_over_there(line, who)
        for method in _methods(line, who):
            answer, body, written = visitor.ask(who, method, address, line.sends)
            tally.cells += 1
            cell = f"{method} {line.name} of side {side.number} as {who}: {answer.status_code}"
            opened = allowed and method in line.methods
            tally.reached += opened
            wrong = refused(answer) is opened and not led_away(answer, address)
            if wrong or (answer.status_code >= 500 and answer.status_code != line.says):
                tally.leaks.append(f"{cell}, expected {'an answer' if opened else 'a refusal'}")
            if written and (not opened or method in SAFE):
                tally.leaks.append(f"{cell} wrote {written}")
            is_there = bool(line.parts(side)) and "GET" in line.methods
            if not opened and (wanted := wrong_refusal(address, answer, is_there=is_there)):
                tally.leaks.append(f"{cell}, expected {wanted}")
            heard = body.decode("utf-8", "replace") + str(answer.headers)
            if not _kept_by_nobody_else(answer, address):
                tally.leaks.append(f"{cell} may be kept: {answer.headers.get('Cache-Control')}")
            if who == "lead" and side.number == 1 and answer.status_code == 200:
                tally.heard_by_lead |= set(canaries_in(visitor.world, "", heard))
                if method == "GET" and line.parts(side) and body.lstrip().startswith(b"<!doctype html>"):
                    tally.whole_pages.add(line.name)
            told = canaries_in(visitor.world, who, heard)
            shown = f"{line.shows} of side {side.number}" if opened else ""
            tally.leaks += [f"{cell} tells {name}" for name in told if name != shown]


def _kept_by_nobody_else(answer: HttpResponseBase, address: str) -> bool:
    """Return whether nobody but the visitor's own browser keeps a response; /offline/ is the same for all."""
    said = answer.headers.get("Cache-Control", "")
    return address.startswith("/offline") or bool(re.search("no-store|private|max-age=0", said))


def _methods(line: Line, who: str) -> list[str]:
    """Return the methods to try on an address as somebody."""
    tried = METHODS if _EVERYBODY or who in IN_VAIN else [name for name in METHODS if name in line.methods]
    return [*tried, *(other for other in line.methods if other not in {*METHODS, *SAFE})]


def wrong_refusal(address: str, answer: HttpResponseBase, *, is_there: bool) -> str:
    """Return how a page should have been refused; empty if it was.

    After signing in, a visitor returns to the requested page. Other people's resources do not reveal that
    they exist.
    """
    if answer.status_code == 302 and "/login/?next=" in answer["Location"]:
        return "" if unquote(answer["Location"]).endswith(f"?next={address}") else "a way back to the page"
    return "404" if is_there and answer.status_code == 403 else ""


def _allowed_over_there(line: Line, who: str) -> bool:
    """Return the visitors for a side: on the second, only its own lead has a role."""
    if who == "lead of the other project":
        return bool(line.who & LEAD)
    return who in line.who and "lead of the other project" in line.who


def canaries_in(world: World, who: str, text: str) -> list[str]:
    """Return the canaries in a response that its visitor must not see."""
    found = []
    for side in (world.one, world.two):
        everything = EVERYTHING_OF.get(who) == side.number
        own = OWN.get(who, set()) if side.number == 1 else set()
        for name, canary in side.canaries.items():
            may = (everything or name in own) and name not in NEVER
            if not may and canary in text:
                found.append(f"{name} of side {side.number}")
    return found


def walk_admin(visitor: Visitor, tally: Tally) -> None:
    """Try every address of the Django admin, which only superusers may open."""
    for name, route in addresses():
        if not name.startswith("admin:"):
            continue
        address = "/" + _filled(route, visitor.world)
        for who in visitor.world.cookies if _EVERYBODY else AT_THE_ADMIN:
            for method in METHODS:
                answer, body, written = visitor.ask(who, method, address)
                tally.cells += 1
                cell = f"{method} {name} ({address}) as {who}: {answer.status_code}"
                if answer.status_code >= 500:
                    tally.leaks.append(cell)
                if who == "superuser":
                    tally.reached += not refused(answer)
                    continue
                if not refused(answer) and not name.endswith((":login", ":logout")):
                    tally.leaks.append(f"{cell}, expected a refusal")
                if written:
                    tally.leaks.append(f"{cell} wrote {written}")
                heard = body.decode("utf-8", "replace") + str(answer.headers)
                tally.leaks += [f"{cell} tells {told}" for told in canaries_in(visitor.world, who, heard)]


def addresses() -> Iterator[tuple[str, str]]:
    """Yield name and route of every address of the site."""
    yield from _walk(get_resolver().url_patterns, "", "")


def addresses_of(assignment: Assignment) -> Iterator[str]:
    """Yield every address of the site with what belongs to an assignment in its place.

    What a token opens of the API is compared in tests/analysis/api; the administration names everything.
    """
    user = user_of(assignment.annotator)
    numbers = {
        "assignments": assignment.pk,
        "annotations": assignment.annotation.pk if hasattr(assignment, "annotation") else None,
        "batches": assignment.batch_id,
        **dict.fromkeys(("people", "quality"), assignment.annotator_id),
    }
    project = assignment.batch.project
    fixed = {"slug": project.slug, "kind": "agreement", "layout": "scores", "secret": "nothing", "table": "x"}
    fixed["token"] = image_url(assignment.image, user).rsplit("/", 1)[-1]
    fixed["public_id"] = str(assignment.image.public_id)
    for name, route in addresses():
        of = re.search(r"(\w+)/<int:pk>", route)
        parts = {**fixed, "pk": numbers.get(of[1]) if of else None}
        if ":" not in name and name != "-" and all(parts.get(part) for part in _PART.findall(route)):
            yield "/" + _PART.sub(lambda found, parts=parts: str(parts[found[1]]), route)  # type: ignore[misc]


def _walk(patterns: list[Any], route: str, namespace: str) -> Iterator[tuple[str, str]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _walk(pattern.url_patterns, route + str(pattern.pattern), inner)
        else:
            assert isinstance(pattern, URLPattern)
            yield f"{namespace}{pattern.name or '-'}", route + str(pattern.pattern)


def _filled(route: str, world: World) -> str:
    """Return an admin's route with existing arguments."""
    route = re.sub(r"\^?\(\?P<app_label>[^)]*\)/\$", "annotator/", route)
    route = re.sub(r"\(\?P<url>[^)]*\)\$", "nowhere/", route)
    model = re.search(r"admin/annotator/(\w+)/", route)
    rows = {"user": world.one.a.user, "project": world.one.project}
    row = rows.get(model[1]) if model else None
    return _PART.sub(str(row.pk if row else 1), route)
