"""Progress of a computation, reported between its sections to a callback that may stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Steps = Callable[[int, int], None]
"""Called with completed and total steps; an exception ends the computation."""

Value = TypeVar("Value")


class Sections:
    """Counts sections of about equal cost and reports them to `steps`, if any."""

    def __init__(self, steps: Steps | None, total: int) -> None:
        self._steps, self._total, self._done = steps, total, 0

    def __call__(self, value: Value) -> Value:
        """Report a completed section and return its value."""
        self._done = min(self._done + 1, self._total)
        if self._steps:
            self._steps(self._done, self._total)
        return value

    def within(self, done: int, total: int) -> None:
        """Report `done` of `total` steps of the current section."""
        if self._steps:
            self._steps(self._done * total + done, self._total * total)
