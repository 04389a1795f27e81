"""Propose the causes of disagreements between annotations in 25 cells."""

from collections.abc import Collection, Mapping, Sequence
from itertools import permutations
from typing import Final

from scoring.causes import Cause, Proposal
from scoring.grid.taxonomy import BODY_PARTS, CELLS, ERROR_TYPES, Cell

NEIGHBOURS: Final = frozenset(
    frozenset(pair) for pair in (("limbs", "hands"), ("limbs", "feet"), ("torso", "limbs"), ("torso", "face"))
)
"""Body parts whose border annotators may draw differently."""

Marks = tuple[tuple[int, int, str], ...]
"""The marks of one cell: affected parts, total, severity; empty if the cell is not marked."""


def proposals(answers: Sequence[Mapping[str, Marks]]) -> dict[str, Proposal]:
    """Return a proposal for each cell on which annotations differ, in published order.

    Each annotation maps the keys of its marked cells to their marks. The first rule that fits applies, to
    any two of the annotators:

    1. One marks this cell and not another error type on the same part, the other the reverse: type.
    2. The same with a neighbouring part and the same error type: part.
    3. Some do not mark it: missed if the decided value marks the cell, otherwise not an error.
    4. Affected parts (their sum), totals (the largest) or severities (the set) differ: each of these.

    Under 3, those who do mark the cell may also differ among each other, so that 4 adds its causes if the
    value is decided; under 4, a value decided as empty adds that nobody should have marked the cell.
    """
    return {
        cell.key: _proposal(cell, answers)
        for cell in CELLS
        if len({tuple(sorted(answer.get(cell.key, ()))) for answer in answers}) > 1
    }


def _proposal(cell: Cell, answers: Sequence[Mapping[str, Marks]]) -> Proposal:
    if any(_swapped(cell.key, f"{other}.{cell.body_part}", answers) for other in ERROR_TYPES):
        return Proposal(("type",), ("type",))
    neighbours = [part for part in BODY_PARTS if frozenset((part, cell.body_part)) in NEIGHBOURS]
    if any(_swapped(cell.key, f"{cell.error_type}.{part}", answers) for part in neighbours):
        return Proposal(("part",), ("part",))
    given = [answer[cell.key] for answer in answers if answer.get(cell.key)]
    differing = _differing(given)
    if len(given) < len(answers):
        return Proposal(("missed", *differing), ("not_an_error",))
    return Proposal(differing, ("not_an_error", *differing))


def _swapped(key: str, other: str, answers: Sequence[Mapping[str, Collection[object]]]) -> bool:
    """Return whether one annotator marks only the first of two cells, and another only the second."""
    sides = [(bool(answer.get(key)), bool(answer.get(other))) for answer in answers]
    return key != other and any(
        (one, two) == ((True, False), (False, True)) for one, two in permutations(sides, 2)
    )


def _differing(given: Sequence[Marks]) -> tuple[Cause, ...]:
    differing: dict[Cause, int] = {
        "count": len({sum(affected for affected, _, _ in marks) for marks in given}),
        "total": len({max(total for _, total, _ in marks) for marks in given}),
        "severity": len({frozenset(severity for _, _, severity in marks) for marks in given}),
    }
    return tuple(cause for cause, values in differing.items() if values > 1)
