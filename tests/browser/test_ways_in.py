"""The ways in, in a real browser: accessible, fitting, and a whole way from the password to the queue."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axes.models import AccessAttempt
from playwright.sync_api import Page, expect

from annotator.models import Assignment
from config.env import SingleSignOn
from tests.annotator.signing_in.openid_provider import CLIENT, SECRET, Provider, provider_running
from tests.annotator.signing_in.ways_in import code_of
from tests.browser.conftest import PASSWORD, OpenPage
from tests.browser.lead.test_people import invited
from tests.browser.looks import VIEWPORTS, every_look
from tests.browser.test_accessibility import violations

LOGIN = "/accounts/login/"
ACCOUNT = "/settings/account/"


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with provider_running() as running:
        yield running


@pytest.fixture
def university(provider: Provider, settings: Any) -> Provider:
    settings.SINGLE_SIGN_ON = SingleSignOn("Example University", provider.issuer, CLIENT, SECRET)
    return provider


def look(page: Page, name: str, found: dict[str, list[str]]) -> None:
    """Keep what axe finds, and a picture where SCREENSHOTS names a folder."""
    found[name] = violations(page)
    wide: int = page.evaluate("() => document.documentElement.scrollWidth")
    assert wide <= page.viewport_size["width"], name  # type: ignore[index]
    if folder := os.environ.get("SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def fill_in(page: Page, name: str, password: str) -> None:
    page.goto(LOGIN)
    page.fill("#id_username", name)
    page.fill("#id_password", password)
    page.get_by_role("button", name="Sign in", exact=True).click()


@every_look
def test_every_way_in(
    open_page: OpenPage, queue_of_ada: list[Assignment], university: Provider, scheme: str, size: str
) -> None:
    width, height = VIEWPORTS[size]
    found: dict[str, list[str]] = {}
    page = open_page("ada", color_scheme=scheme, viewport={"width": width, "height": height})
    tail = f"{size}-{scheme}"
    page.goto(ACCOUNT)
    look(page, f"account-{tail}", found)
    page.get_by_role("link", name="Set up authenticator app").click()
    look(page, f"confirm-{tail}", found)
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Continue").click()
    look(page, f"set-up-{tail}", found)
    secret = page.input_value("#key")
    page.fill("#id_code", "123")
    page.get_by_role("button", name="Set up").click()
    look(page, f"set-up-refused-{tail}", found)
    page.fill("#id_code", code_of(secret))
    page.get_by_role("button", name="Set up").click()
    expect(page.locator(".codes li")).to_have_count(10)
    look(page, f"codes-{tail}", found)
    page.get_by_role("link", name="Generate new codes").click()
    look(page, f"codes-new-{tail}", found)
    page.goto(ACCOUNT)
    look(page, f"account-on-{tail}", found)
    page.get_by_role("link", name="Remove authenticator app").click()
    look(page, f"remove-{tail}", found)
    page.get_by_role("button", name="Sign out", exact=True).click()
    look(page, f"sign-in-{tail}", found)
    fill_in(page, "ada", PASSWORD)
    look(page, f"code-{tail}", found)
    page.fill("#id_code", code_of(secret, 1))
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{page.evaluate('() => location.origin')}/projects/pilot/queue/")
    page.get_by_role("button", name="Sign out", exact=True).click()
    fill_in(page, "ada", "wrong")
    AccessAttempt.objects.update(failures_since_start=5)
    fill_in(page, "ada", PASSWORD)
    look(page, f"locked-{tail}", found)
    page.goto(invited(queue_of_ada[0].batch.project, f"new {tail}"))
    look(page, f"invited-{tail}", found)
    page.context.route(f"{university.issuer}/authorize*", agree(university))
    page.get_by_role("button", name="Join with Example University").click()
    expect(page.get_by_role("heading", name="Join with Example University")).to_be_visible()
    look(page, f"newcomer-{tail}", found)
    assert {name: rules for name, rules in found.items() if rules} == {}


def agree(provider: Provider) -> Any:
    """Stand for the page of the provider, which sends the browser back."""

    def answer(route: Any) -> None:
        route.fulfill(status=302, headers={"Location": provider.authorize(route.request.url)})

    return answer


def test_from_the_provider_to_the_queue(
    open_page: OpenPage, queue_of_ada: list[Assignment], university: Provider
) -> None:
    """Under the policy as it is: no form leads away, and nothing in the pages runs."""
    page = open_page("ada")
    page.context.route(f"{university.issuer}/authorize*", agree(university))
    page.goto(ACCOUNT)
    page.get_by_role("button", name="Link to Example University").click()
    page.fill("#id_password", PASSWORD)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Link to Example University").click()
    expect(page.locator("[data-code=account_connected]")).to_be_visible()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.get_by_role("button", name="Sign in with Example University").click()
    expect(page.locator(".project-name")).to_contain_text("pilot", ignore_case=True)
