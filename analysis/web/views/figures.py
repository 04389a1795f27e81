"""Figures of a finished report, as data for the page and as files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from analysis.figures.data_table import figure_csv
from analysis.figures.drawing_process import NotDrawn, draw_in_child
from analysis.figures.figure import Figure, Row
from analysis.figures.generic import figure as figure_of
from analysis.figures.themes import PALETTES, theme
from analysis.models import Report
from analysis.reports.stored import OVERLAP, finished_report, in_overlap
from analysis.tables.links import filter_of, query_of, severity_of
from annotator.people.access import membership_seeing_numbers
from annotator.web.views.pages import safe_page

LINK: Final = "link"
"""The field of a drawn row with its filter of the gallery, read by charts.js."""
DRAWN: Final = {"svg": "image/svg+xml", "png": "image/png"}
TRY_AGAIN_SECONDS: Final = 5


def linked(figure: Figure) -> Figure:
    """Return the figure with a filter of the gallery in each drawn row that stands for images."""
    titles = {column.key: column.title for column in figure.columns}
    drawn = {data: [_linked(row, titles) for row in rows] for data, rows in figure.drawn.items()}
    return replace(figure, drawn=drawn)


def _linked(row: Row, titles: Mapping[str, str]) -> Row:
    links = [
        link
        for key, title in titles.items()
        if isinstance(row.get(key), str)
        for link in filter_of(title, row[key])
    ]
    if isinstance(row.get("severity"), str):
        links += severity_of(row["severity"])
    links += _scores(row)
    return {**row, LINK: query_of(links)} if links else row


def _scores(row: Row) -> list[tuple[str, str]]:
    """Return the scores of a bar's images."""
    if "from" not in row:
        return []
    return [("score_min", f"{row['from']:g}"), ("score_max", f"{row['to']:g}")]


@safe_page
def figure(request: HttpRequest, slug: str, kind: str, pk: int, name: str, form: str) -> HttpResponse:
    """Send one figure: `json` for the page, `csv` its numbers, `svg` and `png` the drawing."""
    membership = membership_seeing_numbers(request.user, slug)
    report = finished_report(membership, kind, pk)
    report, _ = in_overlap(report, request.GET.get(OVERLAP, ""))
    figure_found = figure_of(report.result or {}, name)
    if figure_found is None or (figure_found.refused and form != "csv"):
        raise Http404("Unknown figure.")
    if form == "json":
        return JsonResponse(
            {"spec": linked(figure_found).spec(titled=False), "themes": {n: theme(n) for n in PALETTES}}
        )
    if form == "csv":
        return HttpResponse(
            figure_csv(figure_found), "text/csv; charset=utf-8", headers=_named(report, slug, name, form)
        )
    if form in DRAWN:
        return _drawn(figure_found, report, slug, form)
    raise Http404("Unknown file.")


def _drawn(figure: Figure, report: Report, slug: str, form: str) -> HttpResponse:
    try:
        content = draw_in_child(figure, form)
    except NotDrawn as failed:
        return not_drawn(failed)
    return HttpResponse(content, DRAWN[form], headers=_named(report, slug, figure.slug, form))


def not_drawn(failed: NotDrawn) -> HttpResponse:
    """Return why a drawing cannot be sent now."""
    text = f"Not drawn: {failed}. Try again in a moment."
    return HttpResponse(text, "text/plain", 503, headers={"Retry-After": str(TRY_AGAIN_SECONDS)})


def _named(report: Report, slug: str, name: str, form: str) -> dict[str, str]:
    day = f"{report.finished_at or report.created_at:%Y-%m-%d}"
    return {"Content-Disposition": f'attachment; filename="{slug}-{name}-{day}.{form}"'}
