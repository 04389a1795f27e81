"""The numbers of the anatomy protocol, from the counts of its marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import orjson
from django.db.models.fields.json import KeyTextTransform, KeyTransform

from analysis.protocols.anatomy.description import told
from analysis.protocols.interface import Compute, Numbers, Row
from annotator.models import Project
from scoring.grid.taxonomy import CELLS, SEVERITIES
from scoring.protocol import Payload

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable, Floats, RatedAnnotation

# Only what numbers need is read: the first rating's value (the cumulative score) and the marks with their
# counts, which ratings hold in lowest terms.
SCORE: Final = KeyTextTransform(2, KeyTransform(0, "ratings"))
MARKS: Final = KeyTextTransform("marks", "payload")
_PLACES: Final = {(cell.error_type, cell.body_part): place for place, cell in enumerate(CELLS)}
# Position of the marks in a row, from its end.
_MARKS: Final = -4


def _frame(chunks: Iterable[list[Row]], project: Project, *_: str) -> AnnotationTable:
    from analysis.stats.frames import build_frame

    return build_frame(_with_marks(chunks), project.exact_weights)


def _with_marks(chunks: Iterable[list[Row]]) -> Iterator[RatedAnnotation]:
    from analysis.stats.building import RatedAnnotation, microseconds

    for rows in chunks:
        # Parsing all marks as one text halves the time.
        marks = orjson.loads(f"[{','.join(row[_MARKS] or '[]' for row in rows)}]")
        for (*description, score, _, number, pk, moment), found in zip(rows, marks, strict=True):
            ratings = [] if score is None else [("cumulative_score", "", score)]
            made = microseconds(moment)
            yield RatedAnnotation._make([*description, ratings, number or 0, pk, made, found])


def _decided(_: str, payload: Payload, __: list[list[str]]) -> Floats:
    """Return (25, 3) unweighted error fractions; see `analysis.stats.images`."""
    import numpy as np

    fractions = np.zeros((len(CELLS), len(SEVERITIES)))
    for mark in payload["marks"]:
        place = _PLACES[mark["type"], mark["part"]]
        fractions[place, SEVERITIES.index(mark["severity"])] = mark["affected"] / mark["total"]
    return fractions


def severities_of(ratings: Iterable[Sequence[Any]]) -> dict[str, list[int]]:
    """Return the severities of each marked cell, as places in a, b, c, ascending."""
    found: dict[str, list[int]] = defaultdict(list)
    for variable, component, _ in ratings:
        if variable == "error_fraction":
            cell, _, severity = component.rpartition(".")
            found[cell].append(SEVERITIES.index(severity))
    return {cell: sorted(places) for cell, places in found.items()}


def _computation(kind: str) -> Compute:
    from analysis.protocols.anatomy.agreement import anatomy_agreement
    from analysis.protocols.anatomy.comparison import anatomy_comparison

    known: dict[str, Compute] = {"agreement": anatomy_agreement, "comparison": anatomy_comparison}
    return known[kind]


NUMBERS: Final = Numbers(
    fields=(SCORE, MARKS),
    frame=_frame,
    computation=_computation,
    told=told,
    decided=_decided,
    # Only comparisons use adjudicated values, because no annotator made them.
    using_settled=frozenset({"comparison"}),
    severities=severities_of,
    severity_names=SEVERITIES,
)
