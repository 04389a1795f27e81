"""One page of a long list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest


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
