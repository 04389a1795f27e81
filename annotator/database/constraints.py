"""Constraints that the tables repeat."""

from __future__ import annotations

from django.db.models import CheckConstraint, Q


def known(field: str, values: str, name: str) -> CheckConstraint:
    """Return the constraint that a field has one of its choices, separated by spaces."""
    return CheckConstraint(condition=Q((f"{field}__in", values.split())), name=name)
