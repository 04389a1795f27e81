"""Health checks: the state of each thing the server needs, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class HealthState(StrEnum):
    """The result of a health check."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True)
class HealthCheck:
    """One health check: `words` describe the state, `advice` says what to do if it is not good."""

    name: str
    state: HealthState
    words: str
    advice: str = ""

    @property
    def line(self) -> str:
        """Return the health check as one log line."""
        return " ".join(part for part in (f"{self.name}: {self.words}", self.advice) if part)


Probe = Callable[[], HealthCheck]


def good(name: str, words: str) -> HealthCheck:
    """Return a passed health check."""
    return HealthCheck(name, HealthState.GOOD, words)


def warn(name: str, words: str, advice: str) -> HealthCheck:
    """Return a health check with a warning."""
    return HealthCheck(name, HealthState.WARN, words, advice)


def bad(name: str, words: str, advice: str) -> HealthCheck:
    """Return a failed health check."""
    return HealthCheck(name, HealthState.BAD, words, advice)


def ask(probe: Probe, name: str) -> HealthCheck:
    """Return a probe's health check; an exception counts as failed and does not affect others."""
    try:
        return probe()
    except Exception as error:  # noqa: BLE001  the page must show in any case
        return bad(name, f"the check failed to run ({type(error).__name__}).", _ADVICE)


_ADVICE: Final = "See the web log for the reason."


def ago(seconds: float) -> str:
    """Return a rounded duration as text."""
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {word}{'' if number == 1 else 's'}"
    return f"{int(seconds)} s"
