"""How well annotators agree, as a picture: alpha of each measure on one axis from chance to perfect."""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from typing import Any, Final

from analysis.first_screen.ranking import dot, share_of
from analysis.stats.generic.tables import rows_of
from analysis.tables.agreement import TENTATIVE
from analysis.tables.wording import limits

MARKS: Final = ((0.0, "chance"), (TENTATIVE, "usual minimum"), (1.0, "perfect"))
STEP: Final = 0.25


def agreed(result: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the picture of an agreement report; None if no alpha has a value.

    It has `measures`, each a dot with its `title`, and the `marks` of the axis: position, alpha and meaning.
    """
    measures = [
        (row["variable"], row["pooled"])
        for row in rows_of(result, "agreement")
        if row["level"] and row["pooled"]["value"] is not None
    ]
    if not measures:
        return None
    ends = [estimate[key] for _, estimate in measures for key in ("value", "low")]
    axis = (floor(min(0.0, *(end for end in ends if end is not None)) / STEP) * STEP, 1.0)
    return {
        "measures": [
            {**dot(estimate, axis), "title": title, "interval": limits(estimate) or "no interval"}
            for title, estimate in measures
        ],
        "marks": [(share_of(value, axis), f"{value:g}", meaning) for value, meaning in MARKS],
    }
