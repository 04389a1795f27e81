"""What is stored with a result: its excerpt for other pages, and the other side of its overlap switch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from analysis.models import Report
from analysis.reports.stored import ALL, OVERLAP, OWN_SIDE, RANDOM, Result
from analysis.stats.generic.tables import rows_of
from scoring.service import get_protocol

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable

TIMED: Final = 20
"""Annotations with a known time that a typical time needs."""


def other_overlap(
    kind: str, frame: AnnotationTable, compute: Callable[[AnnotationTable], Any]
) -> dict[str, Any]:
    """Return the entry `overlap` of a report: the numbers of images, and the result on the other side.

    Empty unless some images were annotated several times at random and others because of a doubt.
    """
    if kind not in OWN_SIDE or not frame.is_targeted.any():
        return {}
    images = {RANDOM: _several(frame.at_random), ALL: _several(frame)}
    if not images[RANDOM]:
        return {}
    if OWN_SIDE[kind] == RANDOM:
        return {OVERLAP: {"images": images, ALL: compute(replace(frame, targeted=frame.targeted[:0]))}}
    return {OVERLAP: {"images": images, RANDOM: compute(frame.at_random)}}


def _several(frame: AnnotationTable) -> int:
    """Return the number of images with several annotators."""
    import numpy as np

    return int((np.bincount(frame.image_codes) > 1).sum()) if len(frame) else 0


def excerpt_in(kind: str, result: Result, protocol: str) -> dict[str, Any] | None:
    """Return the excerpt of a result of this kind; None for a kind that no other page shows."""
    return EXCERPTS[kind](result, protocol) if kind in EXCERPTS else None


def _of_agreement(result: Result, protocol: str) -> dict[str, Any]:
    """Return `alpha` of the headline, `alphas` by annotator's code, and `disagreements` about cells."""
    title = get_protocol(protocol).headline.title
    measures = {row["variable"]: row["pooled"] for row in rows_of(result, "agreement")}
    pairs = [row for row in rows_of(result, "pairs") if row["variable"] == title]
    rows = rows_of(result, "disagreements")
    return {
        "alpha": measures.get(title),
        "alphas": _alphas(pairs),
        "disagreements": [{"image": row["image"], "scores": row["scores"]} for row in rows if row["cells"]],
    }


def _alphas(pairs: Iterable[Result]) -> dict[str, float]:
    """Return code → the mean alpha of the annotator's pairs, weighted by shared images.

    Over images drawn at random. Pairs too small for an alpha are left out, and annotators without any other.
    """
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for pair in pairs:
        if (alpha := pair["agreement"]["value"]) is not None:
            for name in pair["annotators"]:
                sums[name][0] += alpha * pair["images"]
                sums[name][1] += pair["images"]
    return {name: total / images for name, (total, images) in sums.items()}


def _of_quality(result: Result, _: str) -> dict[str, Any]:
    """Return `typical_ms`: the median over annotators of their median active time, if `TIMED` are known."""
    lines = [line for line in result["lines"] if line["median_ms"] is not None]
    enough = sum(line["timed"] for line in lines) >= TIMED
    return {"typical_ms": median(line["median_ms"] for line in lines) if enough else None}


EXCERPTS: Final[Mapping[str, Callable[[Result, str], dict[str, Any]]]] = {
    Report.Kind.AGREEMENT: _of_agreement,
    Report.Kind.QUALITY: _of_quality,
}
"""What makes the excerpt of a result, with the slug of its protocol, by kind of report."""
