"""Whether the annotators who stay can cover the images, and what a lead can allow if they cannot."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from annotator.batches.planning.change.design import ChangeDesign
from annotator.batches.planning.design import InvalidDesign


@dataclass(frozen=True)
class Allowance:
    """What a lead allows a change: `fewer` annotators per image where too few stay, no image limits."""

    fewer: bool = False
    unlimited: bool = False


AS_PLANNED: Final = Allowance()


@dataclass(frozen=True)
class Shortage:
    """Images that cannot get all their annotators: so many, who need up to `needs` while `stay` remain.

    `once` is how many of them can still be judged, but by one annotator only; `never`, by nobody.
    """

    images: int
    needs: int
    stay: int
    once: int
    never: int

    @property
    def fewer(self) -> int:
        """How many of the images can still be judged, by fewer annotators."""
        return self.images - self.never


class ChangeImpossible(InvalidDesign):
    """The annotators who stay cannot cover the images.

    Either `shortage` tells of too few people, or `limited` are the annotators whose image limits are too low.
    """

    def __init__(
        self, message: str, *, shortage: Shortage | None = None, limited: Sequence[str] = ()
    ) -> None:
        super().__init__({"annotators": [message]})
        self.shortage = shortage
        self.limited = tuple(limited)


def allowed(design: ChangeDesign, allow: Allowance) -> ChangeDesign:
    """Return the design with what the lead allows."""
    if allow.unlimited:
        people = tuple(replace(one, capacity=None) for one in design.annotators)
        design = replace(design, annotators=people)
    if not allow.fewer:
        return design
    reach = {image: count for image, count in _within_reach(design).items() if count}
    return replace(design, per_image={**design.per_image, **reach})


def check_coverage(design: ChangeDesign) -> None:
    """Raise ChangeImpossible if some image needs more annotators than can judge it, whatever the limits."""
    reach = _within_reach(design)
    if not reach or not design.annotators:
        return  # `check_change` refuses a batch without annotators
    needs = max(design.per_image[key] for key in reach)
    stay, counts = len(design.annotators), Counter(reach.values())
    need = (
        f"{_images(len(reach))} {'need' if len(reach) > 1 else 'needs'} {needs} annotator{'s'[: needs > 1]}"
    )
    if any(image in reach for image, _ in design.barred):
        some = "them" if len(reach) > 1 else "it"
        cause = (
            f"too few of the {stay} who would stay may annotate {some}: the others know {some} from training "
            "or a norming session, or as an anchor"
        )
    else:
        cause = f"only {stay} would stay"
    raise ChangeImpossible(
        f"{need}, but {cause}.", shortage=Shortage(len(reach), needs, stay, counts[1], counts[0])
    )


def refuse_limits(design: ChangeDesign, missing: int) -> ChangeImpossible:
    """Return the refusal of `missing` annotations that image limits leave without an annotator."""
    limited = [one for one in design.annotators if one.capacity is not None]
    said = ", ".join(f"{one.code} {one.capacity}" for one in limited)
    return ChangeImpossible(
        f"The image limits ({said}) leave {missing} annotation{'' if missing == 1 else 's'} without an "
        "annotator.",
        limited=[one.code for one in limited],
    )


def _within_reach(design: ChangeDesign) -> Mapping[str, int]:
    """Return how many annotators each image can have, for those that need more."""
    stay = {one.code for one in design.annotators}
    done_by_leavers: Counter[str] = Counter()
    barred = Counter(image for image, code in design.barred if code in stay)
    finished: defaultdict[str, set[str]] = defaultdict(set)
    for held in design.held:
        if held.state == "done":
            finished[held.image].add(held.annotator)
    for image, people in finished.items():
        done_by_leavers[image] = len(people - stay)
    reach = {image: done_by_leavers[image] + len(stay) - barred[image] for image in design.per_image}
    return {image: reach[image] for image, per_image in design.per_image.items() if per_image > reach[image]}


def _images(count: int) -> str:
    return f"{count:,} image{'' if count == 1 else 's'}"
