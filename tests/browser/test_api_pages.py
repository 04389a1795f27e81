"""The pages of tokens and of the API in a real browser: accessible, fitting, the secret copied once."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from annotator.models import Project, User
from annotator.people.tokens import create_token, new_secret
from tests.browser.conftest import OpenPage


def test_the_documentation_works_under_our_policy_and_asks_no_other_site(
    open_page: OpenPage, pilot: Project
) -> None:
    lee = User.objects.get(username="lee")
    secret = new_secret()
    create_token(user=lee, name="docs", days=1, secret=secret)
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
