"""The page of the current report of a kind."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.http import HTMX_STOP_POLLING

from analysis.first_screen.people import quality_screen
from analysis.first_screen.screen import first_screen
from analysis.home.annotator_needs import inactivity_by_code
from analysis.models import EXPECTED, Report
from analysis.reports.lifecycle import cancel_report, request_report
from analysis.reports.stages import UNMARKED_AS_ZERO
from analysis.reports.status import ReportStatus, status_of
from analysis.reports.stored import (
    ALL,
    OVERLAP,
    RANDOM,
    OverlapSwitch,
    in_overlap,
    known_kind,
    newest,
    newest_done,
)
from analysis.tables.exclusions import not_read
from analysis.web.views.files import json_file
from analysis.web.views.report_pages import reading_context
from annotator.models import Membership, Project
from annotator.people.access import membership_seeing_numbers
from annotator.web.views.pages import post_page, safe_page
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol, chosen_protocol

SWAP: Final = "swap"
CHOOSE: Final = "choose"
MOST_SWAPPED: Final = 240


def screen_context(
    request: HttpRequest,
    report: Report,
    project: Project,
    chosen: ChosenProtocol,
) -> dict[str, Any]:
    """Return the first screen of a comparison with its links; `screen` is None for any other report."""
    if report.kind != Report.Kind.COMPARISON:
        return {"screen": None}
    screen = first_screen(report, project, swapped=set(request.GET.getlist(SWAP)[:MOST_SWAPPED]))
    if screen is None:
        return {"screen": None}
    asked = [(PARAMETER, chosen.slug)] if chosen.several else []
    if OVERLAP in request.GET:
        asked.append((OVERLAP, request.GET[OVERLAP]))
    return {
        "screen": screen,
        "choosing": CHOOSE in request.GET,
        "query": _address(_kept(screen, asked)),
        "choose_query": _address([*_kept(screen, asked), (CHOOSE, "1")]),
        "swaps": _swaps(screen, asked),
    }


def _kept(screen: dict[str, Any], asked: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [*asked, *((SWAP, key) for key in screen["swapped"])]


def _swaps(screen: dict[str, Any], asked: list[tuple[str, str]]) -> dict[str, str]:
    """Return key of an image → the query string that swaps it, or swaps it back."""
    keys = [image["key"] for row in screen["rows"] for image in row["strip"]]
    kept = _kept(screen, asked)
    return {
        key: _address(
            [
                *([pair for pair in kept if pair != (SWAP, key)]),
                *([] if key in screen["swapped"] else [(SWAP, key)]),
                (CHOOSE, "1"),
            ]
        )
        for key in keys
    }


def _address(pairs: list[tuple[str, str]]) -> str:
    return f"?{urlencode(pairs)}" if pairs else "?"


@safe_page
def report(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show a report's status and numbers; whoever first opens one that is not expected asks for it."""
    membership, chosen = _asked(request, slug)
    project, wanted = membership.project, known_kind(kind, membership)
    if wanted not in EXPECTED and newest(project, wanted, chosen.slug) is None:
        request_report(project=project, kind=wanted, protocol=chosen.slug)
    stand = status_of(project, wanted, chosen.slug)
    return render(request, "analysis/report/report.html", _context(request, membership, stand, chosen))


@safe_page
def report_print(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the newest comparison on one page to print: result, balance, agreement, methods."""
    membership, chosen = _asked(request, slug)
    stand = status_of(membership.project, Report.Kind.COMPARISON, chosen.slug)
    context = _context(request, membership, stand, chosen)
    if context.get("screen") is None:
        raise Http404("There is no comparison to print.")
    return render(request, "analysis/report/report_print.html", context)


@require_safe
@never_cache
def report_status(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Show the status; once a computation ends, also the numbers, and stop polling."""
    if not request.user.is_authenticated:
        # Reload the page, which redirects to sign-in; a form inside the status would be useless.
        return HttpResponse(status=HTMX_STOP_POLLING, headers={"HX-Refresh": "true"})
    membership, chosen = _asked(request, slug)
    stand = status_of(membership.project, known_kind(kind, membership), chosen.slug)
    if stand.under_way:
        context = {"stand": stand, "project": membership.project, "chosen": chosen}
        return render(request, "analysis/report/status.html", context)
    context = _context(request, membership, stand, chosen)
    return render(request, "analysis/report/finished.html", context, status=HTMX_STOP_POLLING)


@post_page
def report_refresh(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Request a new report; a worker checks whether anything has changed."""
    membership, chosen = _asked(request, slug)
    # Only a lead changes a report's settings; others keep the previous ones.
    is_lead = membership.role == Membership.Role.LEAD and kind == Report.Kind.STAGES
    ticked = {UNMARKED_AS_ZERO: True} if request.POST.get(UNMARKED_AS_ZERO) else {}
    request_report(
        project=membership.project,
        kind=known_kind(kind, membership),
        protocol=chosen.slug,
        actor=membership.user,
        settings=ticked if is_lead else None,
    )
    return redirect(reverse("report", args=[slug, kind]) + chosen.query)


@post_page
def report_cancel(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Cancel the running computation."""
    membership, chosen = _asked(request, slug)
    latest = newest(membership.project, known_kind(kind, membership), chosen.slug)
    if latest is None or not cancel_report(latest):
        messages.info(request, "The computation finished before it could be cancelled.", "too-late")
    return redirect(reverse("report", args=[slug, kind]) + chosen.query)


@safe_page
def report_json(request: HttpRequest, slug: str, kind: str) -> HttpResponse:
    """Send the newest finished report as the JSON that `manage.py report --json` prints."""
    membership, chosen = _asked(request, slug)
    found = newest_done(membership.project, known_kind(kind, membership), chosen.slug)
    if found is None:
        raise Http404("No report has been computed yet.")
    return json_file(found, slug)


def _asked(request: HttpRequest, slug: str) -> tuple[Membership, ChosenProtocol]:
    """Return the membership and the chosen protocol; raise Http404."""
    membership = membership_seeing_numbers(request.user, slug)
    return membership, chosen_protocol(request, membership.project)


def _context(
    request: HttpRequest, membership: Membership, stand: ReportStatus, chosen: ChosenProtocol
) -> dict[str, Any]:
    return {
        "chosen": chosen,
        "project": membership.project,
        "is_lead": membership.role == Membership.Role.LEAD,
        "stand": stand,
        "report": stand.shown,
        **(_numbers(request, membership, stand.shown, chosen) if stand.shown else {}),
    }


def _numbers(
    request: HttpRequest, membership: Membership, shown: Report, chosen: ChosenProtocol
) -> dict[str, Any]:
    project = membership.project
    shown, switch = in_overlap(shown, request.GET.get(OVERLAP, ""))
    unread, uncounted = not_read(shown.result or {})
    return {
        "unread": unread,
        "uncounted": uncounted,
        **screen_context(request, shown, project, chosen),
        "quality": quality_screen(shown, project, inactivity_by_code(project))
        if shown.kind == Report.Kind.QUALITY
        else None,
        **_switch(switch, chosen),
        **reading_context(shown, membership, chosen, switch),
    }


def _switch(switch: OverlapSwitch | None, chosen: ChosenProtocol) -> dict[str, Any]:
    """Return the links of the overlap switch."""
    if switch is None:
        return {}
    kept = {PARAMETER: chosen.slug} if chosen.several else {}
    sides = ((RANDOM, "Random"), (ALL, "All"))
    links = [(f"?{urlencode(kept | {OVERLAP: side})}", title, side == switch.shown) for side, title in sides]
    return {"overlap": switch, "overlap_links": links}
