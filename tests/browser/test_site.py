"""The ways in, local times and the documentation of the API, under the policy as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.models import Assignment, Project, User
from annotator.people.tokens import create_token
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


def test_the_documentation_works_under_our_policy_and_asks_no_other_site(
    open_page: OpenPage, pilot: Project
) -> None:
    lee = User.objects.get(username="lee")
    _, secret = create_token(user=lee, name="docs", days=1)
    page: Page = open_page(None)
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto("/api/v1/docs")
    page.get_by_role("button", name="Authorize").first.click()
    page.locator(".modal-ux input").fill(secret)
    page.locator(".modal-ux").get_by_role("button", name="Apply credentials").click()
    page.locator(".modal-ux").get_by_role("button", name="Close").click()
    page.get_by_text("/api/v1/projects", exact=True).click()
    page.get_by_role("button", name="Try it out").click()
    page.get_by_role("button", name="Execute").click()
    expect(page.locator(".live-responses-table .microlight").first).to_contain_text('"slug": "pilot"')
    assert complaints == []
    own = page.url.partition("api/v1/docs")[0]
    assert [url for url in asked if not url.startswith((own, "data:"))] == []
