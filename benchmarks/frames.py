"""Simulated annotations as the statistics read them."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
import pandas as pd

from analysis.stats.frames import Marks, RatingsFrame
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import SEVERITIES

MARKS: Final = {"row": "i4", "cell": "i1", "severity": "i1", "affected": "i4", "total": "i4", "pins": "u1"}


def framed(table: pd.DataFrame, marks: pd.DataFrame) -> RatingsFrame:
    """Return annotations as the statistics read them; `marks` has row, cell, severity and total."""
    order = np.lexsort((table["annotator"], table["image"]))
    marks = marks.assign(row=np.argsort(order)[marks["row"]], affected=1, pins=0).sort_values([*MARKS][:3])
    table = described(table.iloc[order].reset_index(drop=True))
    weights = tuple(Fraction(DEFAULT_WEIGHTS[severity]) for severity in SEVERITIES)
    return RatingsFrame(table, Marks(*(marks[name].to_numpy(kind) for name, kind in MARKS.items())), weights)


def described(table: pd.DataFrame) -> pd.DataFrame:
    """Return a sorted table of annotations with the columns that these studies do not vary."""
    table = table.assign(number=1, annotation=table.index + 1, prompt_group=0, batch=0)
    for name in ("annotator", "generator", "prompt", "prompt_group", "batch"):
        table[name] = pd.Categorical(np.char.mod(f"{name} %04d", table[name]))
    return table
