"""The values of an image's summaries, computed from its annotations; without database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from annotator.annotations.unreadable import says_nothing
from scoring.grid.taxonomy import CELLS, SEVERITIES, SEVERITY_TITLES
from scoring.payloads import bits_of
from scoring.people import people_of
from scoring.protocol import INVALID_FROM, Outcome, Payload, Protocol

Ratings = Sequence[Sequence[Any]]
Values = dict[str, Any]

BIT_OF: Final[Mapping[str, int]] = {cell.key: 1 << place for place, cell in enumerate(CELLS)}
"""The bit of each cell, in published order."""

FIELD_OF: Final[Mapping[str, str]] = dict(SEVERITY_TITLES)
"""The field with the cells marked at each severity."""


@dataclass(frozen=True)
class CountedAnnotation:
    """A submitted annotation, as far as a summary needs it; an outdated one decides nothing."""

    code: str
    ratings: Ratings
    payload: Mapping[str, Any]
    flagged: bool
    has_unread_terms: bool
    is_outdated: bool = False

    @property
    def is_unread(self) -> bool:
        """Whether nothing of it could be read, so that it has no score."""
        return self.has_unread_terms and says_nothing(self.payload)


def mask_of(cells: Iterable[str]) -> int:
    """Return the bits of these cells. Raises KeyError for an unknown cell."""
    return sum(BIT_OF[cell] for cell in set(cells))


def summary_values(
    annotations: Sequence[CountedAnnotation],
    protocol: Protocol,
    adjudicated: Ratings | None,
    *,
    invalid_from: int = INVALID_FROM,
    real: bool = False,
    due: int = 1,
) -> dict[str, Values]:
    """Return the fields of an image's summaries by code, empty for all annotators; {} without annotations.

    `annotations` are in the order of their submission, `adjudicated` the ratings of the image's adjudication,
    if any. Under a protocol that consolidates, the score of all annotators is the consolidated one, which
    depends on the project's `invalid_from`; as in reports, a `real` image has none. Under one that decides,
    it is the decision of `due` people, if there is one.
    """
    if not annotations:
        return {}
    by_code: dict[str, list[CountedAnnotation]] = {}
    for annotation in annotations:
        by_code.setdefault(annotation.code, []).append(annotation)
    by_person = {code: _values(own, protocol) for code, own in by_code.items()}
    means = [own["mean"] for own in by_person.values() if own["mean"] is not None]
    said = {_contents(own) for own in by_code.values()} - {frozenset()}
    people = [own["people"] for own in by_person.values() if own["people"] is not None]
    by_person[""] = {**_values(annotations, protocol), "people": people_of(people)}
    decided = None if adjudicated is None else protocol.headline_of(adjudicated)
    if protocol.outcome:
        by_person[""]["score"] = None if real else _consolidated(by_code, protocol.outcome, invalid_from)
    elif protocol.decide:
        by_person[""]["score"] = _number(protocol.decide(_latest(by_code), due, decided))
    elif adjudicated is not None:
        by_person[""]["score"] = _number(decided)
    # Only in the row for all, or a submission would change the rows of all annotators of the image.
    by_person[""]["spread"] = max(means) - min(means) if len(means) > 1 else None
    by_person[""]["apart"] = len(said) > 1
    by_person[""]["adjudicated"] = adjudicated is not None
    return by_person


def _consolidated(
    by_code: Mapping[str, Sequence[CountedAnnotation]],
    outcome: Callable[[Sequence[Payload], int], Outcome],
    invalid_from: int,
) -> float | None:
    """Return the score that the latest annotations of all annotators give; None if they give none."""
    latest = _latest(by_code)
    return _number(outcome(latest, invalid_from).score if latest else None)


def _latest(by_code: Mapping[str, Sequence[CountedAnnotation]]) -> list[Payload]:
    """Return the latest payload of each annotator that could be read and is not outdated."""
    read = (
        [annotation for annotation in own if not annotation.is_unread and not annotation.is_outdated]
        for own in by_code.values()
    )
    return [dict(own[-1].payload) for own in read if own]


def _number(exact: Fraction | None) -> float | None:
    return None if exact is None else float(exact)


def _values(annotations: Sequence[CountedAnnotation], protocol: Protocol) -> Values:
    read = [annotation for annotation in annotations if not annotation.is_unread]
    values = (protocol.headline_of(annotation.ratings) for annotation in read)
    scores = [value for value in values if value is not None]
    mean = float(sum(scores, Fraction(0)) / len(scores)) if scores else None
    notes = (str(annotation.payload.get("note") or "").strip() for annotation in annotations)
    return {
        "answers": len(annotations),
        "mean": mean,
        "score": mean,
        "flagged": any(annotation.flagged for annotation in annotations),
        "people": people_of(
            [count for annotation in annotations if (count := annotation.payload.get("people"))]
        ),
        "tags": bits_of(tag for annotation in annotations for tag in annotation.payload.get("tags", ())),
        "notes": "\n".join(filter(None, notes)).casefold(),
        "spread": None,
        "apart": False,
        "adjudicated": False,
        **masks_of(annotation.ratings for annotation in read),
    }


def masks_of(rated: Iterable[Ratings]) -> dict[str, int]:
    """Return the bits of the marked cells, and of those at each severity if the protocol has severities."""
    masks = dict.fromkeys(("marked", *FIELD_OF.values()), 0)
    for ratings in rated:
        for _, component, _ in ratings:
            cell, _, severity = str(component).rpartition(".")
            if severity in SEVERITIES and cell in BIT_OF:
                masks[FIELD_OF[severity]] |= BIT_OF[cell]
            else:
                cell = component
            masks["marked"] |= BIT_OF.get(cell, 0)
    return masks


def _contents(annotations: Sequence[CountedAnnotation]) -> frozenset[tuple[str, ...]]:
    """Return everything an annotator rated; empty if nothing could be read."""
    return frozenset(
        tuple(map(str, rating))
        for annotation in annotations
        if not annotation.is_unread
        for rating in annotation.ratings
    )
