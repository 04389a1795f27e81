"""Words of the overview in templates."""

from __future__ import annotations

from datetime import datetime

from django import template

from analysis.home import dashboard
from annotator.models import Annotation
from scoring.rounding import half_up
from scoring.service import get_protocol

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
    """Return an annotation's headline, named: `score 0.25`, `2 cells`, `rating 7`; a dash without one."""
    value = dashboard.headline_value(annotation)
    if value is None:
        return "–"
    headline = get_protocol(annotation.assignment.batch.protocol).headline
    if headline.name == "cells_marked":
        return f"{value} cell{'' if value == 1 else 's'}"
    return f"{headline.title.lower()} {value}" if headline.values else f"score {half_up(float(value), 2)}"
