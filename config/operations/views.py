"""Health endpoints."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.operations import health


@require_safe
@never_cache
def live(_request: HttpRequest) -> HttpResponse:
    """Answer that a web process is alive, without checking anything else."""
    return HttpResponse("alive\n", content_type="text/plain")


@require_safe
@never_cache
def ready(_request: HttpRequest) -> HttpResponse:
    """Answer whether everything that requests and jobs need is available, and list each check.

    The page is public, so it gives no reasons; `manage.py ready` does.
    """
    faults = health.faults(health.NEEDED)
    bad = any(faults.values())
    states = [f"{check.name.lower()}: {'bad' if fault else 'good'}\n" for check, fault in faults.items()]
    answer = "".join(["not ready\n" if bad else "ready\n", *states])
    return HttpResponse(answer, status=503 if bad else 200, content_type="text/plain")
