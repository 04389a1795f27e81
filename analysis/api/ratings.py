"""Ratings in API responses."""

from __future__ import annotations

from fractions import Fraction

from analysis.api import schemas


def rating_of(variable: str, component: str, value: str) -> schemas.Rating:
    """Return a stored rating as an exact fraction and as a number."""
    return schemas.Rating(variable=variable, component=component, value=value, number=float(Fraction(value)))
