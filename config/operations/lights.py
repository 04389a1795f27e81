"""How the server is: one light for each thing it needs, with plain words and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class State(StrEnum):
    """Colours of a light."""

    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


@dataclass(frozen=True)
class Light:
    """One thing the server needs: `words` say how it is, `advice` what to do where it is not good."""

    name: str
    state: State
    words: str
    advice: str = ""

    @property
    def line(self) -> str:
        """The light as one line of a log."""
        return " ".join(part for part in (f"{self.name}: {self.words}", self.advice) if part)


Probe = Callable[[], Light]


def good(name: str, words: str) -> Light:
    """A light that needs nothing."""
    return Light(name, State.GOOD, words)


def warn(name: str, words: str, advice: str) -> Light:
    """A light that somebody should look at."""
    return Light(name, State.WARN, words, advice)


def bad(name: str, words: str, advice: str) -> Light:
    """A light that stops people."""
    return Light(name, State.BAD, words, advice)


def ask(probe: Probe, name: str) -> Light:
    """Return a probe's light; one that breaks off is bad, and never takes the others with it."""
    try:
        return probe()
    except Exception as error:  # noqa: BLE001  whatever happens, the page is shown
        return bad(name, f"could not be asked ({type(error).__name__}).", _ADVICE)


_ADVICE: Final = "The web's log holds the reason."


def ago(seconds: float) -> str:
    """Return a duration in words, coarse."""
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {word}{'' if number == 1 else 's'}"
    return f"{int(seconds)} s"
