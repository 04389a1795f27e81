"""The annotators report: every annotator compared with others on the same images."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.agreement.provenance import settings
from analysis.stats.annotators.beside_others import beside, beside_others
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.pairs import SharedImages, shared_images
from analysis.stats.steps import Sections, Steps

LISTED: Final = 500
SECTIONS: Final = 3


def annotators(frame: RatingsFrame, steps: Steps | None = None) -> dict[str, Any]:
    """Return the report as plain JSON values, unrounded.

    One entry per annotator, by name; at most the `LISTED` with the most annotations. Comparisons with others
    use images that several annotators were assigned at random. `steps` receives the progress.
    """
    section = Sections(steps, SECTIONS)
    labels, codes = frame.labels("annotator"), frame.codes("annotator")
    counts = np.bincount(codes, minlength=len(labels))
    listed = np.sort(np.argsort(-counts, kind="stable")[:LISTED]).tolist()
    shared = section(shared_images(frame, at_random=True))
    others, sums = section(beside_others(frame, shared))
    partners = _partners(frame, shared)
    entries = []
    for done, code in enumerate(listed):
        section.within(done, len(listed))
        entries.append(
            {
                "annotator": labels[code],
                "images": int(counts[code]),
                **_beside(others, sums, code, int(partners[code])),
            }
        )
    return {
        "settings": {**settings(frame), "annotators": len(labels)},
        "annotators": section(entries),
        "annotators_left_out": len(labels) - len(listed),
        **frame.targeted_counts(),
    }


def _beside(others: Ints, sums: Floats, code: int, partners: int) -> dict[str, Any]:
    start, end = np.searchsorted(others, [code, code + 1])
    return {"shared_images": int(end - start), **beside(sums[start:end], partners + 1)}


def _partners(frame: RatingsFrame, shared: SharedImages) -> Ints:
    """Return (annotators,): with how many others each shares an image."""
    labels = frame.labels("annotator")
    place = {name: code for code, name in enumerate(labels)}
    ends = [place[name] for pair in shared.names for name in pair]
    return np.bincount(np.array(ends, dtype=np.int64), minlength=len(labels))
