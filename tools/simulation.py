"""Simulated annotators with known habits, who turn the truth of a picture into the terms of a sheet row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from scoring.grid.notation import Term
from scoring.grid.taxonomy import BODY_PARTS, CELL_BY_KEY, CELLS, SEVERITIES
from tools.painter.chance import Chance
from tools.painter.planting import Truth

FALSE_ALARM_MILD = 0.8  # share of false alarms that are called mild; the rest are moderate


@dataclass(frozen=True)
class SimulatedAnnotator:
    """Habits of an annotator, known by construction.

    detection: probability of noticing an error of severity a, b, c.
    leniency: probability of calling an error one step milder; negative, one step more severe.
    false_alarms: mean number of errors reported in a picture that are not there (at most one each whole).
    miscount: probability that the count of a body part is one off.
    """

    code: str
    detection: Mapping[str, float]
    leniency: float
    false_alarms: float
    miscount: float


ANNOTATORS: tuple[SimulatedAnnotator, ...] = (
    SimulatedAnnotator("annotator1", {"a": 0.8, "b": 0.94, "c": 0.99}, 0.0, 0.08, 0.03),
    SimulatedAnnotator("annotator2", {"a": 0.55, "b": 0.8, "c": 0.94}, 0.5, 0.15, 0.06),
    SimulatedAnnotator("annotator3", {"a": 0.75, "b": 0.9, "c": 0.98}, -0.45, 0.35, 0.06),
    SimulatedAnnotator("annotator4", {"a": 0.4, "b": 0.72, "c": 0.92}, 0.15, 0.3, 0.12),
)


def annotate(truth: Truth, annotator: SimulatedAnnotator, chance: Chance) -> dict[str, tuple[Term, ...]]:
    """Return what this annotator enters: terms by cell key, in published order, empty cells left out."""
    offsets = {part: _miscount(annotator, chance) for part in BODY_PARTS}
    affected: dict[tuple[str, str], int] = defaultdict(int)
    for error in truth.errors:
        if chance.happens(annotator.detection[error.severity]):
            affected[error.cell, perceived(error.severity, annotator, chance)] += error.affected
    for _ in range(chance.rounded(annotator.false_alarms)):
        affected[chance.choice(CELLS).key, "a" if chance.happens(FALSE_ALARM_MILD) else "b"] += 1
    return _entered(affected, truth, offsets)


def perceived(severity: str, annotator: SimulatedAnnotator, chance: Chance) -> str:
    """Return the severity this annotator gives to an error; mild and severe are the ends of the scale."""
    step = 0
    if chance.happens(abs(annotator.leniency)):
        step = -1 if annotator.leniency > 0 else 1
    return SEVERITIES[min(max(SEVERITIES.index(severity) + step, 0), len(SEVERITIES) - 1)]


def _miscount(annotator: SimulatedAnnotator, chance: Chance) -> int:
    if not chance.happens(annotator.miscount):
        return 0
    return 1 if chance.happens(0.5) else -1


def _entered(
    affected: Mapping[tuple[str, str], int], truth: Truth, offsets: Mapping[str, int]
) -> dict[str, tuple[Term, ...]]:
    entered: dict[str, tuple[Term, ...]] = {}
    for cell in CELLS:
        found = [(severity, affected.get((cell.key, severity), 0)) for severity in SEVERITIES]
        marked = [(severity, count) for severity, count in found if count]
        if not marked:
            continue
        counted = truth.total(cell.key) + offsets[CELL_BY_KEY[cell.key].body_part]
        total = max(counted, sum(count for _, count in marked))  # nobody marks more parts than they count
        entered[cell.key] = tuple(Term(count, total, severity) for severity, count in marked)
    return entered
