"""The largest disagreements: of the newest agreement report, and of any finished one."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from analysis.data.ratings_table import shown_from
from analysis.models import Report
from analysis.reports.disagreements import (
    adjudicated_among,
    disagreements_of,
    images_apart,
    open_elsewhere,
    order_of,
)
from analysis.reports.status import status_of
from analysis.reports.stored import finished, finished_report
from analysis.stats.generic.tables import rows_of
from annotator.models import Membership
from annotator.people.access import membership_seeing_numbers
from annotator.people.adjudicators import images_to_adjudicate, sees_codes
from annotator.people.preferences import preferences_of
from annotator.protocols.registry import adjudication_for, judged_later
from annotator.web.views.pages import SignedIn, page_of, safe_page
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol, chosen_protocol
from scoring.service import get_protocol

IMAGES: Final = 3
"""Images on a page; each takes about a screen."""
# `?show=` -> whether the image is adjudicated.
SHOWN: Final = {"open": False, "adjudicated": True}


@safe_page
def disagreements(request: SignedIn, slug: str) -> HttpResponse:
    """Redirect to the open disagreements of the newest agreement report; without one, say so."""
    membership = membership_seeing_numbers(request.user, slug)
    chosen = chosen_protocol(request, membership.project)
    if chosen.several and PARAMETER not in request.GET:
        waiting = [other.protocol for other, _ in open_elsewhere(membership.project)]
        if waiting and chosen.slug not in waiting:
            chosen = chosen.about(waiting[0])
    if chosen.protocol.decide:
        return _expert_list(request, membership, chosen)
    reports = finished(membership.project, Report.Kind.AGREEMENT, chosen.slug)
    newest = reports.values_list("pk", flat=True).first()
    checked = chosen.slug in judged_later()
    if newest is not None and not checked:
        shown = "?show=open" if chosen.protocol.adjudicated else ""
        return redirect(f"{reverse('report_disagreements', args=[slug, newest])}{shown}")
    is_lead = membership.role == Membership.Role.LEAD
    stand = status_of(membership.project, Report.Kind.AGREEMENT, chosen.slug)
    context = {"project": membership.project, "is_lead": is_lead, "chosen": chosen, "stand": stand}
    context |= {"checked": checked}
    return render(request, "analysis/adjudication/disagreements_none.html", context)


def _expert_list(request: SignedIn, membership: Membership, chosen: ChosenProtocol) -> HttpResponse:
    """Open the first image for an expert; without one, say so."""
    among = images_to_adjudicate(membership, chosen.slug)
    order = order_of(membership.project, None, chosen.slug, among)
    first = next((pk for pk in order.images if pk not in order.adjudicated), None)
    if first is not None:
        image = membership.project.images.get(pk=first)
        place = reverse("image_adjudicate", args=[membership.project.slug, image.public_id])
        return redirect(f"{place}?{urlencode({PARAMETER: chosen.slug})}")
    is_lead = membership.role == Membership.Role.LEAD
    context = {"project": membership.project, "is_lead": is_lead, "chosen": chosen, "decided": order.done}
    return render(request, "analysis/adjudication/disagreements_none.html", context)


@safe_page
def report_disagreements(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """List the largest disagreements first, each with its image and both annotations in one grid."""
    membership = membership_seeing_numbers(request.user, slug)
    report = finished_report(membership, Report.Kind.AGREEMENT, pk)
    chosen = chosen_protocol(request, membership.project).about(report.protocol)
    is_lead = membership.role == Membership.Role.LEAD
    if chosen.protocol.decide or report.protocol in judged_later():
        return redirect(f"{reverse('disagreements', args=[slug])}?{urlencode({PARAMETER: report.protocol})}")
    assert report.result is not None  # finished
    listed = rows_of(report.result, "disagreements")
    words = next(table["words"] for table in report.result["tables"] if table["name"] == "disagreements")
    adjudicated = adjudicated_among([entry["image"] for entry in listed], report.protocol)
    shown = request.GET.get("show", "") if chosen.protocol.adjudicated else ""
    apart = set(images_apart(report))
    source = shown_from(membership.project, chosen.slug, chosen.there)
    # What may be adjudicated here; None: every image.
    is_decided = source == chosen.slug and chosen.protocol.adjudicated
    allowed = images_to_adjudicate(membership, source) if is_decided else set()
    hidden = (allowed is None or bool(allowed)) and preferences_of(request.user)["hide_codes"]
    hidden = hidden or not sees_codes(membership, source)
    rows = [
        (place, entry)
        for place, entry in enumerate(listed, 1)
        if SHOWN.get(shown) in (None, entry["image"] in adjudicated)
        and (shown != "open" or entry["image"] in apart)  # else there is nothing to adjudicate
    ]
    page = page_of(request, rows, IMAGES)
    context = {
        "project": membership.project,
        "is_lead": is_lead,
        "report": report,
        "words": words,
        "page": page,
        "disagreements": disagreements_of(report, list(page), adjudicated, hidden=hidden),
        "hidden": hidden,
        "n_adjudicated": len(adjudicated),
        "n_listed": len(listed),
        "n_differing": len(apart | adjudicated.keys()),
        "shown": shown if shown in SHOWN else "",
        # Whole numbers if the headline is a count, else two decimals.
        "places": -2 if chosen.protocol.headline.values else 2,
        "heads": adjudication_for(report.protocol).heads,
        "chosen": chosen,
        "elsewhere": [
            (other, get_protocol(other.protocol).title, count)
            for other, count in open_elsewhere(membership.project, report)
        ],
        "protocol_query": f"&{urlencode({PARAMETER: source})}" if chosen.several else "",
        "adjudicates_all": allowed is None,
        "adjudicates": allowed or (),
    }
    return render(request, "analysis/adjudication/disagreements.html", context)
