"""The site's own address, as links that leave it carry it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def absolute(request: HttpRequest, path: str) -> str:
    """Return the whole address of a path.

    A request may name any port beside an allowed host: where SITE_ADDRESS says what the site is called, links
    carry that.
    """
    if settings.SITE_ADDRESS:
        return f"{request.scheme}://{settings.SITE_ADDRESS}{path}"
    return request.build_absolute_uri(path)
