"""The input of a plan: images with their strata, annotators, overlap, seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from annotator.batches.planning.counts import Counts

Errors = dict[str, list[str]]

SEEDS: Final = range(-(2**63), 2**63)
ENOUGH_SHARED: Final = 20
"""Images with several annotators; on fewer, alpha is too low on average (docs/reference/statistics.md)."""

MOST_ANNOTATORS: Final = 500
"""Annotators of one batch; the tables of who met whom grow with their square."""


class InvalidDesign(ValueError):
    """The design allows no plan; `errors` maps fields of the design to messages."""

    def __init__(self, errors: Errors) -> None:
        self.errors = errors
        super().__init__(" ".join(message for messages in errors.values() for message in messages))


@dataclass(frozen=True, slots=True)
class PlanImage:
    """An image by its content (`key`: SHA-256 in hexadecimal, the same on every machine) and its stratum."""

    key: str
    generator: str
    prompt: str


@dataclass(frozen=True, slots=True)
class PlanAnnotator:
    """An annotator by code; `capacity` is the image limit in this plan, None for no limit."""

    code: str
    capacity: int | None = None


@dataclass(frozen=True)
class Checks:
    """What is placed among the work to check annotators.

    `anchors` are images with a reference, the same for all annotators; `repeats` is the share of their own
    images that annotators judge once more, rounded down.
    """

    anchors: tuple[PlanImage, ...] = ()
    repeats: Fraction = Fraction(0)

    def __bool__(self) -> bool:
        return bool(self.anchors or self.repeats)

    def repeats_of(self, images: int) -> int:
        """Return how many of an annotator's images are to be repeated."""
        return images * self.repeats.numerator // self.repeats.denominator


NO_CHECKS: Final = Checks()


@dataclass(frozen=True)
class Design:
    """The whole input of a plan. `overlap` is a share of the images (Fraction) or a number of them (int).

    `barred` are images by key and annotators by code that must not come together as work.
    """

    images: tuple[PlanImage, ...]
    annotators: tuple[PlanAnnotator, ...]
    overlap: Fraction | int
    per_image: int = 2
    seed: int = 1
    earlier: Counts | None = None
    checks: Checks = NO_CHECKS
    barred: frozenset[tuple[str, str]] = frozenset()

    @property
    def overlap_count(self) -> int:
        """Number of overlap images; a share is rounded half up."""
        if isinstance(self.overlap, int):
            return self.overlap
        return images_shared(self.overlap, len(self.images))

    @property
    def annotations(self) -> int:
        """Number of annotations in the plan."""
        return len(self.images) + (self.per_image - 1) * self.overlap_count


def images_shared(share: Fraction, images: int) -> int:
    """Return a share of a number of images, rounded half up."""
    return (2 * share.numerator * images + share.denominator) // (2 * share.denominator)


def check(design: Design) -> None:
    """Raise InvalidDesign with all errors of the design."""
    errors = {field: [message] for field, message in _problems(design)}
    if not errors and (shortfall := _shortfall(design)):
        errors["annotators"] = [shortfall]
    if errors:
        raise InvalidDesign(errors)


def _problems(design: Design) -> Iterator[tuple[str, str]]:
    images, annotators, per_image = len(design.images), len(design.annotators), design.per_image
    if not images:
        yield "images", "There are no images to assign."
    if message := too_many_annotators(annotators) if annotators else "There are no annotators.":
        yield "annotators", message
    if not isinstance(design.overlap, int):
        if not 0 <= design.overlap <= 1:
            yield "overlap", "The overlap must be from 0% to 100%."
    elif not 0 <= design.overlap <= images:
        yield "overlap", f"The overlap must be from 0 to all {images} images, not {design.overlap}."
    if per_image < 1:
        yield "per_image", "An image needs at least one annotator."
    elif design.overlap and per_image < 2:
        yield "per_image", "An overlap image needs at least two annotators."
    elif design.overlap and 0 < annotators < per_image:
        yield "per_image", f"An overlap image needs {per_image} annotators, and there are {annotators}."
    if design.seed not in SEEDS:
        yield "seed", "The seed must be a whole number of 64 bits."


def too_many_annotators(count: int) -> str:
    """Return what to do about more annotators than a batch may have; empty if there are not."""
    if count <= MOST_ANNOTATORS:
        return ""
    return (
        f"A batch can have at most {MOST_ANNOTATORS:,} annotators, not {count:,}. Plan several batches, "
        "each with its own annotators and images."
    )


def _shortfall(design: Design) -> str:
    """Return what is missing by Gale and Ryser: annotators see an image once, so once in a limit."""
    images, shared, needed = len(design.images), design.overlap_count, design.annotations
    limits = [images if one.capacity is None else one.capacity for one in design.annotators]
    room = sum(min(limit, images) for limit in limits)
    if room < needed:
        return f"The plan needs {needed} annotations, the image limits allow {room}: {needed - room} missing."
    room, needed = sum(min(limit, shared) for limit in limits), design.per_image * shared
    if room < needed:
        return (
            f"The {shared} overlap images need {needed} annotations by {design.per_image} different "
            f"annotators each, the image limits allow {room}: {needed - room} missing."
        )
    return ""
