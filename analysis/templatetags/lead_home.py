"""Words of the overview in templates."""

from __future__ import annotations

from datetime import datetime

from django import template

from analysis.home import dashboard
from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation
from scoring import service

register = template.Library()


@register.filter
def ago(moment: datetime, now: datetime) -> str:
    """Return how long before `now` a moment was: “now”, “4 min”, “3 h”, “2 days”."""
    return dashboard.ago(moment, now)


@register.filter
def lowerfirst(text: str) -> str:
    """Return a sentence for the middle of another one."""
    return text[:1].lower() + text[1:]


@register.filter
def headline_number(annotation: Annotation) -> str:
    """Return an annotation's headline with two decimals, a count as it is; a dash without one.

    A protocol that this version does not know has none: the overview shows everything else.
    """
    protocol = service.PROTOCOLS.get(annotation.assignment.batch.protocol)
    if protocol is None or (annotation.has_unread_terms and says_nothing(annotation.payload)):
        return "–"
    value = protocol.headline_of(annotation.ratings or [])
    if value is None:
        return "–"
    return str(value) if protocol.headline.values else f"{float(value):.2f}"
