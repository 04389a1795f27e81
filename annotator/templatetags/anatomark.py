"""Filters of the templates: the one place where exact numbers are rounded."""

from __future__ import annotations

from fractions import Fraction

from django import template

register = template.Library()


@register.filter
def score(value: Fraction | str | float | None) -> str:
    """Return a score with three decimals: `67/60` as 1.117; a dash where there is none."""
    if value is None or value == "":
        return "–"
    thousandths = round(Fraction(value) * 1000)
    return f"{thousandths // 1000}.{thousandths % 1000:03d}"
