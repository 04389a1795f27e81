"""The body map: where the errors of each generator lie, on a drawn body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from analysis.figures.maps.body import SLUG
from analysis.figures.maps.page import KINDS, MEASURES, BodyMapPage
from analysis.models import Report
from analysis.reports.status import status_of
from analysis.stats.generic.tables import rows_of
from analysis.tables.comparison.body_map import FEWEST, FEWEST_PINS, Kind, body_maps, enough_pins
from analysis.web.views.report_pages import FILE_FORMS
from annotator.models import Membership
from annotator.people.access import membership_seeing_numbers
from annotator.web.views.pages import safe_page
from annotator.web.views.protocol_choice import PARAMETER, chosen_protocol

REPORT: Final = Report.Kind.COMPARISON
ORIGIN: Final = "body-map"


@safe_page
def body_map(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the map of the newest finished comparison, from its stored result."""
    membership = membership_seeing_numbers(request.user, slug)
    project, chosen = membership.project, chosen_protocol(request, membership.project)
    stand = status_of(project, REPORT, chosen.slug)
    result: Mapping[str, Any] = (stand.shown.result if stand.shown else None) or {}
    kind, measure = request.GET.get("show", "abc"), request.GET.get("as", "mean")
    maps = body_maps(result)
    pinned = enough_pins(maps)
    if kind not in KINDS or measure not in MEASURES or (kind == "pins" and not pinned):
        words = (
            "There are too few pins to show." if kind == "pins" else "This view of the body map is unknown."
        )
        messages.error(request, words, "no-view")
        return redirect(reverse("body_map", args=[slug]) + chosen.query)
    keep = {PARAMETER: chosen.slug} if chosen.several else {}
    is_lead = membership.role == Membership.Role.LEAD
    gallery = f"{reverse('project_images', args=[slug])}?{urlencode({**keep, 'from': ORIGIN})}"
    shown = cast("Kind", kind)
    # Only leads see images by generator.
    gallery, cells = gallery if is_lead else "", not rows_of(result, "generator_parts")
    page = BodyMapPage(maps, body_maps(result, shown), shown, measure, gallery, keep, cells=cells)
    context = {
        "project": project,
        "is_lead": is_lead,
        "chosen": chosen,
        "stand": stand,
        "report": stand.shown,
        "counts_cells": cells,
        "pinned": pinned,
        "fewest": FEWEST,
        "fewest_pins": FEWEST_PINS,
        "pins": sum(generator.pins for generator in maps),
        "figure": SLUG,
        "file_forms": FILE_FORMS,
        "weights": [f"{weight:g}" for weight in result.get("settings", {}).get("weights", {}).values()],
        **(page.context(request.GET.get("generator", "")) if maps else {}),
    }
    return render(request, "analysis/body_map/body_map.html", context)
