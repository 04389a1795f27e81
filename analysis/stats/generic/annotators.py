"""Annotators for any protocol: each one's headline compared with others on the same images."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.tables import ResultColumn, figure, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.means import grouped, mean_estimates
from analysis.stats.pairs import shared_images
from analysis.stats.steps import Sections, Steps

SECTIONS: Final = 2


def annotators(frame: ValuesFrame, steps: Steps | None = None) -> dict[str, Any]:
    """Return the annotators report: `tables`, `findings` and `figures` as plain values, unrounded.

    The difference is per image: the annotator's value minus the mean of the others, on images that several
    were assigned at random. Annotations without an optional headline are left out.
    """
    frame = frame.with_headline
    section = Sections(steps, SECTIONS)
    labels = frame.labels("annotator")
    gaps, codes = section(_beside_others(frame))
    found = grouped(gaps, codes, len(labels))
    # Without shared images there is no mean, not even 0.
    beside = [
        estimate if n else {**estimate, "value": None, "refused": "no images shared with others"}
        for estimate, n in zip(mean_estimates(found, np.full(len(labels), 2)), found.n, strict=True)
    ]
    counts = np.bincount(frame.codes("annotator"), minlength=len(labels))
    what = frame.protocol.headline.title.lower()
    levels = section(
        table(
            "beside_others",
            "Comparison with others",
            "Each annotator compared with the mean of the others, over the images they share.",
            (
                ResultColumn("annotator", "Annotator"),
                ResultColumn("annotations", "Annotations", "count"),
                ResultColumn("shared", "Shared images", "count", "images that others also annotated"),
                ResultColumn(
                    "difference",
                    "Difference",
                    "estimate",
                    f"mean {what} minus the others' mean, with Student's 95% interval over images",
                ),
            ),
            ([label, int(counts[i]), int(found.n[i]), beside[i]] for i, label in enumerate(labels)),
        )
    )
    return {
        **frame.targeted_counts(),
        "tables": [levels],
        "findings": [],
        "figures": [
            figure(
                "intervals", "beside_others", "Comparison with others", label="annotator", value="difference"
            )
        ],
    }


def _beside_others(frame: ValuesFrame) -> tuple[Floats, Ints]:
    """Return (k,) differences from the mean of an image's others, and (k,) the annotator of each."""
    shared = shared_images(frame, at_random=True)
    own = np.concatenate([shared.first, shared.second])
    others = np.concatenate([shared.second, shared.first])
    n = np.bincount(own, minlength=len(frame))
    total = np.bincount(own, frame.headline[others], minlength=len(frame))
    rows = np.flatnonzero(n)
    return frame.headline[rows] - total[rows] / n[rows], frame.codes("annotator")[rows]
