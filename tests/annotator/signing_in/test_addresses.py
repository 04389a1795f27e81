"""Where a request comes from."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest
from django.test import RequestFactory

from annotator.signing_in.throttling import client_address

PROXY = "172.18.0.5"


@pytest.mark.parametrize(
    ("proxies", "caller", "said", "found"),
    [
        (0, "203.0.113.7", "", "203.0.113.7"),
        (0, "203.0.113.7", "198.51.100.1", "203.0.113.7"),
        (1, PROXY, "203.0.113.7", "203.0.113.7"),
        (1, PROXY, "198.51.100.1, 203.0.113.7", "203.0.113.7"),
        (2, PROXY, "198.51.100.1, 203.0.113.7, 10.0.0.9", "203.0.113.7"),
        # Somebody who reaches the web past the proxy: the header is theirs alone.
        (1, "203.0.113.7", "198.51.100.1", "203.0.113.7"),
        # A probe inside, without a header; a header that is nonsense or too short.
        (1, PROXY, "", PROXY),
        (1, PROXY, "unknown", PROXY),
        (2, PROXY, "203.0.113.7", PROXY),
        (1, "::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        (0, "2001:db8:1:2:ffff::1", "", "2001:db8:1:2::"),
        (1, "::ffff:172.18.0.5", "::ffff:203.0.113.7", "203.0.113.7"),
        (0, "", "", None),
    ],
)
def test_the_address(settings: Any, proxies: int, caller: str, said: str, found: str | None) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {"x-forwarded-for": said} if said else {}
    assert client_address(RequestFactory(headers=headers).get("/", REMOTE_ADDR=caller)) == found


def test_which_proxies_are_ours_can_be_said(settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    settings.TRUSTED_PROXY_NETWORKS = [ipaddress.ip_network("192.0.2.10/32")]
    for caller, found in (("192.0.2.10", "203.0.113.7"), (PROXY, PROXY)):
        request = RequestFactory(headers={"x-forwarded-for": "203.0.113.7"}).get("/", REMOTE_ADDR=caller)
        assert client_address(request) == found
