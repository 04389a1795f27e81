"""Place anchors and repeats among an annotator's work.

Each falls into its own stretch of the queue, at random, and away from its own prompt where possible. A repeat
follows its original at a distance of half the queue, at least GAP images, so that hours or days lie between.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from typing import Final, TypeVar

from annotator.batches.planning.randomness import Stream

WORK: Final = "work"
ANCHOR: Final = "anchor"
REPEAT: Final = "repeat"

GAP: Final = 30
"""The least distance of a repeat from its original, in images of the queue."""

Image = TypeVar("Image", bound=Hashable)
Slots = list[tuple[Image, str]]
"""(image, purpose), in queue order."""


def anchors_for(anchors: int, own: int, mean: int) -> int:
    """Return how many of the anchors an annotator with `own` images gets: fewer with a short queue."""
    return anchors if own >= mean else anchors * own // max(1, mean)


def interleaved(
    work: Sequence[Image],
    anchors: Sequence[Image],
    repeats: int,
    prompt_of: Callable[[Image], object],
    stream: Stream,
    before: Sequence[tuple[Image, str]] = (),
) -> Slots[Image]:
    """Return the queue that follows `before`: the work in its order, with the anchors and up to `repeats`.

    There are fewer repeats if fewer images are GAP before the end; work that was already repeated is left
    out. Without anchors and repeats, the work is returned as it is.
    """
    mixed: Slots[Image] = [*before, *((image, WORK) for image in work)]
    start = len(before)
    places = len(mixed) - start + 1
    spread = []
    # Each anchor in its own equal stretch of the queue.
    for number, image in enumerate(stream.shuffled(list(anchors))):
        low = start + number * places // len(anchors)
        stretch = range(low, max(low + 1, start + (number + 1) * places // len(anchors)))
        fitting = [at for at in stretch if _fits(mixed, at, image, prompt_of)] or stretch
        spread.append((fitting[stream.below(len(fitting))], image))
    for at, image in reversed(spread):
        mixed.insert(at, (image, ANCHOR))
    for at, image in reversed(_repeats(mixed, start, repeats, prompt_of, stream)):
        mixed.insert(at, (image, REPEAT))
    return mixed[start:]


def _fits(mixed: Slots[Image], at: int, image: Image, prompt_of: Callable[[Image], object]) -> bool:
    """Return whether no neighbour at a place shows the same prompt."""
    prompt = prompt_of(image)
    return all(prompt_of(near) != prompt for near, _ in mixed[max(0, at - 1) : at + 1])


def _repeats(
    mixed: Slots[Image],
    start: int,
    wanted: int,
    prompt_of: Callable[[Image], object],
    stream: Stream,
) -> list[tuple[int, Image]]:
    end = len(mixed)
    again = {image for image, purpose in mixed if purpose == REPEAT}
    free = [at for at, (image, purpose) in enumerate(mixed) if purpose == WORK and image not in again]
    count = min(wanted, bisect_right(free, end - GAP))
    if not count:
        return []
    half = max(GAP, end // 2)
    gap = half if bisect_right(free, end - half) >= count else GAP
    first = max(start, free[0] + gap)
    width = max(1, (end - first + 1) // count)
    found: list[tuple[int, Image]] = []
    for number in range(count):
        low = first + number * (end - first + 1) // count
        at = max(low + stream.below(width), free[0] + gap, found[-1][0] if found else 0)
        at = min(at, end)
        able = free[: bisect_right(free, at - gap)][-width:]
        fitting = [place for place in able if _fits(mixed, at, mixed[place][0], prompt_of)] or able
        original = fitting[stream.below(len(fitting))]
        free.remove(original)
        found.append((at, mixed[original][0]))
    return found
