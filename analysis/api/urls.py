"""URLs of the API; unknown ones return JSON too."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver, path

from analysis.api.api import api
from analysis.api.document import docs, openapi
from analysis.api.refusals import ROOT, refusal

View = Callable[..., HttpResponseBase]


def in_our_shape(view: View) -> View:
    """Return the view with ninja's own refusals in our shape and caching disabled."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code == 405:
            response = refusal(405, headers={"Allow": ", ".join(sorted(response["Allow"].split(", ")))})
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    answer.csrf_exempt = True  # type: ignore[attr-defined]  # sessions are not accepted here
    return answer


def nowhere(_: HttpRequest, **__: str) -> HttpResponseBase:
    """Answer 404 for an unknown URL."""
    return refusal(404, message=f"Unknown URL. {ROOT}docs lists all of them.")


def _guarded(patterns: list[URLResolver | URLPattern]) -> list[URLPattern]:
    routes = [one for one in patterns if isinstance(one, URLPattern) and one.name != "api-root"]
    for route in routes:
        route.callback = in_our_shape(route.callback)
    return routes


urlpatterns = [
    path("openapi.json", in_our_shape(openapi), name="openapi"),
    path("docs", docs, name="docs"),
    *_guarded(api.urls[0]),
    path("<path:rest>", in_our_shape(nowhere), name="nowhere"),
    path("", in_our_shape(nowhere), name="root"),
]
