"""The numbers of protocols without their own, from their variables; see `analysis.stats.generic`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from analysis.protocols.interface import Numbers, Row
from annotator.data_sets.settings import invalid_from_of
from annotator.models import Project
from annotator.protocols.registry import page_of
from scoring.protocol import Payload, Protocol, Variable
from scoring.service import get_protocol

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable, Floats, RatedAnnotation


def _frame(
    chunks: Iterable[list[Row]], project: Project, slug: str, source: str, *, anew: bool = False
) -> AnnotationTable:
    from analysis.stats.generic.values import build_values

    made = build_values(_rated(chunks, project, slug, source, anew), get_protocol(slug))
    return replace(made, invalid_from=invalid_from_of(project, slug))


def _rated(
    chunks: Iterable[list[Row]], project: Project, slug: str, source: str, anew: bool
) -> Iterator[RatedAnnotation]:
    from analysis.stats.building import RatedAnnotation

    protocol = get_protocol(slug)
    shown = protocol.shown_as.get(source) or ((lambda payload: payload) if anew else None)
    for rows in chunks:
        for *description, ratings, payload, number, pk in rows:
            if shown is not None:
                ratings = protocol.ratings(protocol.clean(shown(payload)), project.exact_weights)
            yield RatedAnnotation._make([*description, ratings, number or 0, pk, ()])


def _decided(slug: str, _: Payload, ratings: list[list[str]]) -> dict[str, Floats]:
    from analysis.stats.generic.values import values_of

    return values_of(ratings, get_protocol(slug))


def _description(protocol: Protocol, _: Project) -> dict[str, Any]:
    """Return a protocol as data, with the guideline that annotators read until a project publishes one."""
    guide = page_of(protocol.slug).guide
    description = {
        "protocol": protocol.slug,
        "version": protocol.version,
        "title": protocol.title,
        "variables": [_variable(variable) for variable in protocol.variables],
        **({"form": protocol.form} if protocol.form else {}),
    }
    return description | (
        {"guideline": [asdict(block) for block in guide.blocks]} if guide and guide.blocks else {}
    )


def _variable(variable: Variable) -> dict[str, Any]:
    """Return a variable as data, without what it is not."""
    fields = asdict(variable)
    return {
        key: value
        for key, value in fields.items()
        if value or key not in ("optional", "higher_is_better", "limits")
    }


GENERIC: Final[Numbers] = Numbers(
    fields=("ratings", "payload"),
    frame=_frame,
    computations={
        "agreement": "analysis.stats.generic.agreement.agreement_of_values",
        "comparison": "analysis.stats.comparison.generic.comparison",
    },
    decided=_decided,
    told=_description,
    using_adjudicated=frozenset({"comparison"}),
)
# Stored ratings may come from earlier settings of the project.
RATED_ANEW: Final[Numbers] = replace(GENERIC, frame=partial(_frame, anew=True))


def computing(**own: str) -> Numbers:
    """Return the generic numbers with own functions of some report kinds."""
    return replace(GENERIC, computations={**GENERIC.computations, **own})
