"""Who may see a project's numbers."""

from __future__ import annotations

from django.http import Http404

from annotator.access import Visitor, membership_of
from annotator.models import Membership

SEES_NUMBERS = (Membership.Role.LEAD, Membership.Role.REVIEWER)


def membership_seeing_numbers(user: Visitor, slug: str) -> Membership:
    """Return the membership of a project's lead or reviewer; raises Http404.

    Annotators are kept out: to know how others judged the same images would change their own answers.
    """
    membership = membership_of(user, slug)
    if membership.role not in SEES_NUMBERS:
        raise Http404("No report.")
    return membership
