"""The authors' assignment of images: their notebook's counts against the published file's."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import pandas as pd

from analysis.stats.frames import RatingsFrame
from analysis.stats.reproduction.claims import NOTEBOOK_ALL, NOTEBOOK_SINGLE
from analysis.stats.reproduction.computed_values import with_double


def dealt_out(frame: RatingsFrame) -> str:
    """Return the comparison of the notebook's counts by prompt and annotator with the published file's."""
    title = "### The notebook's counts by prompt and annotator\n\n"
    best = notebook_counts(frame)
    if best is None:
        return f"{title}Not compared: the notebook has four annotators.\n"
    return (
        f"{title}The notebook also prints each annotator's number of images of each prompt, but not which "
        "of its annotators is which in the file, so all 24 assignments of names were tried: of "
        f"{4 * len(NOTEBOOK_ALL)} counts, at best {best[0]} agree for images judged once and {best[1]} for "
        "all annotations. **These counts do not follow from the published file.** The notebook draws "
        "without a seed, and its totals, the same in every draw, agree (above): the file is from another "
        "draw.\n"
    )


def notebook_counts(frame: RatingsFrame) -> tuple[int, int] | None:
    """Return how many of the notebook's 40 counts agree at best, for single and for all annotations.

    Return None unless there are four annotators.
    """
    if len(frame.labels("annotator")) != len(NOTEBOOK_ALL["person jogging"]):
        return None
    table = with_double(frame)
    return _best_match(table[~table["double"]], NOTEBOOK_SINGLE), _best_match(table, NOTEBOOK_ALL)


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
