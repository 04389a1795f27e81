"""Authentication by the token in the header; browser sessions are not accepted.

So no other site can act through a browser, and no cookie is read or set.
"""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from ninja.security import HttpBearer

from analysis.api.bodies import check_body
from analysis.api.refusals import ApiRefused
from annotator.models import ApiToken, User
from annotator.people.tokens import token_with

SAFE: Final = ("GET", "HEAD", "OPTIONS")


class Token(HttpBearer):
    """`Authorization: Bearer anm_…`."""

    openapi_description = (
        "A personal API token, created at /settings/tokens/. It has its owner's permissions in all of their "
        "projects; with the scope “read” it cannot change data."
    )

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token and set its owner as the request's user; raise Refused if it lacks the scope."""
        found = token_with(token)
        if found is None:
            return None
        if request.method not in SAFE and found.scope != ApiToken.Scope.READ_WRITE:
            raise ApiRefused(403, "read_only", "This token is read-only. Create one that may read and write.")
        check_body(request)
        request.user = found.user
        return found


def person(request: HttpRequest) -> User:
    """Return the owner of the token."""
    assert isinstance(request.user, User)  # no view is reached without a token
    return request.user
