"""The anatomy protocol: 25 cells, after Muhr et al. (2024)."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from scoring.anatomy.annotation import AnatomyAnnotation, Mark, mark_payload
from scoring.anatomy.cleaning import clean
from scoring.causes import CAUSES
from scoring.comparison import Aspect, Compared, ComparedComponent, verdict
from scoring.grid.causes import Marks, proposals
from scoring.grid.notation import Term
from scoring.grid.scores import cumulative_score, error_fraction
from scoring.grid.severity_weights import DEFAULT_WEIGHTS, Weights
from scoring.grid.taxonomy import CELL_BY_KEY, CELLS, SEVERITIES
from scoring.protocol import Causes, Payload, Protocol, Rating, Variable
from scoring.qualification_rules import DIFFERENCE, GENERIC_TERMS

__all__ = [
    "ANATOMY",
    "AnatomyAnnotation",
    "Mark",
    "clean",
    "compare",
    "payload_from_cells",
    "ratings",
]

_CUMULATIVE_SCORE: Final = Variable(
    name="cumulative_score",
    title="Cumulative score",
    level_of_measurement="interval",
    value_domain="fractions from 0 (no errors), no upper bound",
    headline=True,
)
_ERROR_FRACTION: Final = Variable(
    name="error_fraction",
    title="Error fraction",
    level_of_measurement="ratio",
    value_domain="fractions above 0 up to 1, by cell and severity; 0 where there is no mark",
    components=tuple(f"{cell.key}.{severity}" for cell in CELLS for severity in SEVERITIES),
)


def ratings(answer: AnatomyAnnotation, weights: Weights = DEFAULT_WEIGHTS) -> tuple[Rating, ...]:
    """Return the cumulative score (Equation 2), then the unweighted error fraction of each mark (Equation 1).

    Raises ValueError for a draft's mark without a total.
    """
    score: Rating = (_CUMULATIVE_SCORE.name, "", cumulative_score(answer.marks, weights))
    return (score, *(_mark_rating(mark) for mark in answer.marks))


def _mark_rating(mark: Mark) -> Rating:
    component = f"{mark.cell.key}.{mark.severity}"
    # cumulative_score has already refused marks without a total.
    value = error_fraction(mark.affected, mark.total) if mark.total is not None else Fraction(0)
    return (_ERROR_FRACTION.name, component, value)


def compare(reference: AnatomyAnnotation, answer: AnatomyAnnotation) -> Compared:
    """Compare the cells of two complete annotations.

    Two marked cells differ in the sum of their affected parts, in their largest total, or in the set of their
    severities.
    """
    components = []
    for cell in CELLS:
        theirs, ours = reference.terms(cell.key), answer.terms(cell.key)
        if theirs or ours:
            differs = _differing(theirs, ours) if theirs and ours else ()
            components.append(ComparedComponent(cell.key, verdict(bool(theirs), bool(ours)), differs))
    return Compared(tuple(components))


def _differing(theirs: tuple[Term, ...], ours: tuple[Term, ...]) -> tuple[Aspect, ...]:
    same: dict[Aspect, bool] = {
        "affected": sum(term.affected for term in theirs) == sum(term.affected for term in ours),
        "total": max(term.total for term in theirs) == max(term.total for term in ours),
        "severities": {term.severity for term in theirs} == {term.severity for term in ours},
    }
    return tuple(aspect for aspect, equal in same.items() if not equal)


def _cell_marks(answer: AnatomyAnnotation) -> dict[str, Marks]:
    """Return the marks of each marked cell."""
    marks_by_cell: dict[str, Marks] = {}
    for mark in answer.marks:
        key = mark.cell.key
        marks_by_cell[key] = (*marks_by_cell.get(key, ()), (mark.affected, mark.total or 0, mark.severity))
    return marks_by_cell


def payload_from_cells(cells: Mapping[str, Iterable[Term]], no_errors: bool = False) -> Payload:
    """Return the payload of terms by cell key: people and counts unknown, every total the mark's own.

    Raises KeyError for an unknown cell. The payload is canonical but unchecked: pass it to `clean`.
    """
    unknown = [key for key in cells if key not in CELL_BY_KEY]
    if unknown:
        raise KeyError(f"there is no cell {unknown[0]!r}")
    marks = [_own_mark(key, term) for key, terms in cells.items() for term in terms]
    ordered = [mark_payload(mark) for mark in sorted(marks, key=lambda mark: mark.order)]
    return {**ANATOMY.empty(), "marks": ordered, "no_errors": no_errors}


def _own_mark(cell_key: str, term: Term) -> Mark:
    cell = CELL_BY_KEY[cell_key]
    return Mark(cell.error_type, cell.body_part, term.severity, term.affected, term.total, own_total=True)


ANATOMY: Final = Protocol(
    slug="anatomy",
    title="Anatomical errors in 25 cells",
    version=1,
    variables=(_CUMULATIVE_SCORE, _ERROR_FRACTION),
    clean=clean,
    ratings=ratings,
    compare=compare,
    rule_terms=(replace(DIFFERENCE, default=Fraction(3, 10)), *GENERIC_TERMS),
    on_cells=True,
    causes=Causes(CAUSES, lambda answers: proposals(list(map(_cell_marks, answers))), _cell_marks),
)
