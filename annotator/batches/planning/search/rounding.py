"""Controlled rounding: round a table of fractions, with every margin off by less than one.

Every entry, row sum, column sum and the total are rounded to the integer below or above. Such a rounding
always exists, because the margins of a two-way table are a flow. Cycles of fractional entries are shifted
until one of their entries is an integer; the direction is drawn so that the expected value of each entry is
unchanged (Cox, 1987, JASA 82).
"""

from __future__ import annotations

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
