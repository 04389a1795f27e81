"""The ways in, in a real browser: accessible, fitting, and a whole way from the password to the queue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from annotator.models import Assignment
from config.env import SingleSignOn
from tests.annotator.signing_in.openid_provider import CLIENT, SECRET, Provider, provider_running
from tests.browser.conftest import PASSWORD, OpenPage

ACCOUNT = "/settings/account/"


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with provider_running() as running:
        yield running


@pytest.fixture
def university(provider: Provider, settings: Any) -> Provider:
    settings.SINGLE_SIGN_ON = SingleSignOn("Example University", provider.issuer, CLIENT, SECRET)
    return provider


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
