"""Who is asking: the token in the header, and nothing else. A browser's session opens nothing here.

So no other site can make a browser act here, and no cookie is read or set.
"""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from ninja.security import HttpBearer

from analysis.api.bodies import check_body
from analysis.api.refusals import Refused
from annotator.models import ApiToken, User
from annotator.people.tokens import token_with

SAFE: Final = ("GET", "HEAD", "OPTIONS")


class Token(HttpBearer):
    """`Authorization: Bearer anm_…`."""

    openapi_description = (
        "A personal API token, made on the page /settings/tokens/. It has the rights of its person in "
        "every project of theirs; one with the scope “read” changes nothing."
    )

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token and make its person the request's; raises Refused for what it may not do."""
        found = token_with(token)
        if found is None:
            return None
        if request.method not in SAFE and found.scope != ApiToken.Scope.READ_WRITE:
            raise Refused(403, "read_only", "This token may only read. Make one that may read and write.")
        check_body(request)
        request.user = found.user
        return found


def person(request: HttpRequest) -> User:
    """Return whose token it is."""
    assert isinstance(request.user, User)  # no view is reached without a token
    return request.user
