"""The pages of tokens and of the API in a real browser: accessible, fitting, the secret copied once."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from annotator.models import ApiToken, Project, User
from annotator.people.tokens import create_token, new_secret, revoke_token, token_with
from tests.browser.conftest import OpenPage
from tests.browser.lead.test_people import narrow_enough, shot
from tests.browser.looks import VIEWPORTS, every_look
from tests.browser.test_accessibility import violations

TOKENS = "/settings/tokens/"


@pytest.fixture
def some_tokens(pilot: Project) -> Project:
    """Tokens of the lead's in every state."""
    lee = User.objects.get(username="lee")
    names = ("notebook", "the-cluster-in-the-basement-with-quite-a-long-name", "old", "lost")
    made = [create_token(user=lee, name=name, days=90, secret=new_secret()) for name in names]
    ApiToken.objects.filter(pk=made[0].pk).update(last_used_at=made[0].created_at)
    ApiToken.objects.filter(pk=made[2].pk).update(expires_at=made[2].created_at)
    revoke_token(token=made[3], actor=lee)
    return pilot


@every_look
def test_no_violations(open_page: OpenPage, some_tokens: Project, scheme: str, size: str) -> None:
    width, height = VIEWPORTS[size]
    page = open_page("lee", color_scheme=scheme, viewport={"width": width, "height": height})
    found = {}

    def look(name: str) -> None:
        shot(page, f"{name}-{size}-{scheme}")
        found[name] = violations(page) + ([] if narrow_enough(page, width) else ["wider than the window"])

    page.goto(TOKENS)
    look("tokens")
    page.get_by_role("button", name="Create token").click()
    look("tokens-refused")
    page.get_by_label("Name").fill("notebook")
    page.get_by_role("button", name="Create token").click()
    look("tokens-made")
    page.goto("/settings/")
    look("settings")
    page.goto("/projects/pilot/exports/")
    look("exports")
    assert {name: rules for name, rules in found.items() if rules} == {}


def test_a_token_is_made_copied_and_revoked(open_page: OpenPage, pilot: Project) -> None:
    page = open_page("lee", permissions=["clipboard-read", "clipboard-write"])
    page.goto("/settings/")
    page.get_by_role("link", name="API tokens").click()
    page.get_by_label("Name").fill("notebook")
    page.keyboard.press("Enter")
    secret = page.get_by_role("textbox", name="Token").input_value()
    assert re.fullmatch(r"anm_[\w-]{40}", secret)
    assert token_with(secret) is not None
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("#copied")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == secret
    page.get_by_role("link", name="Back to tokens").click()
    assert secret not in page.content()
    page.get_by_role("button", name="Revoke notebook").click()
    expect(page.get_by_text("“notebook” is revoked")).to_be_visible()
    assert token_with(secret) is None


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
