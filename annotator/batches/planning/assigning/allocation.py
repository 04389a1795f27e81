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

from annotator.batches.planning.assigning.frame import frame_of
from annotator.batches.planning.design import PlanImage
from annotator.batches.planning.randomness import Stream


def rounded_up(
    rows: list[int], columns: list[int], numerators: list[int], denominator: int, stream: Stream
) -> list[bool]:
    """Return for each entry whether it is rounded up.

    Entry i is in row `rows[i]` and column `columns[i]` (any integers) and has the fractional part
    `numerators[i] / denominator`, from 0 up to but not including 1.
    """
    ends, values = _with_slack(rows, columns, numerators, denominator)
    _round(ends, values, denominator, stream)
    return [value >= denominator for value in values[: len(numerators)]]


def _with_slack(
    rows: list[int], columns: list[int], numerators: list[int], denominator: int
) -> tuple[list[tuple[int, int]], list[int]]:
    """Return entries as edges between row and column nodes, padded so that all sums are integers."""
    row_node: dict[int, int] = {}
    column_node: dict[int, int] = {}
    row_sum: list[int] = []
    column_sum: list[int] = []
    pairs = []
    for row, column, value in zip(rows, columns, numerators, strict=True):
        left = row_node.setdefault(row, len(row_node))
        right = column_node.setdefault(column, len(column_node))
        if left == len(row_sum):
            row_sum.append(0)
        if right == len(column_sum):
            column_sum.append(0)
        row_sum[left] += value
        column_sum[right] += value
        pairs.append((left, right))
    offset = len(row_sum) + 1
    ends = [(left, offset + right) for left, right in pairs]
    values = list(numerators)
    slack_row, slack_column = len(row_sum), offset + len(column_sum)
    for left, total in enumerate(row_sum):
        ends.append((left, slack_column))
        values.append(-total % denominator)
    for right, total in enumerate(column_sum):
        ends.append((slack_row, offset + right))
        values.append(-total % denominator)
    ends.append((slack_row, slack_column))
    values.append(sum(numerators) % denominator)
    return ends, values


def _round(ends: list[tuple[int, int]], values: list[int], denominator: int, stream: Stream) -> None:
    touching: list[list[int]] = [[] for _ in range(1 + max(right for _, right in ends))]
    for edge, (left, right) in enumerate(ends):
        if 0 < values[edge] < denominator:
            touching[left].append(edge)
            touching[right].append(edge)
    place = [-1] * len(touching)
    for start in range(len(touching)):
        _walk(start, ends, values, denominator, touching, place, stream)


def _walk(
    start: int,
    ends: list[tuple[int, int]],
    values: list[int],
    denominator: int,
    touching: list[list[int]],
    place: list[int],
    stream: Stream,
) -> None:
    """Follow fractional edges from a node; shift each closed cycle and cut it out of the path."""
    nodes, node = [start], start
    path: list[int] = []
    place[start] = 0
    while True:
        edge = _next(touching[node], path[-1] if path else -1, values, denominator)
        if edge < 0:
            break
        left, right = ends[edge]
        node = right if node == left else left
        path.append(edge)
        if place[node] < 0:
            place[node] = len(nodes)
            nodes.append(node)
            continue
        first = place[node]
        _shift(path[first:], values, denominator, stream)
        for gone in nodes[first + 1 :]:
            place[gone] = -1
        del path[first:], nodes[first + 1 :]
    for node in nodes:
        place[node] = -1


def _next(edges: list[int], last: int, values: list[int], denominator: int) -> int:
    """Return a fractional edge other than the last one; integer ones are dropped on the way."""
    kept = False
    while edges:
        edge = edges[-1]
        if not 0 < values[edge] < denominator:
            edges.pop()
        elif edge == last:
            edges.pop()
            kept = True
        else:
            break
    found = edges[-1] if edges else -1
    if kept:
        edges.append(last)
        # Put the last edge below, so that the next visit does not find it first.
        if len(edges) > 1:
            edges[-1], edges[-2] = edges[-2], edges[-1]
    return found


def _shift(cycle: list[int], values: list[int], denominator: int, stream: Stream) -> None:
    rising, falling = cycle[0::2], cycle[1::2]
    up = min(min(denominator - values[e] for e in rising), min(values[e] for e in falling))
    down = min(min(values[e] for e in rising), min(denominator - values[e] for e in falling))
    step = up if stream.below(up + down) < down else -down
    for edge in rising:
        values[edge] += step
    for edge in falling:
        values[edge] -= step


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
