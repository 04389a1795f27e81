"""The context of pages with a finished report."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse

from analysis.first_screen.agreed import agreed
from analysis.models import Report
from analysis.reports.stored import OVERLAP, OverlapSwitch, source_of
from analysis.sections import page_of_report
from analysis.tables.agreement import agreement_heading
from annotator.models import Membership
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol

FILE_FORMS: Final = (("svg", "SVG"), ("png", "PNG"), ("csv", "CSV"))


# How a gallery opened from a report is sorted; otherwise by the most errors.
SORTED: Final = {Report.Kind.AGREEMENT: "disagreement"}


def reading_context(
    report: Report,
    membership: Membership,
    chosen: ChosenProtocol,
    switch: OverlapSwitch | None = None,
) -> dict[str, Any]:
    """Return the report's sections and, for leads, how to open images.

    The queries keep the side of the overlap switch for what the page fetches later.
    """
    side = {OVERLAP: switch.shown} if switch and switch.switched else {}
    reading = page_of_report(report, membership.project)
    heading, lede, picture = "", "", None
    if report.kind == Report.Kind.AGREEMENT:
        heading, lede = agreement_heading(reading.result)
        picture = agreed(reading.result)
    return {
        "reading": reading,
        "heading": heading,
        "lede": lede,
        "agreed": picture,
        "file_forms": FILE_FORMS,
        "images": images_behind(report, membership, chosen),
        "overlap_query": f"?{urlencode(side)}" if side else "",
    }


def images_behind(report: Report, membership: Membership, chosen: ChosenProtocol) -> dict[str, str] | None:
    """Return the address of the gallery and the parameters that every link adds; None for a reviewer."""
    if membership.role != Membership.Role.LEAD:
        return None
    protocol = {PARAMETER: source_of(report)} if chosen.several else {}
    rest = {"sort": SORTED.get(Report.Kind(report.kind), "high"), **protocol}
    return {"url": reverse("project_images", args=[membership.project.slug]), "rest": urlencode(rest)}
