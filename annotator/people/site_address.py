"""The site's address in external links."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest


def absolute(request: HttpRequest, path: str) -> str:
    """Return the absolute address of a path, with SITE_ADDRESS if set.

    Without it the request's host is used, whose port the client can choose.
    """
    if settings.SITE_ADDRESS:
        return f"{request.scheme}://{settings.SITE_ADDRESS}{path}"
    return request.build_absolute_uri(path)
