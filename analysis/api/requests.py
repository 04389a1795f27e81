"""What every request carries: a token, known parameters, and in lists a cursor.

Browser sessions are not accepted, so no other site can read through a visitor's browser, and no cookie is
read or set.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Final

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from ninja import Schema
from ninja.errors import ValidationError
from ninja.pagination import CursorPagination
from ninja.security import HttpBearer
from pydantic import BaseModel, Field
from pydantic import ValidationError as InvalidCursor

from analysis.api.refusals import Invalid
from annotator.models import ApiToken, Project, User
from annotator.people.tokens import token_with
from annotator.projects.protocols import ProtocolRefused, protocol_for

USUAL: Final = 100
MOST: Final = 500
LARGEST_KEY_DIGITS: Final = 19
PLAIN: Final = r"^[^\x00]*$"
"""PostgreSQL cannot store NUL and refuses to search for it."""

ProtocolSlug = Annotated[str | None, Field(max_length=40, pattern=PLAIN)]


class Token(HttpBearer):
    """`Authorization: Bearer anm_…`."""

    openapi_description = (
        "A personal API token, created at /settings/tokens/. It has its owner's permissions in all of their "
        "projects."
    )

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """Return the token and set its owner as the request's user; None if it is not valid."""
        valid = token_with(token)
        if valid is not None:
            request.user = valid.user
        return valid


def person(request: HttpRequest) -> User:
    """Return the owner of the token."""
    assert isinstance(request.user, User)  # no view is reached without a token
    return request.user


class About(Schema):
    """The protocol of a request."""

    protocol: ProtocolSlug = Field(None, description="Slug; required if the project has several protocols.")


def protocol_asked_for(project: Project, slug: str | None) -> str:
    """Return the named protocol, or the only one; raise Invalid naming the choices."""
    try:
        return protocol_for(project, slug, "protocol =")
    except ProtocolRefused as refused:
        raise Invalid({"protocol": [str(refused)]}) from refused


def known_parameters(view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse unknown query parameters: a misspelt filter would match everything unnoticed."""

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        models = [given for given in kwargs.values() if isinstance(given, BaseModel)]
        known = sorted({name for given in models for name in type(given).model_fields})
        if unknown := sorted(set(request.GET) - set(known)):
            takes = f"Known: {', '.join(known)}." if known else "This URL accepts none."
            raise Invalid({name[:80]: [f"Unknown parameter. {takes}"] for name in unknown[:20]})
        return view(request, *args, **kwargs)

    return checked


class Pages(CursorPagination):
    """django-ninja's pages by cursor, over ids.

    Each page is read from an index at its first row, so all pages cost the same and new rows shift nothing.
    Modules that use it do without `from __future__ import annotations`: django-ninja would look for the names
    in its own module.
    """

    class Input(Schema):
        """The page of a list."""

        page_size: int = Field(USUAL, ge=1, le=MOST, description="Items per page.")
        cursor: str | None = Field(
            None,
            max_length=100,
            description="Part of `next` and `previous`; omit for the first page.",
        )

    def __init__(self, ordering: str = "pk", **settings: Any) -> None:
        super().__init__(ordering=(ordering,), page_size=USUAL, max_page_size=MOST, **settings)

    def paginate_queryset(
        self, queryset: QuerySet[Model], pagination: Any, request: HttpRequest, **params: Any
    ) -> Any:
        """Return a page; raise Invalid for a cursor that no page of ids has."""
        try:
            first = self.Cursor.from_encoded_param(pagination.cursor).p or "0"
        except (ValidationError, InvalidCursor):
            first = ""
        if not (first.isdecimal() and len(first) <= LARGEST_KEY_DIGITS):
            raise Invalid({"cursor": ["Follow the `next` or `previous` of a page of this list."]})
        return super().paginate_queryset(queryset, pagination, request, **params)
