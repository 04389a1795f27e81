"""How a second stage draws its images: by seed, with the excluded images counted by reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import lcm
from typing import Final

from annotator.batches.planning import InvalidDesign, PlanImage, Stream, sample
from annotator.batches.second_stage.annotations import Judged, judged_of
from annotator.models import Batch, Project
from annotator.models.data_sets import is_excluded
from annotator.protocols.registry import page_of
from scoring.service import get_protocol

WAYS: Final[Mapping[str, str]] = {
    "sample": "All, or a sample that is balanced over generators and prompts",
    "flagged": "Flagged by an annotator",
    "disagreement": "By disagreement: larger disagreements are more likely",
}
TARGETED: Final = frozenset({"flagged", "disagreement"})
"""Draws that depend on annotations: agreement on such images does not generalise to all images."""


@dataclass(frozen=True)
class Draw:
    """The id of the followed batch, and how its images are drawn.

    `way` is one of `WAYS`, `images` the number to draw (None: all available). `control` excludes the images
    without marks, except for this percentage of them, which is drawn whatever the way; None excludes none.
    """

    batch: int
    way: str = "sample"
    images: int | None = None
    control: int | None = None

    @property
    def targeted(self) -> bool:
        """Whether the draw depends on annotations."""
        return self.way in TARGETED


REASONS: Final[Mapping[str, str]] = {
    "filtered": "left out by the filters of the data set",
    "unfinished": "annotations outstanding",
    "unjudged": "not annotated",
    "undecided": "not decided",
    "unmarked": "no marks",
    "unflagged": "not flagged",
    "alone": "only one annotator, so disagreement is unknown",
    "agreed": "no disagreement",
    "chance": "not drawn",
}
"""Reasons for excluding images, in the order in which they are counted."""


@dataclass(frozen=True)
class Drawing:
    """The images drawn, ordered by content; `control` of them are a control sample without marks.

    `there` are all images of the followed batch, `left_out` counts the excluded ones by `REASONS`.
    """

    images: tuple[PlanImage, ...]
    control: int
    there: tuple[PlanImage, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def by_generator(self) -> list[tuple[str, int, int]]:
        """How many images of each generator are drawn, and of how many."""
        taken, there = (Counter(image.generator for image in rows) for rows in (self.images, self.there))
        return [(generator, taken[generator], there[generator]) for generator in sorted(there)]

    @property
    def reasons(self) -> list[tuple[int, str]]:
        """How many images are left out, and why."""
        return [(count, REASONS[name]) for name, count in self.left_out.items()]


def followed_batch(project: Project, draw: Draw, protocol: str) -> Batch:
    """Return the batch that a draw follows; raises InvalidDesign if this protocol cannot follow it."""
    there = project.batches.filter(pk=draw.batch)
    batch = there.first()
    if batch is None:
        raise InvalidDesign({"follows": [f"{project.slug} has no batch {draw.batch} to follow."]})
    if there.filter(protocol=protocol).exists():
        words = (
            f"“{batch.name}” uses this protocol, but a second stage needs another one. To annotate images "
            "again under the same protocol, release an ordinary batch."
        )
        raise InvalidDesign({"protocol": [words]})
    follows = page_of(protocol).follows
    if follows and (batch.protocol != follows.protocol or batch.status != Batch.Status.CLOSED):
        words = f"A batch under “{get_protocol(protocol).title}” follows a closed batch of {follows.named}. "
        raise InvalidDesign({"follows": [words + "Choose one, or release and close that batch first."]})
    return batch


def draw_images(project: Project, draw: Draw, protocol: str, seed: int) -> Drawing:
    """Draw images for a batch under `protocol`; the same annotations and seed give the same images.

    Raises InvalidDesign with errors of `follows`, `protocol`, `draw` and `draw_images`.
    """
    batch = followed_batch(project, draw, protocol)
    everything = list(judged_of(batch))
    left_out: Counter[str] = Counter()
    closed = batch.status == Batch.Status.CLOSED
    filtered = set(project.images.filter(is_excluded()).order_by().values_list("sha256", flat=True))
    allowed = _kept(everything, left_out, "filtered", lambda one: one.image.key not in filtered)
    ready = _kept(allowed, left_out, "unfinished", lambda one: closed or not one.waiting)
    ready = _kept(ready, left_out, "unjudged", lambda one: one.people > 0)
    ready = _kept(ready, left_out, "undecided", lambda one: not one.undecided)
    if page_of(protocol).follows:
        ready = _kept(ready, left_out, "unmarked", lambda one: one.marked)
    if not ready:
        words = f"0 of {len(allowed):,} images of “{batch.name}” have all their annotations."
        if left_out["filtered"]:
            words += f" {left_out['filtered']:,} are left out by the filters of the data set."
        raise InvalidDesign({"draw": [words]})
    control: list[PlanImage] = []
    if draw.control is not None:
        blank = [one.image for one in ready if not one.marked]
        # The share rounded half up, but at least one image.
        size = max((2 * draw.control * len(blank) + 100) // 200, min(1, draw.control, len(blank)))
        control = sample(blank, size, Stream(seed, "second stage", "control"))
        ready = _kept(ready, left_out, "unmarked", lambda one: one.marked)
        left_out["unmarked"] -= len(control)
    drawn = _drawn(draw, ready, left_out, Stream(seed, "second stage", draw.way))
    if not drawn and not (control and not ready):
        raise InvalidDesign({"draw": [_nothing(draw, batch, left_out)]})
    images = sorted([*drawn, *control], key=lambda image: image.key)
    there = tuple(one.image for one in everything)
    return Drawing(tuple(images), len(control), there, {name: n for name, n in left_out.items() if n})


def _drawn(draw: Draw, ready: Sequence[Judged], left_out: Counter[str], stream: Stream) -> list[PlanImage]:
    if draw.way == "flagged":
        ready = _kept(ready, left_out, "unflagged", lambda one: one.flagged)
    if draw.way == "disagreement":
        ready = _kept(ready, left_out, "alone", lambda one: one.people > 1)
        ready = _kept(ready, left_out, "agreed", lambda one: one.spread > 0)
    wanted = len(ready) if draw.images is None else draw.images
    if ready and wanted > len(ready):
        raise InvalidDesign({"draw_images": [f"Only {len(ready):,} images can be drawn, not {wanted:,}."]})
    left_out["chance"] += len(ready) - min(wanted, len(ready))
    images = [one.image for one in ready]
    if draw.way != "disagreement":
        return sample(images, min(wanted, len(ready)), stream)
    unit = lcm(*(one.spread.denominator for one in ready))
    weights = [int(one.spread * unit) for one in ready]
    return [images[at] for at in weighted(weights, min(wanted, len(ready)), stream)]


def weighted(weights: Sequence[int], count: int, stream: Stream) -> list[int]:
    """Return the indexes of `count` of the weights, each above 0, drawn one after another.

    Each draw takes an index with a chance proportional to its weight among those left (successive
    sampling without replacement; Y. Tillé, "Sampling Algorithms", 2006, chapter 5).
    """
    classes: dict[int, list[int]] = {}
    for place, weight in enumerate(weights):
        classes.setdefault(weight, []).append(place)
    alike = [(weight, stream.shuffled(classes[weight])) for weight in sorted(classes)]
    left, drawn = sum(weights), []
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
        return f"No image of “{batch.name}” that can be drawn is flagged."
    if draw.way == "disagreement":
        return (
            f"“{batch.name}” has no disagreements: {left_out['alone']:,} images have one annotator, "
            f"{left_out['agreed']:,} have identical annotations."
        )
    return f"No image of “{batch.name}” has marks, and the control is empty. Include images without marks."
