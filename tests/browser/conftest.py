"""A real Chromium against the live server."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.test import Client
from PIL import Image as Picture
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from annotator.models import Assignment, Image, Membership, Project
from tests.factories import (
    ANNOTATOR,
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
    make_user,
)
from tests.support.browsers import chromium

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PASSWORD = "browser-tests-only"
PATIENCE_MS = 20_000
"""For a machine that is busy; nothing that works waits so long."""

Look = dict[str, Any]
LOOKS: dict[str, Look] = {
    "small-light": {"viewport": {"width": 1280, "height": 720}, "color_scheme": "light"},
    "upright-dark": {"viewport": {"width": 820, "height": 1180}, "color_scheme": "dark"},
}
"""Each size once, with both schemes among them: what a size breaks, no colour mends."""
two_looks = pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)

OpenPage = Callable[..., Page]
"""(user name, or None for nobody, **options of the browser's context) -> a page."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for the whole run; skips, by name, where there is none."""
    path = chromium()
    if path is None:
        pytest.skip("Chromium is not at hand: install it or put it on the PATH")
    expect.set_options(timeout=PATIENCE_MS)
    with clicks_that_wait(), sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@contextmanager
def clicks_that_wait() -> Iterator[None]:
    """Where a click opens another page, it is over once that page has been read, not once it has begun."""

    click = Locator.click

    def and_wait(self: Locator, **options: Any) -> None:
        click(self, **options)
        if not self.page.is_closed():
            self.page.wait_for_load_state("domcontentloaded")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Locator, "click", and_wait)
        yield


@pytest.fixture
def open_page(browser: Browser, live_server: LiveServer) -> Iterator[OpenPage]:
    """Open a page in which somebody is signed in; a violated policy or a failing script fails the test."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_one(username: str | None = "ada", **options: object) -> Page:
        # A worker in the browser would stand between the page and what the tests do to its requests.
        how = {"service_workers": "block", **options}
        context = browser.new_context(base_url=live_server.url, **how)  # type: ignore[arg-type]
        contexts.append(context)
        if username is not None:
            sign_in(context, username, live_server.url)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda said: complaints.append(said.text) if "Security Policy" in said.text else None
        )
        return page

    yield open_one
    for context in contexts:
        context.close()
    wait_until_served()
    assert complaints == []


UNDER_WAY: list[object] = []


def by_the_live_server(sender: object) -> bool:
    """Django's test client sends the same signals, and its answers may never end."""
    return isinstance(sender, type) and issubclass(sender, WSGIHandler)


def begun(sender: object, **_: object) -> None:
    """An answer has begun."""
    if by_the_live_server(sender):
        UNDER_WAY.append(sender)


def ended(sender: object, **_: object) -> None:
    """An answer has ended."""
    if by_the_live_server(sender) and UNDER_WAY:
        UNDER_WAY.pop()


request_started.connect(begun)
request_finished.connect(ended)


def wait_until_served() -> None:
    """Wait for what a closed page has asked for last: it must not meet the emptying of the tables."""
    quiet_since = time.monotonic()
    deadline = quiet_since + 10
    # On a busy machine, a tenth of a second was once too short.
    while time.monotonic() - quiet_since < 0.25 and time.monotonic() < deadline:
        if UNDER_WAY:
            quiet_since = time.monotonic()
        time.sleep(0.01)
    UNDER_WAY.clear()


@pytest.fixture
def page(open_page: OpenPage, ada: Membership) -> Page:
    """A page of `ada`."""
    return open_page()


@pytest.fixture
def own_media(tmp_path: Path, settings: Settings) -> None:
    """Folders of the test's own for media and uploads; whatever room the machine has will do."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.UPLOAD_RESERVE_BYTES = 0


@pytest.fixture
def pilot(transactional_db: None) -> Project:
    """A project with one lead, `lee`."""
    project = make_project("pilot", name="Pilot")
    make_member(project, LEAD, user=make_user("lee", password=PASSWORD), code="lee")
    return project


@pytest.fixture
def ada(pilot: Project) -> Membership:
    """An annotator."""
    return make_member(pilot, ANNOTATOR, user=make_user("ada", password=PASSWORD), code="ada")


@pytest.fixture
def queue_of_ada(pilot: Project, ada: Membership) -> list[Assignment]:
    """Three pictures that can really be shown."""
    batch = make_batch(pilot, name="Batch 1")
    return [make_assignment(ada, batch=batch, image=picture(pilot, number)) for number in range(1, 4)]


def picture(project: Project, number: int) -> Image:
    """An image whose copy for display lies in the storage."""
    image = make_image(project, width=240, height=160, number=number)
    buffer = BytesIO()
    Picture.new("RGB", (240, 160), (40 * number % 256, 90, 120)).save(buffer, "WEBP")
    image.display.save(f"browser-{image.sha256}.webp", ContentFile(buffer.getvalue()), save=False)
    image.display_state = Image.DisplayState.READY
    image.save()
    return image


def sign_in(context: BrowserContext, username: str, address: str) -> None:
    """Put the cookie of a signed-in person into the browser."""
    from django.conf import settings

    from annotator.models import User

    client = Client()
    client.force_login(User.objects.get(username=username))
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": address}])
