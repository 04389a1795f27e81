"""The offline page, and the service worker that caches it."""

from __future__ import annotations

import hashlib
import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

STYLES = ("css/tokens.css", "css/components.css")
SCRIPT = "js/built/other_pages/offline.js"
FONT = "fonts/inter-latin.woff2"


@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """Return the page, which is the same for everyone."""
    return render(request, "annotator/labelling/offline.html", _addresses())


@require_safe
@cache_control(no_cache=True)
def offline_worker(request: HttpRequest) -> HttpResponse:
    """Return the service worker, at the root because its scope is the paths below its address.

    It changes with the page or its assets, so that browsers reload all of them.
    """
    drawn_with = _addresses()
    page = render_to_string("annotator/labelling/offline.html", drawn_with)
    kept = [reverse("offline"), *drawn_with["styles"], drawn_with["script"], drawn_with["font"]]
    context = {"version": hashlib.sha256(page.encode()).hexdigest()[:12], "kept": json.dumps(kept)}
    return render(request, "annotator/labelling/offline_worker.js", context, content_type="text/javascript")


def _addresses() -> dict[str, str | list[str]]:
    return {"styles": [static(name) for name in STYLES], "script": static(SCRIPT), "font": static(FONT)}
