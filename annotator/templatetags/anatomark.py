"""Filters of the templates: the one place where exact numbers are rounded."""

from __future__ import annotations

from fractions import Fraction
from math import floor

from django import template

register = template.Library()


@register.filter
def score(value: Fraction | str | float | None) -> str:
    """Return a score with three decimals, halves upward: `67/60` as 1.117; a dash where there is none."""
    if value is None or value == "":
        return "–"
    thousandths = floor(Fraction(value) * 1000 + Fraction(1, 2))
    return f"{thousandths // 1000}.{thousandths % 1000:03d}"
