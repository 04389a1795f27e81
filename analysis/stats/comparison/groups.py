"""Tables of groups of images: prompts, prompt groups, annotators, and how the scores are distributed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from analysis.stats.comparison.compared import Compared
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.means import SAME, grouped, mean_estimates

COLUMNS: Final = 12
"""Generators with a column of their own; with more of them, tables crossed with generators have none."""
LISTED: Final = 200
"""Prompts that are listed: those with the most images."""
BINS: Final = 40
PROMPT_GROUPS: Final = ("individual", "pair", "group")
ANNOTATIONS: Final = ResultColumn("annotations", "Annotations", "count")
IMAGES: Final = ResultColumn("images", "Images", "count")
VARIANCE: Final = ResultColumn("variance", "Variance", "number", "sample variance over images")


def of_generators(labels: Sequence[str], kind: Any, meaning: str = "") -> list[ResultColumn]:
    """Return a column for each generator; none if there are too many."""
    if len(labels) > COLUMNS:
        return []
    return [ResultColumn(f"generator {label}", label or "(none)", kind, meaning) for label in labels]


def prompts_table(compared: Compared) -> Json:
    """Return the prompts with the mean over images, and that of each generator."""
    frame, codes = compared.frame, compared.codes("prompt")
    labels, generators = frame.labels("prompt"), frame.labels("generator")
    sizes = np.bincount(codes, minlength=len(labels))
    listed = np.sort(np.argsort(-sizes, kind="stable")[:LISTED]).tolist()
    own = of_generators(generators, "estimate", "mean over the generator's images of the prompt")
    crossed = _crossed(compared, codes, len(labels)) if own else []
    columns, rows = _of_groups(compared, "prompt", "Prompt")
    left_out = len(labels) - len(listed)
    return table(
        "prompts",
        "Prompts",
        f"{compared.headline.title} by image, over all generators: the mean with Student's 95% interval over "
        "images. Prompts are not compared with each other: they may differ in annotators and generators."
        + (f" {left_out:,} prompts with fewer images are not listed." if left_out else ""),
        [*columns, *own],
        ([*rows[place], *(crossed[place] if own else [])] for place in listed),
    )


def _crossed(compared: Compared, prompts: Ints, size: int) -> list[list[Any]]:
    """Return by prompt the mean of each generator."""
    frame = compared.frame
    wide, people = len(frame.labels("generator")), max(len(frame.labels("annotator")), 1)
    moments = grouped(compared.images, prompts * wide + compared.codes("generator"), size * wide)
    keys = frame.codes("prompt") * wide + frame.codes("generator")
    judged = np.unique(keys * people + frame.codes("annotator")) // people
    means = mean_estimates(moments, np.bincount(judged, minlength=size * wide), compared.headline.range)
    return [list(means[place * wide : (place + 1) * wide]) for place in range(size)]


def prompt_groups_table(compared: Compared) -> Json:
    """Return the prompt groups, ordered by number of people, others last."""
    columns, rows = _of_groups(compared, "prompt_group", "Prompt group")
    known = {name: place for place, name in enumerate(PROMPT_GROUPS)}
    return table(
        "prompt_groups",
        "Prompt groups",
        f"{compared.headline.title} by image, by how many people the prompt asks for.",
        columns,
        sorted(rows, key=lambda row: (known.get(row[0], len(known)), row[0])),
    )


def _of_groups(compared: Compared, column: str, title: str) -> tuple[list[ResultColumn], list[list[Any]]]:
    frame, headline, codes = compared.frame, compared.headline, compared.codes(column)
    labels = frame.labels(column)
    moments = grouped(compared.images, codes, len(labels))
    means = mean_estimates(moments, frame.n_annotators(column), headline.range)
    annotations = np.bincount(frame.codes(column), minlength=len(labels)).tolist()
    more = [compared_column.by(codes, moments.n) for compared_column in compared.columns]
    mean = ResultColumn("mean", "Mean", "estimate", f"mean {headline.title.lower()} of images")
    columns = [
        ResultColumn(column, title),
        ANNOTATIONS,
        IMAGES,
        mean,
        VARIANCE,
        *(compared_column.column for compared_column in compared.columns),
    ]
    return columns, [
        [
            label,
            annotations[place],
            int(moments.n[place]),
            means[place],
            moments.variance_of(place),
            *(values[place] for values in more),
        ]
        for place, label in enumerate(labels)
    ]


def annotators_table(compared: Compared) -> Json:
    """Return each annotator over their own annotations."""
    frame, headline = compared.frame, compared.headline
    labels, codes = frame.labels("annotator"), frame.codes("annotator")
    moments = grouped(compared.scores, codes, len(labels))
    means = mean_estimates(moments, np.ones(len(labels), dtype=np.int64), headline.range)
    return table(
        "annotators",
        "Annotators",
        "Each annotator over their own images. Differences reflect strictness and the images assigned.",
        (
            ResultColumn("annotator", "Annotator"),
            IMAGES,
            ResultColumn("mean", "Mean", "estimate", f"mean {headline.title.lower()} of their annotations"),
            ResultColumn("variance", "Variance", "number", "sample variance over their annotations"),
        ),
        ([label, int(moments.n[i]), means[i], moments.variance_of(i)] for i, label in enumerate(labels)),
    )


def distribution_table(compared: Compared) -> Json:
    """Return a histogram of the images' scores, of all and of each generator."""
    labels, codes = compared.frame.labels("generator"), compared.codes("generator")
    own = of_generators(labels, "count")
    edges = _edges(compared.images)
    places = np.clip(np.searchsorted(edges - SAME, compared.images, side="right") - 1, 0, len(edges) - 2)
    bins = max(len(edges) - 1, 0)
    flat = np.bincount(places * len(labels) + codes, minlength=bins * len(labels))
    counts = flat.reshape(bins, len(labels))
    return table(
        "distribution",
        "Distribution",
        "How many images have a score in each step. The end of a step belongs to the next one.",
        (ResultColumn("from", "From", "number"), ResultColumn("to", "To", "number"), IMAGES, *own),
        (
            [low, high, int(row.sum()), *(row.tolist() if own else [])]
            for low, high, row in zip(edges.tolist(), edges[1:].tolist(), counts, strict=False)
        ),
    )


def _edges(scores: Floats) -> Floats:
    """Return the edges of round steps near the width of D. Freedman and P. Diaconis (1981)."""
    if not len(scores):
        return np.zeros(1)
    lowest, highest = float(scores.min()), float(scores.max())
    q1, q3 = np.quantile(scores, [0.25, 0.75]).tolist()
    width = max(2 * (q3 - q1) / len(scores) ** (1 / 3), (highest - lowest) / BINS, 1e-3)
    tens = 10.0 ** math.floor(math.log10(width))
    step = next(tens * size for size in (1, 2, 2.5, 5, 10) if tens * size >= width - SAME)
    first, last = math.floor(lowest / step + SAME), math.floor(highest / step + SAME) + 1
    return np.asarray(np.arange(first, last + 1) * step, dtype=np.float64)
