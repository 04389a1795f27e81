"""Figures of a finished report, as data for the page and as files."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from analysis.access import finished_report, membership_seeing_numbers
from analysis.figures.data_table import figure_csv
from analysis.figures.drawing_process import NotDrawn, draw_in_child
from analysis.figures.figure import Figure
from analysis.figures.generic import figure as figure_of
from analysis.figures.links import linked
from analysis.figures.themes import PALETTES, theme
from analysis.models import Report
from analysis.reports.overlaps import OVERLAP, in_overlap

DRAWN: Final = {"svg": "image/svg+xml", "png": "image/png"}
TRY_AGAIN_SECONDS: Final = 5


@require_safe
@never_cache
@login_required
def figure(request: HttpRequest, slug: str, kind: str, pk: int, name: str, form: str) -> HttpResponse:
    """Send one figure: `json` for the page, `csv` its numbers, `svg` and `png` the drawing."""
    membership = membership_seeing_numbers(request.user, slug)
    report = finished_report(membership, kind, pk)
    report, _ = in_overlap(report, request.GET.get(OVERLAP, ""))
    found = figure_of(report.result or {}, name)
    if found is None or (found.refused and form != "csv"):
        raise Http404("Unknown figure.")
    if form == "json":
        return JsonResponse(
            {"spec": linked(found).spec(titled=False), "themes": {n: theme(n) for n in PALETTES}}
        )
    if form == "csv":
        return HttpResponse(
            figure_csv(found), "text/csv; charset=utf-8", headers=_named(report, slug, name, form)
        )
    if form in DRAWN:
        return _drawn(found, report, slug, form)
    raise Http404("Unknown file.")


def _drawn(figure: Figure, report: Report, slug: str, form: str) -> HttpResponse:
    try:
        content = draw_in_child(figure, form)
    except NotDrawn as failed:
        text = f"Not drawn: {failed}. Try again in a moment."
        return HttpResponse(text, "text/plain", 503, headers={"Retry-After": str(TRY_AGAIN_SECONDS)})
    return HttpResponse(content, DRAWN[form], headers=_named(report, slug, figure.slug, form))


def _named(report: Report, slug: str, name: str, form: str) -> dict[str, str]:
    day = f"{report.finished_at or report.created_at:%Y-%m-%d}"
    return {"Content-Disposition": f'attachment; filename="{slug}-{name}-{day}.{form}"'}
