"""Health endpoints, and metrics for holders of the token."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.operations import health_checks
from config.operations.health import HealthState


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
    lights = health_checks.needed()
    good = all(light.state == HealthState.GOOD for light in lights)
    lines = ["ready" if good else "not ready", *(f"{light.name.lower()}: {light.state}" for light in lights)]
    return HttpResponse(
        "".join(f"{line}\n" for line in lines), status=200 if good else 503, content_type="text/plain"
    )


@require_safe
@never_cache
def figures(request: HttpRequest) -> HttpResponse:
    """Return the metrics to holders of the token; 404 if no token is configured."""
    from config.operations.metrics import figures

    brought = request.headers.get("Authorization", "")
    if not settings.METRICS_TOKEN or not constant_time_compare(brought, f"Bearer {settings.METRICS_TOKEN}"):
        raise Http404("Metrics not available.")
    return HttpResponse(figures(), content_type="text/plain; version=0.0.4; charset=utf-8")
