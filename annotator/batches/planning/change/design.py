"""The input and output of a change of annotators, and what those who join count as."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median_low
from typing import Any, Literal

from annotator.batches.planning.balance import Balance
from annotator.batches.planning.counts import Counts
from annotator.batches.planning.design import (
    NO_CHECKS,
    Checks,
    Design,
    InvalidDesign,
    PlanAnnotator,
    PlanImage,
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
    """The whole input of a change. `annotators` are those who stay and those who join; all others leave.

    `per_image` is the number of annotators of each image, by its key.
    """

    images: tuple[PlanImage, ...]
    annotators: tuple[PlanAnnotator, ...]
    held: tuple[Held, ...]
    per_image: Mapping[str, int]
    seed: int = 1
    earlier: Counts | None = None
    checks: Checks = NO_CHECKS
    checked: tuple[Held, ...] = ()
    """The current anchors and repeats; `held` is work only."""
    barred: frozenset[tuple[str, str]] = frozenset()
    """(image, annotator) that must not be assigned, as work or, for an anchor, as an anchor; none is held."""


@dataclass(frozen=True)
class PlanChange:
    """The assignments withdrawn and added, with anchors and repeats; `balance` is that of the work after."""

    design: ChangeDesign
    withdraw: tuple[Held, ...]
    add: tuple[Placement, ...]
    balance: Balance

    @property
    def kept(self) -> int:
        """The number of assignments that stay as they are."""
        return len(self.design.held) + len(self.design.checked) - len(self.withdraw)

    @property
    def drafts(self) -> int:
        """The number of withdrawn assignments that were begun."""
        return sum(one.state == "draft" for one in self.withdraw)

    def loads(self) -> list[tuple[str, int, int, int, int]]:
        """Return (annotator, assignments before, withdrawn, new, after) of all before and after."""
        before = Counter(one.annotator for one in (*self.design.held, *self.design.checked))
        away = Counter(one.annotator for one in self.withdraw)
        new = Counter(one.annotator for one in self.add)
        codes = sorted(before.keys() | new.keys() | {one.code for one in self.design.annotators})
        return [
            (code, before[code], away[code], new[code], before[code] - away[code] + new[code])
            for code in codes
        ]


def check_change(design: ChangeDesign) -> None:
    """Raise InvalidDesign for a change without images, and with no or too many annotators."""
    if not design.images:
        raise InvalidDesign({"images": ["There are no images to assign."]})
    if not design.annotators:
        raise InvalidDesign({"annotators": ["No annotators would remain for the open images."]})
    if too_many := too_many_annotators(len(design.annotators)):
        raise InvalidDesign({"annotators": [too_many]})


def refuse(design: ChangeDesign, missing: int) -> InvalidDesign:
    """Return the refusal of `missing` annotations that nobody who stays or joins can take over."""
    people = len(design.annotators)
    limits = ", ".join(f"{one.code} {one.capacity}" for one in design.annotators if one.capacity is not None)
    words = (
        f"{people:,} annotator{'' if people == 1 else 's'} cannot take over all annotations: "
        f"{missing:,} would be left{f', with these image limits: {limits}' if limits else ''}. "
        f"{'Annotators cannot get images that they already know. ' if design.barred else ''}Add annotators."
    )
    return InvalidDesign({"annotators": [words]})


def with_newcomers(release: Design, codes: Sequence[str]) -> Counts | None:
    """Return the counts that a release balanced, with newcomers and their pairs at the median of the others.

    `codes` are the annotators now, and the median is that of a stratum. Newcomers held nothing when the batch
    was planned. Balanced in full, they would take work from all others; so they get an even share of this
    batch, and as many partners as the others.
    """
    earlier, known = release.earlier, [one.code for one in release.annotators]
    newcomers = [code for code in codes if code not in known]
    if earlier is None or not newcomers:
        return earlier
    old, new = [(code,) for code in known], [(code,) for code in newcomers]
    pairs = list(combinations(sorted(known), 2))
    new_pairs = set(combinations(sorted((*known, *newcomers)), 2)) - set(pairs)
    return Counts(
        _filled(earlier.by_generator, old, new),
        _filled(earlier.by_prompt, old, new),
        _filled(earlier.pairs, pairs, sorted(new_pairs)),
        _filled(earlier.pair_generator, pairs, sorted(new_pairs)),
    )


def _filled(table: Mapping[Any, int], held: Sequence[Any], new: Sequence[Any]) -> dict[Any, int]:
    """Return a table, whose keys begin with those of `held`, with the median of these for those of `new`."""
    strata = {key[len(new[0]) :] for key in table}
    middle = {rest: median_low([table.get((*one, *rest), 0) for one in held] or [0]) for rest in strata}
    return {**table, **{(*one, *rest): count for one in new for rest, count in middle.items()}}
