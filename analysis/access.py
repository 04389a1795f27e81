"""Access to a project's reports."""

from __future__ import annotations

from django.http import Http404
from django.shortcuts import get_object_or_404

from analysis.models import Report
from annotator.models import Membership
from annotator.people.access import Visitor, membership_of

FOR_LEADS = (Report.Kind.QUALITY, Report.Kind.DATA_SET)
SEES_NUMBERS = (Membership.Role.LEAD, Membership.Role.REVIEWER)


def membership_seeing_numbers(user: Visitor, slug: str) -> Membership:
    """Return the membership of a project's lead or reviewer; raise Http404.

    Annotators have no access: seeing how others judged the same images would bias their own annotations.
    """
    membership = membership_of(user, slug)
    if membership.role not in SEES_NUMBERS:
        raise Http404("No report.")
    return membership


def known_kind(kind: str, membership: Membership) -> str:
    """Return the report kind named in a URL; raise Http404 for any other.

    The quality of people's work and the data set are for leads alone.
    """
    for_leads = kind in FOR_LEADS and membership.role != Membership.Role.LEAD
    if kind not in Report.Kind.values or for_leads:
        raise Http404("No such report.")
    return kind


def finished_report(membership: Membership, kind: str, pk: int) -> Report:
    """Return a finished report of the membership's project; raise Http404."""
    reports = Report.objects.filter(project=membership.project, kind=known_kind(kind, membership))
    return get_object_or_404(reports.filter(status=Report.Status.DONE), pk=pk)
