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
    # Entries are edges between row and column nodes; a row and a column of slack make all sums integers.
    row_node = {row: place for place, row in enumerate(dict.fromkeys(rows))}
    slack_row = len(row_node)
    column_node = {column: slack_row + 1 + place for place, column in enumerate(dict.fromkeys(columns))}
    slack_column = slack_row + 1 + len(column_node)
    ends = [(row_node[row], column_node[column]) for row, column in zip(rows, columns, strict=True)]
    sums = [0] * slack_column
    for (left, right), value in zip(ends, numerators, strict=True):
        sums[left] += value
        sums[right] += value
    ends += [(left, slack_column) for left in range(slack_row)]
    ends += [(slack_row, right) for right in range(slack_row + 1, slack_column)]
    values = [*numerators, *(-total % denominator for total in (*sums[:slack_row], *sums[slack_row + 1 :]))]
    rounding = _Rounding(
        [*ends, (slack_row, slack_column)], [*values, sum(numerators) % denominator], denominator, stream
    )
    for start in range(slack_column + 1):
        rounding.walk(start)
    return [value >= denominator for value in rounding.values[: len(numerators)]]


class _Rounding:
    """Edges between nodes, with values that become 0 or the denominator."""

    def __init__(
        self, ends: list[tuple[int, int]], values: list[int], denominator: int, stream: Stream
    ) -> None:
        self.ends, self.values, self.denominator, self.stream = ends, values, denominator, stream
        self.touching: list[list[int]] = [[] for _ in range(1 + ends[-1][1])]
        for edge, nodes in enumerate(ends):
            for node in nodes if self._is_fractional(edge) else ():
                self.touching[node].append(edge)
        self.place = [-1] * len(self.touching)

    def walk(self, start: int) -> None:
        """Follow fractional edges from a node; shift each closed cycle and cut it out of the path."""
        nodes, node, place = [start], start, self.place
        path: list[int] = []
        place[start] = 0
        while (edge := self._next(self.touching[node], path[-1] if path else -1)) >= 0:
            left, right = self.ends[edge]
            node = right if node == left else left
            path.append(edge)
            if place[node] < 0:
                place[node] = len(nodes)
                nodes.append(node)
                continue
            first = place[node]
            self._shift(path[first::2], path[first + 1 :: 2])
            for gone in nodes[first + 1 :]:
                place[gone] = -1
            del path[first:], nodes[first + 1 :]
        for node in nodes:
            place[node] = -1

    def _is_fractional(self, edge: int) -> bool:
        return 0 < self.values[edge] < self.denominator

    def _next(self, edges: list[int], last: int) -> int:
        """Return a fractional edge other than the last one; integer ones are dropped on the way."""
        kept = False
        while edges and (edges[-1] == last or not self._is_fractional(edges[-1])):
            kept |= self._is_fractional(edges.pop())
        found = edges[-1] if edges else -1
        if kept:
            # Below the next one, so that the next visit does not find it first.
            edges.insert(max(0, len(edges) - 1), last)
        return found

    def _shift(self, rising: list[int], falling: list[int]) -> None:
        values, most = self.values, self.denominator
        up = min(min(most - values[edge] for edge in rising), min(values[edge] for edge in falling))
        down = min(min(values[edge] for edge in rising), min(most - values[edge] for edge in falling))
        step = up if self.stream.below(up + down) < down else -down
        for edge in rising:
            values[edge] += step
        for edge in falling:
            values[edge] -= step


Cells = Sequence[tuple[int, int]]
Table = list[tuple[int, int]]
"""(cell, count), without empty cells."""


def overlap_table(cells: Cells, sizes: Sequence[int], overlap: int, stream: Stream) -> list[int]:
    """Return the number of overlap images per cell, as even as integers allow in every margin."""
    taken, _ = _split(cells, list(enumerate(sizes)), overlap, sum(sizes), stream)
    counts = dict(taken)
    return [counts.get(cell, 0) for cell in range(len(sizes))]


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
        wanted = (2 * until.numerator + until.denominator) // (2 * until.denominator) - given
        given += wanted
        part, table = _split(cells, table, wanted, left, stream) if left else ([], table)
        left -= wanted
        _halve(cells, part, group, held, stream)
    return held


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
