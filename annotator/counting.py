"""Counting what belongs to each row of a list, in the same query."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, IntegerField, QuerySet, Subquery
from django.db.models.functions import Coalesce


def per_row(grouped: QuerySet[Any, Any], count: Count) -> Coalesce:
    """Return the count of a correlated, grouped query as a column; 0 where nothing belongs to the row.

    Joins would multiply each other; one subquery per count does not.
    """
    counted = grouped.annotate(count=count).values("count")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)
