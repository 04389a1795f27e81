"""The keyboard shortcuts of the labelling page, for the guideline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Key:
    """Keys and their action; the stroke `A B` means hold A and press B."""

    strokes: tuple[str, ...]
    does: str

    @property
    def pressed(self) -> tuple[tuple[str, ...], ...]:
        """The strokes, each as its keys."""
        return tuple(tuple(stroke.split(" ")) for stroke in self.strokes)


KEYS: Final[tuple[tuple[str, tuple[Key, ...]], ...]] = (
    (
        "Navigation",
        (
            Key(("M", "X", "G", "O", "P"), "Missing, eXtra, confiGuration, Orientation, Proportion"),
            Key(("T", "L", "F", "H", "E"), "Torso, Limbs, Feet, Hands, facE"),
            Key(("←", "→", "↑", "↓"), "neighbouring cell"),
            Key(("Home", "End"), "first or last cell"),
            Key(("Tab", "Shift Tab"), "next or previous cell in the prescribed order"),
            Key(("W",), "go to People"),
            Key(
                ("Page\N{NO-BREAK SPACE}Up", "Page\N{NO-BREAK SPACE}Down"),
                "previous or next image; this one stays a draft",
            ),
        ),
    ),
    (
        "Marks",
        (
            Key(("a", "b", "c"), "add one affected part: mild, moderate, severe"),
            Key(("Shift a",), "remove one; likewise b and c"),
            Key(("3", "b"), "set it to three"),
            Key(("2", "/", "7", "b"), "set two of seven"),
            Key(("0",), "turn “No errors” on or off"),
            Key(("Y",), "yes, to a question: one part has two errors; clear the marks"),
            Key(("Backspace",), "delete the last character, or one part from the last mark"),
            Key(("Delete",), "clear the cell, or remove the pin"),
            Key((".",), "pin the last mark: arrow keys move the pin, Enter places it"),
        ),
    ),
    (
        "Counts",
        (
            Key(("1", "…", "9"), "when People has the focus: set the number of people"),
            Key(("+", "−"), "increase or decrease the count of this row"),
            Key(("/", "3", "Enter"), "set the count of this row, here to three"),
        ),
    ),
    (
        "The image",
        (
            Key(("Ctrl Enter",), "submit and go to the next image"),
            Key(("Ctrl Z", "Ctrl Y"), "undo, redo (⌘ on a Mac)"),
            Key(("V",), "enlarge the image, where the batch allows it"),
            Key(("N",), "note"),
            Key(("S",), "flag or skip, with a reason"),
            Key(("Q",), "ask a lead about the image"),
            Key(("Esc",), "discard the unfinished entry, or close a dialog"),
            Key(("?",), "help"),
        ),
    ),
)
