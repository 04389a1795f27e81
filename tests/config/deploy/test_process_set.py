"""A team's process set, for real: every process, TLS, headers, a person's way through it, slow clients."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.middleware import CONTENT_SECURITY_POLICY
from tests.config.deploy.process_set import ProcessSet
from tests.config.deploy.team import Browser, eventually, newest_report

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def annotator(team: ProcessSet) -> Browser:
    return Browser(team).sign_in("annotator-a")


def test_nothing_of_it_runs_as_root_and_nothing_shows_a_secret(team: ProcessSet) -> None:
    eventually(lambda: _each_with_its_children(team))
    processes = list(_all_processes(team))
    kept = [team.secret(name) for name in ("secret_key", "postgres_password", "redis_password")]
    for pid in processes:
        place = Path(f"/proc/{pid}")
        try:
            owner = place.stat().st_uid
            words = (place / "cmdline").read_bytes() + (place / "environ").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue  # PostgreSQL's own helpers come and go
        assert owner != 0, words
        assert not any(secret.encode() in words for secret in kept)


def test_http_leads_to_tls(team: ProcessSet) -> None:
    with socket.create_connection(("127.0.0.1", team.ports.http), 5) as plain:
        plain.sendall(b"GET /guide/ HTTP/1.1\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n")
        said = plain.makefile("rb").read().decode()
    assert said.startswith("HTTP/1.1 308")
    assert f"Location: https://localhost:{team.ports.https}/guide/" in said


def test_a_connection_outlasts_a_pause(team: ProcessSet) -> None:
    context = ssl.create_default_context(cafile=str(team.home / "secrets" / "tls.crt"))
    kept = http.client.HTTPSConnection("localhost", team.ports.https, context=context)
    for pause in (0, 3):
        time.sleep(pause)
        kept.request("GET", "/health/live")
        opened, answer = kept.sock, kept.getresponse()
        assert (answer.status, answer.read(), kept.sock) == (200, b"alive\n", opened)


def test_an_image_is_labelled_and_a_worker_makes_the_report(team: ProcessSet, annotator: Browser) -> None:
    lead = Browser(team).sign_in("lead-a")
    first, before = annotator.assignments("annotator-a")[0], newest_report(lead)
    saved = annotator.answer(first, version=0, note="one")
    assert (saved["http"], saved["version"]) == (200, 1)
    submitted = annotator.answer(first, "submit", version=1, note="one")
    assert (submitted["http"], submitted["status"]) == (200, "submitted")
    eventually(lambda: newest_report(lead) not in {before, b""})


def test_the_proxy_hands_out_a_picture_only_after_the_app_has_allowed_it(
    team: ProcessSet, annotator: Browser
) -> None:
    address = annotator.picture(annotator.assignments("annotator-a")[1])
    eventually(lambda: list((team.home / "media" / "display").rglob("*.webp")))
    status, headers, body = annotator.ask(address, Accept="image/webp")
    assert (status, headers["Content-Type"]) == (200, "image/webp")
    assert headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"].startswith("private")
    assert headers["Content-Disposition"] == "inline"
    assert "max-age=31536000" in headers["Strict-Transport-Security"]
    # Neither when the image came nor of which size it is.
    assert not {"x-accel-redirect", "etag", "last-modified"} & {name.lower() for name in headers}
    stored = {path.read_bytes(): path for path in (team.home / "media" / "display").rglob("*.webp")}
    assert body in stored
    # The app itself sends no byte of it: it names the place.
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in annotator.cookies)
    own = urllib.request.Request(f"http://127.0.0.1:{team.ports.web}{address}")
    for name, value in {"Cookie": cookies, "X-Forwarded-Proto": "https", "Host": "localhost"}.items():
        own.add_header(name, value)
    own.add_header("Accept", "image/webp")
    with urllib.request.urlopen(own, timeout=10) as answer:
        name = stored[body].relative_to(team.home / "media").as_posix()
        assert answer.headers["X-Accel-Redirect"] == f"/protected-media/{name}"
        assert answer.read() == b""
    for path in (f"/protected-media/{name}", f"/media/{name}", f"/{name}", f"/static/../media/{name}"):
        assert annotator.ask(path)[0] == 404, path
    assert Browser(team).ask(address)[0] == 404
    assert Browser(team).sign_in("annotator-b").ask(address)[0] == 404


def test_a_body_above_the_limit_is_refused_before_the_app_sees_it(annotator: Browser) -> None:
    status, _, body = annotator.ask("/settings/", b"x" * (33 * 1024 * 1024))
    assert status == 413
    assert b"nginx" in body


@pytest.mark.parametrize("kind", ["headers", "bodies"])
def test_forty_slow_clients_do_no_harm(team: ProcessSet, annotator: Browser, kind: str) -> None:
    opened = [_slow_client(team, kind) for _ in range(40)]
    try:
        pk = annotator.assignments("annotator-a")[1]
        seconds = []
        for number in range(15):
            begun = time.monotonic()
            assert annotator.answer(pk, note=f"{kind} {number}")["http"] == 200
            seconds.append(time.monotonic() - begun)
            for client in opened:
                client.send(b"X")
        assert max(seconds) < 3, seconds
    finally:
        for client in opened:
            client.close()


def _all_processes(team: ProcessSet) -> Iterator[int]:
    groups = {process.pid for process in team.running.values()}
    for place in Path("/proc").iterdir():
        if place.name.isdigit() and _group(int(place.name)) in groups:
            yield int(place.name)


def _each_with_its_children(team: ProcessSet) -> bool:
    groups = [_group(pid) for pid in _all_processes(team)]
    parents = {name: process.pid for name, process in team.running.items()}
    masters = [parents[name] for name in ("proxy", "web", "worker")]  # PostgreSQL's have groups of their own
    return set(parents.values()) <= set(groups) and all(groups.count(pid) >= 2 for pid in masters)


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def _slow_client(team: ProcessSet, kind: str) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(team.home / "secrets" / "tls.crt"))
    plain = socket.create_connection(("localhost", team.ports.https), 10)
    client = context.wrap_socket(plain, server_hostname="localhost")
    client.sendall(_beginning(kind))
    return client


def _beginning(kind: str) -> bytes:
    head = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\n"
    body = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\nusername="
    return head + (body if kind == "bodies" else b"X-Slow: ")


ALWAYS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


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
