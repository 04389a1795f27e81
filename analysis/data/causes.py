"""The causes that adjudications name, as the report and the export read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from analysis.data.ratings_table import adjudicated
from annotator.models import Annotation, Project
from scoring.protocol import CheckedAnnotation, InvalidPayload
from scoring.service import get_protocol

CHUNK: Final = 500
RUNGS: Final = ("both", "same_affected", "same_total", "same_severity")
"""The rungs of the ladder at which a pair can lose a component; see `analysis.protocols.anatomy.ladder`."""


@dataclass(frozen=True)
class NamedCauses:
    """One component of an adjudicated image with its causes.

    `changed` tells that they are not those proposed. `pairs` are the codes of each two annotators who differ
    in it, in order, with the rung of the ladder at which these two lose it. `guideline` is the version under
    which all annotations were made; empty for none or several.
    """

    generator: str
    component: str
    causes: tuple[str, ...]
    changed: bool
    guideline: str
    pairs: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class RecordedCauses:
    """What is known of the causes under a protocol.

    `images` counts the adjudications with causes by generator, `unrecorded` those without by generator, and
    `outdated` those of whose annotations some have changed since: their pairs are left out.
    """

    components: tuple[NamedCauses, ...]
    images: Mapping[str, int]
    unrecorded: Mapping[str, int]
    outdated: int


def recorded_causes(project: Project, protocol: str) -> RecordedCauses:
    """Return the causes of the adjudications that count; two queries, and one per 500 annotations."""
    rows = list(
        adjudicated(project, protocol)
        .order_by("image_id")
        .values_list("image__generator", "causes", "adjudicated_from")
    )
    images: dict[str, int] = {}
    unrecorded: dict[str, int] = {}
    components: list[NamedCauses] = []
    outdated = 0
    for generator, causes, _ in rows:
        counted = unrecorded if causes is None else images
        counted[generator] = counted.get(generator, 0) + 1
    named: list[Any] = [row for row in rows if row[1]]
    for part in (named[start : start + CHUNK] for start in range(0, len(named), CHUNK)):
        answers = _answers({pk for _, _, given in part for pk, _ in given})
        for generator, causes, given in part:
            said = [answers.get(pk) for pk, _ in given]
            current = [
                annotation
                for annotation, (_, version) in zip(said, given, strict=True)
                if annotation and annotation.version == version
            ]
            is_whole = len(current) == len(given)
            outdated += not is_whole
            lost = _lost(protocol, current) if is_whole else {}
            under = {annotation.guideline or "" for annotation in said if annotation is not None}
            version = under.pop() if len(under) == 1 else ""
            components += [
                NamedCauses(
                    generator,
                    component,
                    tuple(chosen["causes"]),
                    chosen["causes"] != chosen["proposed"],
                    version,
                    tuple(lost.get(component, ())),
                )
                for component, chosen in causes.items()
            ]
    return RecordedCauses(tuple(components), images, unrecorded, outdated)


def _answers(pks: set[int]) -> dict[int, Annotation]:
    rows = Annotation.objects.filter(pk__in=sorted(pks)).select_related("assignment__annotator")
    return {
        annotation.pk: annotation
        for annotation in rows.only("payload", "version", "guideline", "assignment__annotator__code")
    }


def _lost(protocol: str, answers: list[Annotation]) -> dict[str, list[tuple[str, str, str]]]:
    """Return, by component, each pair of annotators who differ in it, with the rung at which they lose it."""
    rules = get_protocol(protocol)
    if rules.compare is None:
        return {}
    said: list[tuple[str, CheckedAnnotation]] = []
    for answer in sorted(answers, key=lambda answer: answer.assignment.annotator.code):
        try:
            cleaned = rules.clean(answer.payload, complete=False)
        except InvalidPayload:
            continue
        said.append((answer.assignment.annotator.code, cleaned))
    losses: dict[str, list[tuple[str, str, str]]] = {}
    for (first, one), (second, other) in combinations(said, 2):
        differ = rules.causes.propose([one, other]) if rules.causes else {}
        for compared in rules.compare(one, other).components:
            if compared.component in differ:
                rung = _rung(compared.verdict, compared.differs)
                losses.setdefault(compared.component, []).append((first, second, rung))
    return losses


def _rung(verdict: str, differs: Iterable[str]) -> str:
    if verdict != "hit":
        return RUNGS[0]
    lost = dict(zip(("affected", "total"), RUNGS[1:3], strict=True))
    # Terms that differ in neither are distributed differently over the severities.
    return next((rung for aspect, rung in lost.items() if aspect in differs), RUNGS[3])
