"""What protects a browser, on real answers through the real proxy."""

from __future__ import annotations

import pytest

from config.middleware import CONTENT_SECURITY_POLICY
from tests.config.deploy.process_set import ProcessSet
from tests.config.deploy.team import Browser

ALWAYS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


@pytest.fixture(scope="module")
def annotator(team: ProcessSet) -> Browser:
    return Browser(team).sign_in("annotator-a")


@pytest.mark.parametrize(
    "page",
    ["/settings/", "/accounts/login/", "/nowhere/", "/api/v1/me", "/static/img/icon.svg", "/static/none.js"],
)
def test_every_answer_says_what_a_browser_may_do(annotator: Browser, page: str) -> None:
    _, headers, _ = annotator.ask(page)
    assert {name: headers[name] for name in ALWAYS} == ALWAYS


def test_the_policy_lets_nothing_inline_run_and_nobody_frame_a_page() -> None:
    rules = dict(rule.split(" ", 1) for rule in CONTENT_SECURITY_POLICY.split("; "))
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    assert (rules["default-src"], rules["script-src"]) == ("'none'", "'self'")
    assert (rules["frame-ancestors"], rules["base-uri"], rules["form-action"]) == (
        "'none'",
        "'none'",
        "'self'",
    )


def test_cookies_travel_encrypted_only_and_scripts_cannot_read_the_session(annotator: Browser) -> None:
    cookies = {cookie.name: cookie for cookie in annotator.cookies}
    assert set(cookies) == {"anatomark_session", "anatomark_csrf"}
    assert all(cookie.secure for cookie in cookies.values())
    assert cookies["anatomark_session"].has_nonstandard_attr("HttpOnly")
    assert {cookie.get_nonstandard_attr("SameSite") for cookie in cookies.values()} == {"Lax"}
