"""Ratings as the API tells them."""

from __future__ import annotations

from fractions import Fraction

from analysis.api import schemas


def rating_of(variable: str, component: str, value: str) -> schemas.Rating:
    """Return a stored rating, exact and as a number."""
    return schemas.Rating(variable=variable, component=component, value=value, number=float(Fraction(value)))
