"""The input and output of a change of annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.batches.planning.balance_rows import Balance
from annotator.batches.planning.design import (
    NO_CHECKS,
    Checks,
    Earlier,
    Errors,
    InvalidDesign,
    PlanAnnotator,
    PlanImage,
    anchor_problems,
    fits,
    too_many_annotators,
)
from annotator.batches.planning.document import Placement
from annotator.batches.planning.interleaving import WORK

State = Literal["done", "draft", "open"]


@dataclass(frozen=True, slots=True)
class Held:
    """A current assignment: submitted, draft or not started; work, an anchor or a repeat."""

    image: str
    annotator: str
    position: int | None
    state: State
    purpose: str = WORK


@dataclass(frozen=True)
class ChangeDesign:
    """The whole input of a change. `annotators` are those who stay and those who join.

    `per_image` is the number of annotators of each image, by default one. Annotators not among `annotators`
    leave, whether named in `leaving` or not.
    """

    images: tuple[PlanImage, ...]
    annotators: tuple[PlanAnnotator, ...]
    leaving: frozenset[str]
    held: tuple[Held, ...]
    per_image: Mapping[str, int]
    seed: int = 1
    earlier: Earlier | None = None
    checks: Checks = NO_CHECKS
    checked: tuple[Held, ...] = ()
    """The current anchors and repeats; `held` is work only."""
    barred: frozenset[tuple[str, str]] = frozenset()
    """(image, annotator) that must not be assigned, as work or, for an anchor, as an anchor; none is held."""


@dataclass(frozen=True)
class PlanChange:
    """The assignments withdrawn and added; `keep` assignments are unchanged."""

    design: ChangeDesign
    withdraw: tuple[tuple[str, str], ...]
    """(image, annotator)."""
    add: tuple[Placement, ...]
    keep: int
    extra: int
    """Assignments withdrawn beyond what coverage and even totals need, for the other margins."""
    before: Balance
    after: Balance


def check_change(design: ChangeDesign) -> None:
    """Raise InvalidDesign with all errors of the change."""
    errors: Errors = {}
    for field, message in _problems(design):
        errors.setdefault(field, []).append(message)
    if errors:
        raise InvalidDesign(errors)


def _problems(design: ChangeDesign) -> list[tuple[str, str]]:
    known = {image.key for image in design.images}
    codes = [one.code for one in design.annotators]
    found = []
    if not design.images:
        found.append(("images", "There are no images to assign."))
    if len(known) != len(design.images):
        found.append(("images", "An image is listed twice."))
    if not codes:
        found.append(("annotators", "No annotators would remain for the open images."))
    if too_many := too_many_annotators(len(codes)):
        return [*found, ("annotators", too_many)]
    found += [
        ("annotators", f"Annotator {one} is listed twice.") for one, n in Counter(codes).items() if n > 1
    ]
    found += [
        ("annotators", f"The image limit of annotator {one.code} is below 0.")
        for one in design.annotators
        if one.capacity is not None and one.capacity < 0
    ]
    found += [
        ("annotators", f"Annotator {code} cannot both leave and stay.")
        for code in sorted(design.leaving & set(codes))
    ]
    unknown = {one.image for one in design.held} | set(design.per_image)
    found += [("images", f"Image {key} is not in the batch.") for key in sorted(unknown - known)[:5]]
    found += [("anchors", problem) for problem in anchor_problems(design.checks, design.images)]
    twice = [key for key, n in Counter((one.image, one.annotator) for one in design.held).items() if n > 1]
    found += [("images", f"Image {image} is assigned twice to {code}.") for image, code in twice[:5]]
    if not fits(design.seed):
        found.append(("seed", "The seed must be a whole number of 64 bits."))
    return found
