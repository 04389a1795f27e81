"""The real addresses, an empty view, and one that inserts a row."""

from __future__ import annotations

from django.http import HttpRequest, JsonResponse
from django.urls import include, path

from annotator.models import Event


def bare(request: HttpRequest) -> JsonResponse:
    """Respond, behind the same middleware as every page."""
    return JsonResponse({"ok": True})


def bare_insert(request: HttpRequest) -> JsonResponse:
    """Store one row in autocommit."""
    Event.objects.create(verb="bench")
    return JsonResponse({"ok": True})


urlpatterns = [path("bare/", bare), path("bare/insert/", bare_insert), path("", include("config.urls"))]
