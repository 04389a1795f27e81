"""Outside metrics of a project: what is stored, a file of more, and the images of a prompt in two orders."""

from __future__ import annotations

from base64 import b64encode
from typing import Any, Final

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.template.loader import render_to_string

from analysis.figures.drawing_process import NotDrawn, png_in_child
from analysis.first_screen.orders import ordered_prompts, orders_of
from analysis.models import ImageMetric
from analysis.reports.metrics import forget_metric
from analysis.web.views.figures import DRAWN, not_drawn
from annotator.faces.blurring import open_blurred
from annotator.images.decoding import UnreadableImage
from annotator.images.display import open_display_jpeg
from annotator.models import Image, Project
from annotator.people.access import project_as_lead
from annotator.web.views.pages import SignedIn, form_page, safe_page
from annotator.web.views.protocol_choice import chosen_protocol

SIDE: Final = 108
"""Width and height of a drawn image, and from one to the next, in pixels."""
STEP: Final = 116
FILES: Final = (("svg", "SVG"), ("png", "PNG"))


@safe_page
def metric_order_file(request: SignedIn, slug: str, form: str) -> HttpResponse:
    """Send the strips as SVG or PNG, with the images inside; without any, show the page."""
    project = project_as_lead(request.user, slug)
    context = _context(request, project)
    if form not in DRAWN:
        raise Http404("Unknown file.")
    if context["orders"] is None or not context["orders"]["images"]:
        return redirect("report_metrics", slug)
    drawn = render_to_string("analysis/metrics/order.svg", context | _drawing(project, context["orders"]))
    try:
        content = png_in_child(drawn) if form == "png" else drawn.encode()
    except NotDrawn as failed:
        return not_drawn(failed)
    name = f"{slug}-order.{form}"
    return HttpResponse(
        content, DRAWN[form], headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def _context(request: SignedIn, project: Project) -> dict[str, Any]:
    metrics = list(
        ImageMetric.objects.filter(project=project)
        .order_by("metric")
        .values_list("metric", flat=True)
        .distinct()
    )
    chosen = chosen_protocol(request, project)
    metric = _one_of(request.GET.get("metric", ""), metrics)
    prompts = ordered_prompts(project, metric) if metric else []
    prompt = _one_of(request.GET.get("prompt", ""), prompts)
    return {
        "project": project,
        "is_lead": True,
        "chosen": chosen,
        "metrics": metrics,
        "metric": metric,
        "prompts": prompts,
        "prompt": prompt,
        "orders": orders_of(project, chosen.slug, metric, prompt) if prompts else None,
        "headline": chosen.protocol.headline.title,
        "file_forms": FILES,
    }


def _one_of(asked: str, known: list[str]) -> str:
    """Return what was asked for if it is known, otherwise the first."""
    return asked if asked in known else next(iter(known), "")


def _drawing(project: Project, orders: dict[str, Any]) -> dict[str, Any]:
    pictures = {placed["image"].pk: _embedded(placed["image"], project) for placed in orders["people"]}
    return {
        "pictures": [(pk, address) for pk, address in pictures.items() if address],
        "side": SIDE,
        "width": STEP * len(orders["people"]) + 16,
        "rows": [
            [(STEP * place + 12, placed) for place, placed in enumerate(orders[order])]
            for order in ("people", "metric")
        ],
    }


def _embedded(image: Image, project: Project) -> str:
    """Return the image as results show it, as a data address; empty if it cannot be shown."""
    try:
        with open_blurred(image, webp=False) if project.blurs_faces else open_display_jpeg(image) as file:
            return f"data:image/jpeg;base64,{b64encode(file.read()).decode()}"
    except UnreadableImage:
        return ""


@form_page
def metrics(request: SignedIn, slug: str) -> HttpResponse:
    """Show the metrics of a project, or remove one."""
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _page(request, project)
    if request.POST.get("action") != "remove":
        return HttpResponseBadRequest("Unknown action. Reload the page.", content_type="text/plain")
    if forget_metric(project, request.POST.get("metric", ""), actor=request.user):
        messages.success(request, "The metric is removed.", "removed")
    else:
        messages.info(request, "There is no such metric.", "no-metric")
    return redirect("report_metrics", project.slug)


def _page(request: SignedIn, project: Project) -> HttpResponse:
    rows = ImageMetric.objects.filter(project=project).values("metric").annotate(images=Count("pk"))
    context = _context(request, project) | {"stored": rows.order_by("metric")}
    return render(request, "analysis/metrics/metrics.html", context)
