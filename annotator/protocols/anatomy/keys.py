"""The keys of the labelling page, as the guide lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Key:
    """Keys and what they do; a stroke `A B` is A held while B is pressed."""

    strokes: tuple[str, ...]
    does: str

    @property
    def pressed(self) -> tuple[tuple[str, ...], ...]:
        """The strokes, each as the keys held together."""
        return tuple(tuple(stroke.split(" ")) for stroke in self.strokes)


KEYS: Final[tuple[tuple[str, tuple[Key, ...]], ...]] = (
    (
        "Where to",
        (
            Key(("M", "X", "G", "O", "P"), "Missing, eXtra, confiGuration, Orientation, Proportion"),
            Key(("T", "L", "F", "H", "E"), "Torso, Limbs, Feet, Hands, facE"),
            Key(("←", "→", "↑", "↓"), "the cell beside, above, below"),
            Key(("Home", "End"), "the first cell, the last cell"),
            Key(("Tab", "Shift Tab"), "the next, the previous cell of the prescribed order"),
            Key(("W",), "back to People"),
            Key(
                ("Page\N{NO-BREAK SPACE}Up", "Page\N{NO-BREAK SPACE}Down"),
                "the previous, the next image; this one stays a draft",
            ),
        ),
    ),
    (
        "Marks",
        (
            Key(("a", "b", "c"), "one more part affected: mild, moderate, severe"),
            Key(("Shift a",), "one fewer; so with b and c"),
            Key(("3", "b"), "make it three"),
            Key(("2", "/", "7", "b"), "two of seven, as in the notation"),
            Key(("0",), "no errors in this image, on and off"),
            Key(("Backspace",), "drop what was typed last, else take one part off the last mark"),
            Key(("Delete",), "empty the cell; on a pin, remove it"),
            Key((".",), "pin the last mark: arrows move, Enter drops"),
        ),
    ),
    (
        "Counts",
        (
            Key(("1", "…", "9"), "on People: how many there are"),
            Key(("+", "−"), "the count of this row one up, one down"),
            Key(("/", "3", "Enter"), "set the count of this row to three"),
        ),
    ),
    (
        "The image",
        (
            Key(("Ctrl Enter",), "submit, and on to the next image"),
            Key(("Ctrl Z", "Ctrl Y"), "undo, redo (⌘ on a Mac)"),
            Key(("N",), "note"),
            Key(("S",), "flag or skip, with a reason"),
            Key(("Esc",), "forget what is being typed; close"),
            Key(("?",), "help"),
        ),
    ),
)
