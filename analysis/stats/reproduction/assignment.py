"""The authors' assignment of images: their notebook's counts against the published file's."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from analysis.stats.frames import RatingsFrame

_FILE: Final = Path(__file__).with_name("notebook.csv")


def notebook_counts(frame: RatingsFrame) -> tuple[int, int] | None:
    """Return how many of the notebook's 40 counts agree at best, for single and for all annotations.

    The notebook does not say which of its annotators is which, so all 24 assignments of names are tried.
    Return None unless there are four annotators.
    """
    if len(frame.labels("annotator")) != 4:
        return None
    table = with_double(frame)
    return _best_match(table[~table["double"]], _printed("single")), _best_match(table, _printed("all"))


def with_double(frame: RatingsFrame) -> pd.DataFrame:
    """Return the annotations with a column `double`: whether another annotator judged the image too."""
    images = frame.image_codes
    counts = np.bincount(images)[images] if len(images) else images
    return frame.annotations.assign(double=counts >= 2)


def _printed(kind: str) -> dict[str, tuple[int, ...]]:
    """Return the counts of the notebook's four annotators by prompt."""
    with _FILE.open(newline="", encoding="utf-8") as file:
        return {row["prompt"]: tuple(map(int, row[kind].split())) for row in csv.DictReader(file)}


def _best_match(table: pd.DataFrame, printed: Mapping[str, tuple[int, ...]]) -> int:
    """Return how many printed counts agree under the best naming of annotators."""
    counted = table.groupby(["prompt", "annotator"], observed=False).size().to_dict()
    names = table["annotator"].cat.categories.tolist()
    return max(
        sum(
            counted.get((prompt, name), 0) == value
            for prompt, values in printed.items()
            for name, value in zip(naming, values, strict=True)
        )
        for naming in permutations(names)
    )
