"""Drawing the images of a second stage: seeded, with every image that is not taken counted by its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import Any, Final

from annotator.batches.planning import InvalidDesign, PlanImage, Stream, sample
from annotator.batches.second_stage.answers import Judged, judged_of
from annotator.batches.second_stage.draw import Draw
from annotator.models import Batch, Project

UNFINISHED: Final = "unfinished"
UNJUDGED: Final = "unjudged"
UNMARKED: Final = "unmarked"
UNFLAGGED: Final = "unflagged"
ALONE: Final = "alone"
AGREED: Final = "agreed"
CHANCE: Final = "chance"

REASONS: Final[Mapping[str, str]] = {
    UNFINISHED: "not all answers are there yet",
    UNJUDGED: "not judged by anybody",
    UNMARKED: "nothing marked by anybody",
    UNFLAGGED: "not flagged by anybody",
    ALONE: "judged by one person, so no disagreement is known",
    AGREED: "judged alike by everybody",
    CHANCE: "not drawn, by chance",
}
"""Why images are left out, in the order in which they are counted."""


@dataclass(frozen=True)
class Drawing:
    """What was drawn: `images` in the order of their content, `control` of them as a control of the unmarked.

    `there` are all images of the batch that is followed, `left_out` counts the others by `REASONS`.
    """

    images: tuple[PlanImage, ...]
    control: int
    there: tuple[PlanImage, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return what a preview shows: how many of each generator and prompt, of how many, and reasons."""
        taken = Counter((image.generator, image.prompt) for image in self.images)
        there = Counter((image.generator, image.prompt) for image in self.there)
        return {
            "images": len(self.images),
            "of": len(self.there),
            "control": self.control,
            "strata": [[*stratum, taken[stratum], there[stratum]] for stratum in sorted(there)],
            "left_out": [
                [self.left_out[name], words] for name, words in REASONS.items() if name in self.left_out
            ],
        }


def followed_batch(project: Project, draw: Draw, protocol: str) -> Batch:
    """Return the batch that a draw follows; raises InvalidDesign where a batch of this protocol cannot."""
    there = project.batches.filter(pk=draw.batch)
    batch = there.first()
    if batch is None:
        raise InvalidDesign({"follows": [f"{project.slug} has no batch {draw.batch} to follow."]})
    if batch.status == Batch.Status.PREPARING:
        raise InvalidDesign({"follows": [f"“{batch.name}” is still being prepared: nobody has judged it."]})
    if there.filter(protocol=protocol).exists():
        raise InvalidDesign(
            {
                "protocol": [
                    f"“{batch.name}” was judged under this protocol: a second stage has another one. To have "
                    "images judged again in the same way, release an ordinary batch."
                ]
            }
        )
    return batch


def draw_images(project: Project, draw: Draw, protocol: str, seed: int) -> Drawing:
    """Draw images for a batch under `protocol`; the same answers and seed give the same images everywhere.

    Raises InvalidDesign with what is wrong in the fields `follows`, `protocol`, `draw`, `draw_images` and
    `control`.
    """
    if problems := draw.problems():
        raise InvalidDesign(problems)
    batch = followed_batch(project, draw, protocol)
    everything = list(judged_of(batch))
    left_out: Counter[str] = Counter()
    closed = batch.status == Batch.Status.CLOSED
    ready = _kept(everything, left_out, UNFINISHED, lambda one: closed or not one.waiting)
    ready = _kept(ready, left_out, UNJUDGED, lambda one: one.people > 0)
    if not ready:
        raise InvalidDesign(
            {"draw": [f"None of the {len(everything):,} images of “{batch.name}” has all its answers yet."]}
        )
    control: list[PlanImage] = []
    if draw.control is not None:
        blank = [one.image for one in ready if not one.marked]
        control = sample(blank, _control_size(draw, len(blank)), Stream(seed, "second stage", "control"))
        ready = _kept(ready, left_out, UNMARKED, lambda one: one.marked)
        left_out[UNMARKED] -= len(control)
    drawn = _drawn(draw, ready, left_out, Stream(seed, "second stage", draw.way))
    if not drawn and not (control and not ready):
        raise InvalidDesign({"draw": [_nothing(draw, batch, left_out)]})
    images = sorted([*drawn, *control], key=lambda image: image.key)
    there = tuple(one.image for one in everything)
    return Drawing(tuple(images), len(control), there, {name: n for name, n in left_out.items() if n})


def _control_size(draw: Draw, blank: int) -> int:
    """Its share to the nearest whole number, halves up; where a control is wanted at all, one image."""
    share = draw.control or 0
    return max((2 * share * blank + 100) // 200, min(1, share, blank))


def _drawn(draw: Draw, ready: Sequence[Judged], left_out: Counter[str], stream: Stream) -> list[PlanImage]:
    if draw.way == "flagged":
        ready = _kept(ready, left_out, UNFLAGGED, lambda one: one.flagged)
    if draw.way == "disagreement":
        ready = _kept(ready, left_out, ALONE, lambda one: one.people > 1)
        ready = _kept(ready, left_out, AGREED, lambda one: one.spread > 0)
    wanted = len(ready) if draw.images is None else draw.images
    if ready and wanted > len(ready):
        raise InvalidDesign(
            {"draw_images": [f"{wanted:,} images are wanted, but only {len(ready):,} can be drawn."]}
        )
    left_out[CHANCE] += len(ready) - min(wanted, len(ready))
    images = [one.image for one in ready]
    if draw.way != "disagreement":
        return sample(images, min(wanted, len(ready)), stream)
    unit = lcm(*(one.spread.denominator for one in ready))
    weights = [int(one.spread * unit) for one in ready]
    return [images[at] for at in weighted(weights, min(wanted, len(ready)), stream)]


def weighted(weights: Sequence[int], count: int, stream: Stream) -> list[int]:
    """Return the places of `count` of the weights, each above 0, drawn one after another.

    Each draw takes a place with a chance proportional to its weight among those that are left (successive
    sampling without replacement; Y. Tillé, "Sampling Algorithms", 2006, chapter 5).
    """
    classes: dict[int, list[int]] = {}
    for place, weight in enumerate(weights):
        classes.setdefault(weight, []).append(place)
    alike = [(weight, stream.shuffled(classes[weight])) for weight in sorted(classes)]
    left = sum(weights)
    drawn: list[int] = []
    for _ in range(count):
        at = stream.below(left)
        for weight, places in alike:
            if at < weight * len(places):
                drawn.append(places.pop())
                left -= weight
                break
            at -= weight * len(places)
    return drawn


def _kept(
    images: Sequence[Judged], left_out: Counter[str], reason: str, stays: Callable[[Judged], bool]
) -> list[Judged]:
    kept = [one for one in images if stays(one)]
    left_out[reason] += len(images) - len(kept)
    return kept


def _nothing(draw: Draw, batch: Batch, left_out: Counter[str]) -> str:
    if draw.way == "flagged":
        return f"No image of “{batch.name}” that could be drawn is flagged."
    if draw.way == "disagreement":
        return (
            f"On no image of “{batch.name}” do two people differ: {left_out[ALONE]:,} were judged by one "
            f"person, {left_out[AGREED]:,} alike by all."
        )
    return f"Nobody marked anything on any image of “{batch.name}”, and no control sample is wanted."
