"""The interface of a protocol to the reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import import_string

from scoring.protocol import Protocol

if TYPE_CHECKING:
    from analysis.stats.frames import AnnotationTable
    from analysis.stats.generic.values import ValuesFrame
    from annotator.models import Project, SuggestionRun
    from scoring.protocol import Payload

Row = tuple[Any, ...]
"""An annotation: descriptive columns, its `Numbers.fields`, the image's number and its id."""
Compute = Callable[..., Mapping[str, object]]
"""Takes the table and a progress callback; kinds `using_adjudicated` also the keyword `adjudicated`,
comparisons `metrics` (outside metrics), `attributes` and `tags` (see `analysis.data.slices`)."""


Compared = Iterable[tuple[float, float, float, bool]]
"""What is suggested, answered and decided of each item of an image, and whether the annotator entered it."""


@dataclass(frozen=True)
class Numbers:
    """How a protocol's annotations are read and computed.

    `fields` are the parts of an annotation to read: ratings, payload or parts of them. `frame` builds a
    project's table from rows of annotations made under one protocol (`source`) and converted to another.
    `computations` are the functions of the report kinds, by their dotted names, because they import the
    numeric stack. `decided` reads what a report needs of an adjudication from protocol slug, payload and
    ratings; kinds `using_adjudicated` use it instead of the image's mean. `told` is the protocol as data
    for a bundle. `severities` returns the severities, as places in `severity_names`, by cell of ratings;
    protocols without severities have neither. `by_score` names what returns the table with the score of
    each image as the headline of its annotations, where that is not their mean. `compared` returns what
    compares an annotation with what a run suggests, where that is not counts. `fast_ms` is the
    time below which an annotation counts as fast, in milliseconds.
    """

    fields: tuple[Any, ...]
    frame: Callable[[Iterable[list[Row]], Project, str, str], AnnotationTable]
    computations: Mapping[str, str]
    decided: Callable[[str, Payload, list[list[str]]], Any]
    told: Callable[[Protocol, Project], dict[str, Any]]
    using_adjudicated: frozenset[str] = frozenset()
    severities: Callable[[Iterable[Sequence[Any]]], dict[str, list[int]]] | None = None
    severity_names: tuple[str, ...] = ()
    by_score: str = ""
    fast_ms: int = 5_000
    compared: Callable[[SuggestionRun], Callable[[int, Payload], Compared]] | None = None

    def computation(self, kind: str) -> Compute:
        """Return the function of a report kind, with the numeric stack."""
        found: Compute = import_string(self.computations[kind])
        return found

    def scored(self, frame: ValuesFrame) -> ValuesFrame:
        """Return the table by the score of each image."""
        found: ValuesFrame = import_string(self.by_score)(frame) if self.by_score else frame
        return found
