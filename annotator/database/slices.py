"""Rows in slices whose transactions are short: a writer on SQLite keeps all others waiting."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

Item = TypeVar("Item")

SECONDS: Final = 0.4
"""What a slice may take; people's own changes wait no longer than for one or two."""

_FIRST: Final = 100


def slices(rows: Sequence[Item], largest: int) -> Iterator[Sequence[Item]]:
    """Yield all rows in order, in slices that the caller handles in about SECONDS, of `largest` rows at most.

    The first has 100 rows; each of the others is sized by the time that the one before took.
    """
    start, size = 0, min(_FIRST, largest)
    while start < len(rows):
        begun = time.monotonic()
        yield rows[start : start + size]
        took = max(time.monotonic() - begun, 1e-6)
        start += size
        # At most four times as many: the first may have been cheap by chance.
        size = max(1, min(largest, 4 * size, int(size * SECONDS / took)))
