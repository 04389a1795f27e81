"""Other severity weights for a finished comparison."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from django_htmx.middleware import HtmxDetails

from analysis.access import finished_report, membership_seeing_numbers
from analysis.models import Report
from analysis.tables.comparison.other_weights import weighed
from analysis.web.forms import WeightsForm
from annotator.models import Membership


@require_safe
@never_cache
@login_required
def report_weights(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Rank the generators of a comparison by the weights in the query, or by its own."""
    membership = membership_seeing_numbers(request.user, slug)
    report = finished_report(membership, Report.Kind.COMPARISON, pk)
    # Reports of other protocols have no weights.
    found = (report.result or {}).get("weight_sensitivity")
    if not found or len(found["generators"]) < 2:
        raise Http404("This report has no generators to rank.")
    asked = {name: request.GET.get(name, value) for name, value in found["weights"].items()}
    form = WeightsForm(asked, use_required_attribute=False)
    valid = form.is_valid()
    context = {
        "project": membership.project,
        "is_lead": membership.role == Membership.Role.LEAD,
        "report": report,
        "form": form,
        "weighed": weighed(found, form.cleaned_data) if valid else None,
    }
    # Within the report page, htmx swaps in the response.
    template = "sensitivity" if HtmxDetails(request) else "sensitivity_page"
    return render(request, f"analysis/sections/{template}.html", context, status=200 if valid else 422)


def weights_context(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form's context on a report page: the report's weights and their order."""
    found = result["weight_sensitivity"]
    form = WeightsForm(found["weights"], use_required_attribute=False)
    return {"form": form, "weighed": weighed(found, found["weights"])}
