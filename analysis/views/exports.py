"""Downloads of the answers themselves."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from analysis.exports.files import Export
from analysis.exports.layouts import LAYOUTS
from annotator.access import project_as_lead


@require_safe
@never_cache
@login_required
def export(request: HttpRequest, slug: str, layout: str) -> StreamingHttpResponse:
    """Stream the project's submitted annotations as CSV, to its lead."""
    project = project_as_lead(request.user, slug)
    if layout not in LAYOUTS:
        raise Http404("No such layout.")
    name = f"{slug}-{layout}-{timezone.now():%Y-%m-%d}.csv"
    return StreamingHttpResponse(
        Export(project, LAYOUTS[layout]),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
