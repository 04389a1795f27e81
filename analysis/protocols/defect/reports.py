"""The numbers of marks: the generic ones, and in agreement the overlap of regions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from analysis.protocols.generic import GENERIC
from analysis.protocols.interface import Compute, Numbers, Row
from annotator.models import Project
from scoring.defect.marks import MARKS

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable, Ints


def _frame(chunks: Iterable[list[Row]], project: Project, slug: str, source: str) -> AnnotationTable:
    from analysis.protocols.defect.agreement import RegionsFrame
    from analysis.protocols.defect.regions import region_of

    regions: dict[int, Ints] = {}

    def read() -> Iterator[list[Row]]:
        for rows in chunks:
            for *_, payload, _number, pk, _moment in rows:
                regions[pk] = region_of(payload)
            yield rows

    made: Any = GENERIC.frame(read(), project, slug, source)
    plain = {each.name: getattr(made, each.name) for each in fields(made)}
    return RegionsFrame(**plain, regions=regions)


def _computation(kind: str) -> Compute:
    if kind != "agreement":
        return GENERIC.computation(kind)
    from analysis.protocols.defect.agreement import marks_agreement

    return marks_agreement


# Nobody outlines and describes a defect in that time, but “no defect” takes no longer.
NUMBERS: Final[Mapping[str, Numbers]] = {
    MARKS.slug: replace(GENERIC, frame=_frame, computation=_computation, using_settled=frozenset())
}
"""The numbers of the family, by protocol."""
