"""The site's address in external links."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse

from annotator.models import Invitation
from annotator.people.invitations import secret_of


def absolute(request: HttpRequest, path: str) -> str:
    """Return the absolute address of a path, with SITE_ADDRESS if set.

    Without it the request's host is used, whose port the client can choose.
    """
    if settings.SITE_ADDRESS:
        return f"{request.scheme}://{settings.SITE_ADDRESS}{path}"
    return request.build_absolute_uri(path)


def link_of(request: HttpRequest, invitation: Invitation) -> str:
    """Return the address with which people join by an invitation."""
    return absolute(request, reverse("invitation", args=[secret_of(invitation)]))
