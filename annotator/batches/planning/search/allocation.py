"""Divide each cell among annotators: an equitable edge colouring by repeated controlled rounding.

Every annotation owed is an edge between its generator and its prompt, and an annotator is a colour. De Werra
(1971) showed that such edges can be coloured so that every node, every bundle of parallel edges and the whole
have every colour equally often, ±1. Splitting the annotators into two halves and the table in proportion,
again and again, finds it: the integers around the share of a half are the integers around the shares of its
members, so rounding errors do not accumulate.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from annotator.batches.planning.design import PlanImage
from annotator.batches.planning.randomness import Stream
from annotator.batches.planning.search.frame import frame_of
from annotator.batches.planning.search.rounding import rounded_up

Cells = Sequence[tuple[int, int]]
Table = list[tuple[int, int]]
"""(cell, count), without empty cells."""


def overlap_table(cells: Cells, sizes: Sequence[int], overlap: int, stream: Stream) -> list[int]:
    """Return the number of overlap images per cell, as even as integers allow in every margin."""
    images = sum(sizes)
    taken, _ = _split(cells, list(enumerate(sizes)), overlap, images, stream)
    counts = [0] * len(sizes)
    for cell, count in taken:
        counts[cell] = count
    return counts


def sample(images: Sequence[PlanImage], count: int, stream: Stream) -> list[PlanImage]:
    """Return `count` images drawn at random, with generators, prompts and cells next to their share."""
    frame = frame_of(images)
    counts = overlap_table(frame.cells, frame.sizes, count, stream)
    return [
        frame.images[place]
        for members, taken in zip(frame.members, counts, strict=True)
        for place in stream.shuffled(list(members))[:taken]
    ]


def allocate(
    cells: Cells, owed: Sequence[int], shares: Sequence[Fraction], stream: Stream
) -> list[dict[int, int]]:
    """Return for each cell annotator -> annotations.

    `owed` is the number of annotations per cell, `shares` that per annotator, with the same sum. If all
    shares are equal, every annotator's count per generator, prompt, cell and in total is an integer next to
    the even share. If they differ, annotators are split by share, and the same holds within each group.
    """
    held: list[dict[int, int]] = [{} for _ in cells]
    table: Table = [(cell, count) for cell, count in enumerate(owed) if count]
    classes: dict[Fraction, list[int]] = {}
    for annotator, share in enumerate(shares):
        classes.setdefault(share, []).append(annotator)
    left, until, given = sum(owed), Fraction(0), 0
    for share in sorted(classes, key=lambda one: (len(classes[one]), one)):
        group = stream.shuffled(classes[share])
        until += share * len(group)
        wanted = _nearest(until) - given
        given += wanted
        part, table = _split(cells, table, wanted, left, stream) if left else ([], table)
        left -= wanted
        _halve(cells, part, group, held, stream)
    return held


def _nearest(share: Fraction) -> int:
    return (2 * share.numerator + share.denominator) // (2 * share.denominator)


def _halve(cells: Cells, table: Table, group: list[int], held: list[dict[int, int]], stream: Stream) -> None:
    if len(group) == 1:
        for cell, count in table:
            held[cell][group[0]] = count
        return
    half = len(group) // 2
    first, second = _split(cells, table, half, len(group), stream)
    _halve(cells, first, group[:half], held, stream)
    _halve(cells, second, group[half:], held, stream)


def _split(cells: Cells, table: Table, part: int, whole: int, stream: Stream) -> tuple[Table, Table]:
    """Divide a table in the proportion part : (whole - part), with every margin next to its share."""
    fractional = [(cell, count * part % whole) for cell, count in table if count * part % whole]
    ups = set()
    if fractional:
        rows = [cells[cell][0] for cell, _ in fractional]
        columns = [cells[cell][1] for cell, _ in fractional]
        raised = rounded_up(rows, columns, [value for _, value in fractional], whole, stream)
        ups = {cell for (cell, _), up in zip(fractional, raised, strict=True) if up}
    first, second = [], []
    for cell, count in table:
        taken = count * part // whole + (cell in ups)
        if taken:
            first.append((cell, taken))
        if count > taken:
            second.append((cell, count - taken))
    return first, second
