"""What protects a browser, on real answers through the real proxy."""

from __future__ import annotations

import json

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


@pytest.mark.parametrize("path", ["/", "/static/img/icon.svg", "/pictures/none"])
def test_what_the_proxy_refuses_itself_says_so_too(annotator: Browser, path: str) -> None:
    status, headers, _ = annotator.ask(path, b"x" * (33 * 1024 * 1024))
    assert status == 413
    own = {
        **ALWAYS,
        "Content-Security-Policy": headers["Content-Security-Policy"],
        "Cache-Control": "no-store",
    }
    assert {name: headers[name] for name in own} == own
    assert "default-src 'none'" in headers["Content-Security-Policy"]


def test_a_body_that_is_too_large_is_refused_in_words(annotator: Browser) -> None:
    """Sixty times, because a connection that closes on a sender is lost only now and then."""
    body = b'{"version": 0, "payload": "' + b"x" * (8 * 1024 * 1024) + b'"}'
    told = {"Content_Type": "application/json", "X_CSRFToken": annotator.token()}
    pk = annotator.assignments("annotator-a")[0]
    answers = [annotator.ask(f"/assignments/{pk}/save", body, **told) for _ in range(60)]
    assert [(status, json.loads(said)["error"]) for status, _, said in answers] == [(413, "too_large")] * 60
    for path, status in (("/api/v1/projects", 405), ("/settings/tokens/", 403)):
        assert [annotator.ask(path, body, Content_Type="application/json")[0] for _ in range(20)] == [
            status
        ] * 20


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
