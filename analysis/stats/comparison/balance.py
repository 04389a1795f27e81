"""How evenly annotators, prompts and decided images are spread over generators: counts, without scores.

Where one annotator judged more of one generator than of another, a difference of raw means is partly theirs;
the mixed model allows for that.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.comparison import UNEVENLY
from analysis.stats.comparison.compared import Compared
from analysis.stats.comparison.groups import of_generators
from analysis.stats.frames import AnnotationTable, Ints
from analysis.stats.generic.tables import Json, ResultColumn, table

CHANCE: Final = 0.01
LISTED: Final = 100
"""Annotators and prompts that are listed: those with the most annotations."""
SUGGESTED: Final = ResultColumn(
    "suggested", "Suggestion shown", "count", "annotations whose annotator saw a suggestion"
)
SUGGESTED_UNEVENLY: Final = f"; the annotations with a suggestion are {UNEVENLY}"
TOTAL: Final = ResultColumn("total", "Total", "count", "annotations")


def balance_tables(compared: Compared) -> list[Json]:
    """Return annotations, images and people by generator, then annotations by prompt and by annotator."""
    frame = compared.frame
    by_annotator, by_prompt = (_counts(frame, name) for name in ("annotator", "prompt"))
    return [
        _by_generator(compared, by_annotator, by_prompt),
        _crossed(frame, "prompt", "Prompt", by_prompt),
        _crossed(frame, "annotator", "Annotator", by_annotator),
    ]


def _by_generator(compared: Compared, by_annotator: Ints, by_prompt: Ints) -> Json:
    frame, labels = compared.frame, compared.frame.labels("generator")
    codes, size = compared.codes("generator"), len(labels)
    adjudicated = np.bincount(codes[list(compared.decided)], minlength=size)
    targeted = np.unique(frame.image_codes[frame.is_targeted])
    columns = (
        np.bincount(frame.codes("generator"), minlength=size),
        np.bincount(codes, minlength=size),
        (by_annotator > 0).sum(axis=0),
        (by_prompt > 0).sum(axis=0),
        adjudicated,
        np.bincount(codes[targeted], minlength=size),
    )
    both_arms = [
        np.bincount(frame.codes("generator")[frame.is_suggested == arm], minlength=size)
        for arm in (True, False)
    ]
    helped = [(SUGGESTED, both_arms[0])] if len(frame.suggested) else []
    uneven = helped and both_arms[1].any() and _spread(np.array(both_arms)) == UNEVENLY
    line = _line(_spread(by_annotator), _spread(by_prompt)) + (SUGGESTED_UNEVENLY if uneven else "")
    return table(
        "balance",
        "Balance",
        f"{line}. The mixed model allows for who judged what; raw means do not. Adjudicated scores are "
        "counted nowhere but in a column of their own.",
        (
            ResultColumn("generator", "Generator"),
            ResultColumn("annotations", "Annotations", "count"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("annotators", "Annotators", "count", "who judged any of its images"),
            ResultColumn("prompts", "Prompts", "count"),
            ResultColumn("adjudicated", "Adjudicated", "count", "images with an adjudicated score"),
            ResultColumn(
                "targeted", "Targeted", "count", "images annotated again because of earlier annotations"
            ),
            *(column for column, _ in helped),
        ),
        (
            [label, *(int(column[place]) for column in (*columns, *(counts for _, counts in helped)))]
            for place, label in enumerate(labels)
        ),
        line=line,
    )


def _line(annotators: str, prompts: str) -> str:
    if annotators == prompts:
        return f"Annotators and prompts are {annotators}"
    return f"Annotators are {annotators}; prompts are {prompts}"


def _spread(counts: Ints) -> str:
    """Return how the rows of (rows, generators) counts are spread over the generators."""
    if min(counts.shape) < 2:
        return "too few to spread over the generators"
    shares = counts / counts.sum(axis=0)
    if np.ptp(shares, axis=1).max() < 1e-9:
        return "spread evenly over the generators"
    p = float(stats.chi2_contingency(counts, correction=False).pvalue)
    return UNEVENLY if p < CHANCE else "spread over the generators no more unevenly than by chance"


def _crossed(frame: AnnotationTable, column: str, title: str, counts: Ints) -> Json:
    labels, generators = frame.labels(column), frame.labels("generator")
    listed = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:LISTED]).tolist()
    own = of_generators(generators, "count")
    spread = [] if own else [ResultColumn("fewest", "Fewest", "count"), ResultColumn("most", "Most", "count")]
    left_out = len(labels) - len(listed)

    def row(place: int) -> list[Any]:
        numbers = counts[place].tolist()
        return [labels[place], *(numbers if own else [min(numbers), max(numbers)]), sum(numbers)]

    return table(
        f"balance_{column}s",
        f"Annotations by {title.lower()} and generator",
        f"How many annotations {'of each generator' if own else 'of one generator'} there are."
        + (f" {left_out:,} {column}s with fewer annotations are not listed." if left_out else ""),
        (ResultColumn(column, title), *own, *spread, TOTAL),
        map(row, listed),
    )


def _counts(frame: AnnotationTable, rows: str) -> Ints:
    """Return (rows, generators): annotations of each value of a column of the frame and generator."""
    shape = len(frame.labels(rows)), len(frame.labels("generator"))
    places = frame.codes(rows) * shape[1] + frame.codes("generator")
    return np.bincount(places, minlength=shape[0] * shape[1]).reshape(shape)
