"""URLs of the API."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import URLPattern

from analysis.api.api import api
from analysis.api.refusals import refusal


def _told(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return the view with django-ninja's own refusal of a method in our shape."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code != 405:
            return response
        return refusal(405, headers={"Allow": response.headers.get("Allow", "GET")})

    return answer


urlpatterns = [route for route in api.urls[0] if isinstance(route, URLPattern)]
for route in urlpatterns:
    route.callback = _told(route.callback)
