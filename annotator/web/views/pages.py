"""What pages share: who may open them, one page of a long list, and the key of a form.

Each decorator is for signed-in people, never cached, and refuses other methods first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final, TypeVar
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBadRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import is_valid_path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.models import User

INCOMPLETE: Final = "The form is incomplete. Reload the page."

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class SignedIn(HttpRequest):
    """What a page gets behind one of the decorators below."""

    user: User


def _page(*methods: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        made: Any = require_http_methods(methods)(never_cache(login_required(view)))
        return made  # type: ignore[no-any-return]

    return decorate


safe_page = _page("GET", "HEAD")
form_page = _page("GET", "HEAD", "POST")


def post_page(view: View) -> View:
    """Take forms only; who opens the address itself is led to the page above it, if there is one.

    A refused form is drawn at this address, and signing in again leads back to it.
    """

    @wraps(view)
    def post_or_lead_up(request: HttpRequest, *values: Any, **named: Any) -> HttpResponseBase:
        above = request.path.rstrip("/").rpartition("/")[0] + "/"
        if request.method in ("GET", "HEAD") and above != "/" and is_valid_path(above):
            return redirect(f"{above}?{request.META['QUERY_STRING']}".rstrip("?"))
        return taken(request, *values, **named)

    taken = _page("POST")(view)
    return post_or_lead_up  # type: ignore[return-value]


def page_of(
    request: HttpRequest, rows: QuerySet[Any, Any] | Sequence[Any], size: int, *, name: str = "page"
) -> Page[Any]:
    """Return the page requested by `?name=`, or the nearest valid one.

    The page carries `previous_query` and `next_query` for its links, which keep all other parameters.
    """
    page = Paginator(rows, size).get_page(request.GET.get(name))
    page.previous_query = _query(request, name, page.number - 1) if page.has_previous() else ""  # type: ignore[attr-defined]
    page.next_query = _query(request, name, page.number + 1) if page.has_next() else ""  # type: ignore[attr-defined]
    return page


def _query(request: HttpRequest, name: str, number: int) -> str:
    parameters = request.GET.copy()
    parameters[name] = str(number)
    return parameters.urlencode()


def key_of_form(request: HttpRequest) -> UUID | None:
    """Return the idempotency key of a form; None if it is missing or invalid."""
    try:
        return UUID(request.POST.get("request_key", ""))
    except ValueError:
        return None


def incomplete_form() -> HttpResponseBadRequest:
    """Refuse a form without an idempotency key."""
    return HttpResponseBadRequest(INCOMPLETE, content_type="text/plain")
