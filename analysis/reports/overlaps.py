"""The other side of a report's overlap switch, where images were annotated for both reasons.

Agreement counts the images drawn at random, and all of them under *All*; a comparison counts every
annotation, and under *Random* only those that were not requested because of a doubt. Both are stored in one
result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from analysis.models import Report

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable

OVERLAP: Final = "overlap"
RANDOM: Final = "random"
ALL: Final = "all"
_OWN: Final[Mapping[str, str]] = {Report.Kind.AGREEMENT: RANDOM, Report.Kind.COMPARISON: ALL}
"""What each kind of report counts by itself."""


@dataclass(frozen=True)
class OverlapSwitch:
    """The switch of a report: the side shown, whether it is the other one, and the images of each."""

    shown: str
    switched: bool
    random: int
    all: int


def other_overlap(
    kind: str, frame: AnnotationTable, compute: Callable[[AnnotationTable], Any]
) -> dict[str, Any]:
    """Return the entry `overlap` of a report: the numbers of images, and the result on the other side.

    Empty unless some images were annotated several times at random and others because of a doubt.
    """
    if kind not in _OWN or not frame.is_targeted.any():
        return {}
    images = {RANDOM: _several(frame.at_random), ALL: _several(frame)}
    if not images[RANDOM]:
        return {}
    if _OWN[kind] == RANDOM:
        return {OVERLAP: {"images": images, ALL: compute(replace(frame, targeted=frame.targeted[:0]))}}
    return {OVERLAP: {"images": images, RANDOM: compute(frame.at_random)}}


def in_overlap(report: Report, side: str) -> tuple[Report, OverlapSwitch | None]:
    """Return a report as its switch shows it, in memory, and the switch; None if it has none."""
    found = (report.result or {}).get(OVERLAP)
    own = _OWN.get(report.kind)
    if not found or own is None:
        return report, None
    switched = side != own and side in found and side != "images"
    if switched:
        report.result = {**(report.result or {}), **found[side]}
        if side == ALL:
            report.result.pop("targeted", None)
    return report, OverlapSwitch(side if switched else own, switched, **found["images"])


def _several(frame: AnnotationTable) -> int:
    """Return the number of images with several annotators."""
    import numpy as np

    return int((np.bincount(frame.image_codes) > 1).sum()) if len(frame) else 0
