"""Wrong guesses through the real proxy: each client has its own address, and none has the one it claims."""

from __future__ import annotations

import http.client
import re
import ssl
from urllib.parse import urlencode

import pytest

from tests.config.deploy.process_set import ProcessSet
from tests.config.deploy.team import PASSWORD

pytestmark = pytest.mark.timeout(300)

LOGIN = "/accounts/login/"


def try_in(team: ProcessSet, address: str, password: str, claims: str) -> int:
    """Send the sign-in's form from an address of this machine; returns the status."""
    context = ssl.create_default_context(cafile=str(team.home / "secrets" / "tls.crt"))
    server = http.client.HTTPSConnection(
        "localhost", team.ports.https, context=context, source_address=(address, 0), timeout=60
    )
    try:
        server.request("GET", LOGIN)
        page = server.getresponse()
        cookie = (page.getheader("Set-Cookie") or "").partition(";")[0]
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.read().decode())
        assert token
        sent = {"username": "annotator-b", "password": password, "csrfmiddlewaretoken": token[1]}
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": cookie,
            "Referer": f"https://localhost:{team.ports.https}{LOGIN}",
            "X-Forwarded-For": claims,
        }
        server.request("POST", LOGIN, urlencode(sent), headers)
        answer = server.getresponse()
        answer.read()
        return answer.status
    finally:
        server.close()


def test_the_proxy_says_who_it_is(team: ProcessSet) -> None:
    guesses = [try_in(team, "127.0.0.9", f"wrong-{number}", f"198.51.100.{number}") for number in range(5)]
    assert guesses == [200, 200, 200, 200, 429]
    assert try_in(team, "127.0.0.9", PASSWORD, "127.0.0.8") == 429
    # Somebody else's claim to be the one who guessed locks nobody out, and another address is free.
    assert try_in(team, "127.0.0.8", PASSWORD, "127.0.0.9") == 302
    team.manage("unlock_sign_in", "--address", "127.0.0.9")
    assert try_in(team, "127.0.0.9", PASSWORD, "198.51.100.1") == 302
