"""The stored ratings of annotations; payloads are read only without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

from django.db.models import Case, TextField, When

from analysis.exports.rows import PAYLOAD, RATINGS, AnnotationRow
from analysis.exports.source import ExportRefused, ExportSource
from annotator.annotations.unreadable import annotations_without_numbers
from annotator.models import Annotation
from scoring.protocol import InvalidPayload, Payload, Protocol
from scoring.service import get_protocol

SUBMITTED: Final = Annotation.Status.SUBMITTED.value
_STORED: Final = Case(When(status=SUBMITTED, then=RATINGS), default=PAYLOAD, output_field=TextField())

Numbers = Sequence[Fraction | None]
"""One value per position in `Ratings.places`; None if the annotation lacks it."""

ZERO: Final = Fraction(0)
fraction: Final = lru_cache(maxsize=2**14)(Fraction)


class Ratings:
    """Reads annotations of one protocol, or of another that converts to it.

    `said` is the expression to read of each annotation. `places` are variable and component of each number,
    the headline first.
    """

    def __init__(self, reading: ExportSource) -> None:
        self.protocol = get_protocol(reading.protocol)
        self._settings = reading.project.exact_weights
        self._shown = self.protocol.shown_as.get(reading.source)
        self.said = _STORED if self._shown is None else PAYLOAD
        unread = () if self._shown is None else annotations_without_numbers(reading.project)
        self._unread = {row.pk for row in unread}
        self.places = places_of(self.protocol)
        self._place = {place: number for number, place in enumerate(self.places)}
        self._untouched = [ZERO if component else None for _, component in self.places]
        optional = {variable.name for variable in self.protocol.variables if variable.optional}
        self._needed = [
            place
            for place, (name, component) in enumerate(self.places)
            if not component and name not in optional
        ]

    def is_read(self, row: AnnotationRow) -> bool:
        """Return whether any of an imported row was readable."""
        return row.pk not in self._unread

    def of(self, row: AnnotationRow) -> Sequence[Sequence[Any]] | None:
        """Return the ratings of an annotation; None if it is an incomplete draft or unreadable.

        Raise ExportRefused, naming the annotation, for a payload that is invalid under the protocol.
        """
        if self._shown is None and row.status == SUBMITTED:
            found: Sequence[Sequence[Any]] = row.said
            return found
        if not self.is_read(row):
            return None
        try:
            return self.made(row.said)
        except InvalidPayload as error:
            if row.status != SUBMITTED:
                return None
            raise self._refused(row.pk, str(error)) from error

    def made(self, payload: Payload) -> Sequence[Sequence[Any]]:
        """Return the ratings of a complete payload; raise InvalidPayload."""
        return self.protocol.ratings(self.protocol.clean(self.shown(payload)), self._settings)

    def shown(self, payload: Payload) -> Payload:
        """Return a payload converted to the protocol of the file."""
        return payload if self._shown is None else self._shown(payload)

    def numbers(self, ratings: Iterable[Sequence[Any]] | None, pk: int) -> Numbers:
        """Return the numbers of an annotation's ratings: 0 for unrated components, None for optional ones.

        Raise ExportRefused, naming the annotation, for ratings of another protocol.
        """
        if ratings is None:
            return [None] * len(self.places)
        found = self._untouched.copy()
        for variable, component, value in ratings:
            place = self._place.get((variable, component))
            if place is None:
                raise self._refused(pk, f"it has no variable {variable!r} of {component!r}")
            found[place] = fraction(value)
        for place in self._needed:
            if found[place] is None:
                raise self._refused(pk, f"there is no value of {self.places[place][0]!r}")
        return found

    def _refused(self, pk: int, why: str) -> ExportRefused:
        return ExportRefused(
            f"Annotation {pk} cannot be exported under the protocol {self.protocol.slug}: {why}. Reopen it "
            "and submit it again."
        )


def places_of(protocol: Protocol) -> list[tuple[str, str]]:
    """Return variable and component of each number of an annotation, the headline first."""
    ordered = sorted(protocol.variables, key=lambda variable: not variable.headline)
    return [(one.name, component) for one in ordered for component in one.components or ("",)]
