"""A checked annotation under the anatomy protocol, with its warnings."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from scoring.anatomy.dots import Dots, dot_warnings
from scoring.grid.notation import Term, cell_warnings
from scoring.grid.taxonomy import (
    BODY_PART_NOUNS,
    BODY_PARTS,
    CELL_BY_KEY,
    CELLS,
    ERROR_TYPES,
    SEVERITIES,
    Cell,
    CountKind,
    parts_in_words,
)
from scoring.protocol import Flaggable, Payload, PayloadWarning

# Body parts that come and go with each part: a person who lacks an arm lacks its hand, and that is one error.
CARRIED_BY: Final[Mapping[str, frozenset[str]]] = {
    "torso": frozenset({"torso"}),
    "limbs": frozenset({"limbs", "torso"}),
    "feet": frozenset({"feet", "limbs", "torso"}),
    "hands": frozenset({"hands", "limbs", "torso"}),
    "face": frozenset({"face", "torso"}),
}
COUNT_HINT: Final = "Enter the number of people (W), or type / and the total."

Pin = tuple[float, float]
"""x and y as fractions of the natural image, from its upper left corner."""


@dataclass(frozen=True)
class Mark:
    """One `affected/total severity` of a cell; `total` is None only in a draft without that count.

    With `own_total` the total was entered with the mark and does not follow the image's count; otherwise
    it is that count.
    """

    error_type: str
    body_part: str
    severity: str
    affected: int
    total: int | None
    own_total: bool
    pins: tuple[Pin, ...] = ()

    @property
    def cell(self) -> Cell:
        """The cell of this mark."""
        return CELL_BY_KEY[f"{self.error_type}.{self.body_part}"]

    @property
    def order(self) -> tuple[int, int, int]:
        """The sort key of this mark: type, part, severity."""
        return (
            ERROR_TYPES.index(self.error_type),
            BODY_PARTS.index(self.body_part),
            SEVERITIES.index(self.severity),
        )


@dataclass(frozen=True)
class AnatomyAnnotation(Flaggable):
    """The checked content of one annotation, built by `clean`.

    `expected` and `visible` map body parts to their known counts; `counts_set` lists, for each of the two,
    the parts whose count was corrected by hand. `dots` are the places of the visible parts counted by dots.
    """

    people: int | None
    expected: Mapping[str, int]
    visible: Mapping[str, int]
    counts_set: Mapping[str, tuple[str, ...]]
    marks: tuple[Mark, ...]
    no_errors: bool
    dots: Dots = field(default_factory=lambda: MappingProxyType({}))

    def counts(self, kind: CountKind) -> Mapping[str, int]:
        """Return the counts of one kind by body part."""
        return self.expected if kind == "expected" else self.visible

    def marks_of(self, cell_key: str) -> tuple[Mark, ...]:
        """Return the marks of one cell in order of severity. Raises KeyError for an unknown cell."""
        cell = CELL_BY_KEY[cell_key]
        return tuple(
            mark
            for mark in self.marks
            if mark.error_type == cell.error_type and mark.body_part == cell.body_part
        )

    def terms(self, cell_key: str) -> tuple[Term, ...]:
        """Return the marks of one cell that have a total. Raises KeyError for an unknown cell."""
        return tuple(
            Term(mark.affected, mark.total, mark.severity)
            for mark in self.marks_of(cell_key)
            if mark.total is not None
        )

    @property
    def warnings(self) -> tuple[PayloadWarning, ...]:
        """Warnings about unusual entries, cell by cell in the published order, then about the counts."""
        cells = (warning for cell in CELLS for warning in _warnings(self, cell))
        contradictions = (warning for part in BODY_PARTS for warning in _contradiction(self, part))
        return (*cells, *contradictions, *dot_warnings(self.dots, self.visible))

    def payload(self) -> Payload:
        """Return the canonical payload, ready for JSON; it has `dots` only if there are any."""
        dots = {part: [list(dot) for dot in dots] for part, dots in self.dots.items()}
        return {
            "people": self.people,
            "counts": {"expected": dict(self.expected), "visible": dict(self.visible)},
            "counts_set": {kind: list(parts) for kind, parts in self.counts_set.items()},
            "marks": [mark_payload(mark) for mark in self.marks],
            "no_errors": self.no_errors,
            **self.remarks(),
            "note": self.note,
            **({"dots": dots} if dots else {}),
        }


def mark_payload(mark: Mark) -> Payload:
    """Return one entry of a payload's `marks`."""
    return {
        "type": mark.error_type,
        "part": mark.body_part,
        "severity": mark.severity,
        "affected": mark.affected,
        "total": mark.total,
        "own_total": mark.own_total,
        "pins": [{"x": x, "y": y} for x, y in mark.pins],
    }


def _plural(body_part: str) -> str:
    return BODY_PART_NOUNS[body_part][1]


def _warnings(answer: AnatomyAnnotation, cell: Cell) -> Iterator[PayloadWarning]:
    marks = answer.marks_of(cell.key)
    if not marks:
        return
    field = f"marks.{cell.key}"
    terms = answer.terms(cell.key)
    if len(terms) < len(marks):
        yield PayloadWarning(field, "no_total", f"No count yet for {_plural(cell.body_part)}. {COUNT_HINT}")
    for warning in cell_warnings(terms, cell):
        yield PayloadWarning(field, warning.code, warning.message)
    count = answer.counts(cell.count_kind).get(cell.body_part)
    totals = {term.total for term in terms}
    # With several totals, "different totals" already covers this.
    if count is not None and len(totals) == 1 and count not in totals:
        counted = f"{cell.count_kind} {_plural(cell.body_part)}"
        message = f"Total {totals.pop()} here, {count} elsewhere for {counted}. Kept as typed."
        yield PayloadWarning(field, "total_differs_from_count", message)


def _contradiction(answer: AnatomyAnnotation, part: str) -> Iterator[PayloadWarning]:
    """Warn if the two counts of a body part differ without a mark that explains it.

    More are visible than expected only with an extra part, fewer only with a missing one. Of the 93 pairs of
    different totals in the published study, 90 have that mark.
    """
    expected, visible = answer.expected.get(part), answer.visible.get(part)
    if expected is None or visible is None or expected == visible:
        return
    error_type = "extra" if visible > expected else "missing"
    if any(mark.error_type == error_type and mark.body_part in CARRIED_BY[part] for mark in answer.marks):
        return
    counted = parts_in_words(visible, part, "visible")
    text = f"{counted}, but {expected} expected and none marked as {error_type}. Kept as typed."
    yield PayloadWarning(f"counts.visible.{part}", "counts_contradict", text)
