"""The suggestion runs of a project, for leads: what is there, and to withdraw one."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from annotator.models import SuggestionRun
from annotator.people.access import project_as_lead
from annotator.suggestions.runs import run_to_show, withdraw_run
from annotator.web.views.pages import SignedIn, page_of, post_page, safe_page

SHOWN: Final = 25


@safe_page
def suggestions(request: SignedIn, slug: str) -> HttpResponse:
    """List the runs, the latest first."""
    project = project_as_lead(request.user, slug)
    runs = project.suggestion_runs.annotate(rows=Count("suggestions")).select_related("made_by")
    context = {
        "project": project,
        "section": "images",
        "page": page_of(request, runs.order_by("-pk"), SHOWN),
        "counting": [run_to_show(project, kind) for kind in SuggestionRun.Kind],
    }
    return render(request, "annotator/exchange/suggestions.html", context)


@post_page
def suggestions_withdraw(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Show a run no more."""
    run = get_object_or_404(project_as_lead(request.user, slug).suggestion_runs, pk=pk)
    if withdraw_run(run, actor=request.user):
        messages.success(request, f"“{run}” is withdrawn: no page shows it from now on.", "run-withdrawn")
    return redirect("suggestions", slug)
