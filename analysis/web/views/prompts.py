"""The page of prompts: which are hardest, and how each generator does on each."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from analysis.first_screen.prompts import prompts_page
from analysis.models import Report
from analysis.reports.status import status_of
from annotator.models import Membership
from annotator.people.access import membership_seeing_numbers
from annotator.web.views.pages import safe_page
from annotator.web.views.protocol_choice import PARAMETER, chosen_protocol

ORIGIN: Final = "prompts"


@safe_page
def prompts(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the prompts of the newest finished comparison, from its stored result."""
    membership = membership_seeing_numbers(request.user, slug)
    project, chosen = membership.project, chosen_protocol(request, membership.project)
    stand = status_of(project, Report.Kind.COMPARISON, chosen.slug)
    keep = {PARAMETER: chosen.slug} if chosen.several else {}
    is_lead = membership.role == Membership.Role.LEAD
    # Only leads see images by generator.
    rest = urlencode({"sort": "high", **keep, "from": ORIGIN})
    context = {
        "project": project,
        "is_lead": is_lead,
        "chosen": chosen,
        "stand": stand,
        "report": stand.shown,
        "page": prompts_page(stand.shown.result or {}) if stand.shown else None,
        "images": {"url": reverse("project_images", args=[slug]), "rest": rest} if is_lead else None,
    }
    return render(request, "analysis/prompts/prompts.html", context)
