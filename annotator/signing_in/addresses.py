"""The client address of a request, with and without trusted proxies."""

from __future__ import annotations

import ipaddress
from typing import Final

from django.conf import settings
from django.http import HttpRequest

# A subscriber controls at least a /64 of IPv6 addresses, so limits apply to whole networks.
_IPV6_PREFIX: Final = 64


def client_address(request: HttpRequest) -> str | None:
    """Return the client's address; None if it is unknown.

    Each trusted proxy appends its caller's address to X-Forwarded-For, so the client is as many entries from
    the right as there are proxies. Entries further left come from the client and are ignored. The header is
    used only in requests from a trusted proxy's network.
    """
    caller = _parsed(request.META.get("REMOTE_ADDR", ""))
    count = settings.TRUSTED_PROXIES
    if count and caller is not None and _may_be_ours(caller):
        said = [part.strip() for part in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
        told = _parsed(said[-count]) if len(said) >= count else None
        caller = told or caller
    return _as_one(caller)


def _may_be_ours(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    return any(address in network for network in settings.TRUSTED_PROXY_NETWORKS)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _as_one(address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> str | None:
    if isinstance(address, ipaddress.IPv6Address):
        network = ipaddress.IPv6Network((address, _IPV6_PREFIX), strict=False)
        return str(network.network_address)
    return str(address) if address else None
