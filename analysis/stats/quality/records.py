"""What is known of each annotator: anchors, repeats and a sample of their last annotations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class AnchorRecord:
    """One annotation of an image with a reference.

    `score` and `reference` are the protocol's headline; `submitted` is in microseconds since 1970.
    """

    image: int
    submitted: int
    score: float
    reference: float

    @property
    def difference(self) -> float:
        """The score minus that of the reference."""
        return self.score - self.reference


@dataclass(frozen=True)
class RepeatRecord:
    """An annotator's `first` and `again` value of the headline for one image, `days` apart.

    `between` is how many images the annotator submitted from the first to the second, that one included.
    """

    image: int
    submitted: int
    first: float
    again: float
    days: float
    between: int

    @property
    def is_short(self) -> bool:
        """Whether less than a day or fewer than 30 images lie between, so that memory may help."""
        return self.days < 1 or self.between < SHORT_IMAGES


SHORT_IMAGES = 30


@dataclass(frozen=True)
class WorkRecord:
    """One of an annotator's last annotations.

    `active_ms` is None if unknown. Annotations with the same `said` give every variable the same values.
    `severities` counts the marks of each severity, empty for protocols without severities.
    """

    image: int
    submitted: int
    active_ms: int | None
    said: int
    severities: tuple[int, ...] = ()


@dataclass(frozen=True)
class Person:
    """One annotator, everything in the order of submission."""

    annotator: str
    anchors: Sequence[AnchorRecord] = ()
    repeats: Sequence[RepeatRecord] = ()
    work: Sequence[WorkRecord] = ()
