"""How far a computation is: told between its sections, to whoever wants to know or to stop it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Steps = Callable[[int, int], None]
"""Called with pieces done and pieces in all; what it raises ends the computation."""

Value = TypeVar("Value")


class Sections:
    """Counts sections of about equal cost and tells `steps`; silent where nobody listens."""

    def __init__(self, steps: Steps | None, total: int) -> None:
        self._steps, self._total, self._done = steps, total, 0

    def __call__(self, value: Value) -> Value:
        """Say that a section is done; returns what it made."""
        self._done = min(self._done + 1, self._total)
        if self._steps:
            self._steps(self._done, self._total)
        return value

    def within(self, done: int, total: int) -> None:
        """Say that `done` of `total` pieces of the section at hand are done."""
        if self._steps:
            self._steps(self._done * total + done, self._total * total)
