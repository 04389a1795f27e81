"""Why annotators disagreed: the causes that adjudications name."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from analysis.data.causes import recorded_causes
from analysis.tables.causes import causes_tables
from annotator.models import Membership
from annotator.people.access import membership_seeing_numbers
from annotator.web.views.pages import safe_page
from annotator.web.views.protocol_choice import chosen_protocol


@safe_page
def causes(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the causes of the adjudications that count, as they are now."""
    membership = membership_seeing_numbers(request.user, slug)
    project, chosen = membership.project, chosen_protocol(request, membership.project)
    rules = chosen.protocol.causes
    recorded = recorded_causes(project, chosen.slug) if rules else None
    context = {
        "project": project,
        "section": "review",
        "is_lead": membership.role == Membership.Role.LEAD,
        "chosen": chosen,
        "found": recorded,
        "tables": causes_tables(recorded, rules.offered) if recorded and rules else [],
        "adjudicated": sum(recorded.images.values()) if recorded else 0,
        "unrecorded": sum(recorded.unrecorded.values()) if recorded else 0,
        "gaps": sum("guideline_gap" in component.causes for component in recorded.components)
        if recorded
        else 0,
    }
    return render(request, "analysis/adjudication/causes.html", context)
