"""The order of images in an annotator's queue: random, without the same prompt twice in a row.

If one prompt makes up more than half of an annotator's images, runs are unavoidable; the others are then
spread between them, and no run is longer than ceil(c / (others + 1)), the least possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from annotator.batches.planning.randomness import Stream


def ordered(images: list[int], prompt_of: Callable[[int], int], stream: Stream) -> list[int]:
    """Return the images in a random order without avoidable neighbours of one prompt."""
    drawn = stream.shuffled(images)
    counts = Counter(prompt_of(image) for image in drawn)
    if not counts:
        return []
    prompt, most = max(counts.items(), key=lambda item: (item[1], -item[0]))
    others = len(drawn) - most
    if most > others + 1:
        return _around(drawn, prompt, prompt_of, stream)
    stock: dict[int, list[int]] = {}
    for image in drawn:
        stock.setdefault(prompt_of(image), []).append(image)
    return [stock[prompt].pop() for prompt in _Apart([prompt_of(image) for image in drawn], counts)]


def _around(drawn: list[int], prompt: int, prompt_of: Callable[[int], int], stream: Stream) -> list[int]:
    """Spread a majority over the gaps between the others."""
    many = [image for image in drawn if prompt_of(image) == prompt]
    few = [image for image in drawn if prompt_of(image) != prompt]
    gaps = [len(many) // (len(few) + 1) for _ in range(len(few) + 1)]
    extra = stream.shuffled(list(range(len(gaps))))[: len(many) % len(gaps)]
    for gap in extra:
        gaps[gap] += 1
    order: list[int] = []
    for gap, size in enumerate(gaps):
        order.extend(many[len(many) - size :])
        del many[len(many) - size :]
        if gap < len(few):
            order.append(few[gap])
    return order


class _Apart:
    """Follow the drawn order of prompts; a repeated prompt waits for the next allowed position.

    Only one prompt can wait at a time, because it is placed as soon as another prompt has come.
    """

    def __init__(self, drawn: list[int], counts: Counter[int]) -> None:
        self._drawn = iter(drawn)
        self._counts = counts
        self._having = Counter(counts.values())
        self._most = max(self._having)
        self._came_early: Counter[int] = Counter()
        self._waiting, self._waits = -1, 0
        self._last = -1

    def __iter__(self) -> Iterator[int]:
        for left in range(self._counts.total(), 0, -1):
            prompt = self._last = self._next(left)
            count = self._counts[prompt]
            self._having[count] -= 1
            self._having[count - 1] += 1
            self._counts[prompt] -= 1
            yield prompt

    def _next(self, left: int) -> int:
        while not self._having[self._most]:
            self._most -= 1
        if 2 * self._most > left:
            return self._urgent()
        if self._waits and self._waiting != self._last:
            self._waits -= 1
            return self._waiting
        return self._drawn_next()

    def _urgent(self) -> int:
        """Return the prompt that fills more than half of the rest and must come now."""
        prompt = next(one for one, count in self._counts.items() if count == self._most)
        if self._waits and self._waiting == prompt:
            self._waits -= 1
        else:
            self._came_early[prompt] += 1
        return prompt

    def _drawn_next(self) -> int:
        for prompt in self._drawn:
            if self._came_early[prompt]:
                self._came_early[prompt] -= 1
            elif prompt == self._last:
                self._waiting = prompt
                self._waits += 1
            else:
                return prompt
        raise AssertionError("prompts without a majority can always be separated")
