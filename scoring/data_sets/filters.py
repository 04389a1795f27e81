"""Filters before rating: which images a data set leaves out, by what a detector found and by the prompt.

Source: the filters of the BodyRealism data set. They let two or three persons through; raters then call such
images invalid, as intended there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

REASONS: Final[Mapping[str, str]] = {
    "persons": "too many persons",
    "classes": "too many classes",
    "confidence": "person not certain",
    "moderation": "moderation",
    "words": "prompt without the words",
}
"""Why an image is left out, in the order in which reasons are listed."""
MOST_WORDS: Final = 50
LONGEST_WORD: Final = 40
_WORD: Final = re.compile(r"\w+(?:[’'-]\w+)*")


class InvalidFilter(ValueError):
    """A setting of the filters that cannot be used; `field` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Detected:
    """What a detector found in an image: persons, distinct classes, its confidence that there is a person,
    and the highest value of a moderation label. None where the file says nothing.
    """

    persons: int | None = None
    classes: int | None = None
    person_confidence: float | None = None
    moderation: float | None = None


@dataclass(frozen=True)
class Filters:
    """The limits of the filters, and the words of which a prompt has to hold one; without words, any prompt.

    Raise InvalidFilter for a limit that cannot be used.
    """

    most_persons: int = 3
    most_classes: int = 3
    least_confidence: float = 0.98
    moderation_from: float = 0.9
    words: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("most_persons", "most_classes"):
            if not 0 <= getattr(self, name) <= 1000:
                raise InvalidFilter(name, "Enter a whole number from 0 to 1,000.")
        for name in ("least_confidence", "moderation_from"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= 1):
                raise InvalidFilter(name, "Enter a number from 0 to 1.")
        if len(self.words) > MOST_WORDS:
            raise InvalidFilter("words", f"Enter at most {MOST_WORDS} words.")
        for word in self.words:
            if len(word) > LONGEST_WORD or not _WORD.fullmatch(word):
                raise InvalidFilter(
                    "words", f"“{word[:LONGEST_WORD]}” is not a word. Separate words by commas."
                )

    def as_json(self) -> dict[str, Any]:
        """Return the limits as JSON values for `from_json`."""
        return {**asdict(self), "words": list(self.words)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Filters:
        """Return what `as_json` wrote, with defaults for what is missing."""
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**{**known, "words": tuple(known.get("words", ()))})

    def reasons(self, found: Detected | None, prompt: str, *, real: bool = False) -> tuple[str, ...]:
        """Return why an image is left out, as keys of REASONS; none if it stays.

        What the detector did not say excludes nothing. The words choose prompts of generators, so they do not
        apply to real images.
        """
        found = found or Detected()
        said = {
            "persons": found.persons is not None and found.persons > self.most_persons,
            "classes": found.classes is not None and found.classes > self.most_classes,
            "confidence": found.person_confidence is not None
            and found.person_confidence < self.least_confidence,
            "moderation": found.moderation is not None and found.moderation >= self.moderation_from,
            "words": bool(self.words) and not real and not holds_one(prompt, self.words),
        }
        return tuple(reason for reason, holds in said.items() if holds)


def holds_one(prompt: str, words: Iterable[str]) -> bool:
    """Tell whether a prompt has one of the words, as a whole word in any case."""
    return not {word.casefold() for word in words}.isdisjoint(
        word.casefold() for word in _WORD.findall(prompt)
    )


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a list separated by commas, semicolons or spaces, each once."""
    return tuple(dict.fromkeys(word.casefold() for word in re.split(r"[,;\s]+", text) if word))
