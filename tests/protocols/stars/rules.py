"""A protocol for tests: one to five stars for the whole image, and whether the annotator is sure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from scoring.protocol import (
    CheckedAnnotation,
    InvalidPayload,
    Payload,
    PayloadWarning,
    Protocol,
    Rating,
    Variable,
)

DOMAIN = range(1, 6)


@dataclass(frozen=True)
class Stars:
    """An annotation; None without stars."""

    stars: int | None
    sure: bool = False
    warnings: tuple[PayloadWarning, ...] = ()
    flagged: bool = False

    def payload(self) -> Payload:
        """Return what `clean` reads."""
        return {"stars": self.stars, **({"sure": True} if self.sure else {})}


def clean(payload: object, *, complete: bool = True) -> Stars:
    """Read an annotation; raise InvalidPayload."""
    found = payload.get("stars") if isinstance(payload, dict) else None
    sure = bool(payload.get("sure")) if isinstance(payload, dict) else False
    if found in DOMAIN or (found is None and not complete):
        return Stars(found, sure)
    raise InvalidPayload({"stars": [f"Give 1 to 5 stars, not {found!r}."]})


def ratings(answer: CheckedAnnotation, _: Mapping[str, Fraction]) -> tuple[Rating, ...]:
    """Return the single rating."""
    return (("stars", "", Fraction(answer.payload()["stars"])),)


STARS = Protocol(
    slug="stars",
    title="Stars",
    version=1,
    variables=(Variable("stars", "Stars", "ordinal", "1 to 5", values=tuple(DOMAIN), headline=True),),
    clean=clean,
    ratings=ratings,
)
