"""What the guide to presence draws: definitions and examples of the grid, and keys of its own."""

from __future__ import annotations

from typing import Any, Final

from annotator.protocols.anatomy.examples import PICTURE_SIZE
from annotator.protocols.anatomy.guide import chapters
from annotator.protocols.anatomy.keys import Key
from annotator.protocols.anatomy.words import BODY_PART_DEFINITIONS, GENERAL_REMINDERS
from annotator.protocols.presence.sheet import SHEET
from scoring.grid.taxonomy import BODY_PART_TITLES

KEYS: Final[tuple[tuple[str, tuple[Key, ...]], ...]] = (
    (
        "Where to",
        (
            Key(("M", "X", "G", "O", "P"), "Missing, eXtra, confiGuration, Orientation, Proportion"),
            Key(("T", "L", "F", "H", "E"), "Torso, Limbs, Feet, Hands, facE"),
            Key(("←", "→", "↑", "↓"), "the cell beside, above, below"),
            Key(("Tab", "Shift Tab"), "the next, the previous cell of the prescribed order"),
        ),
    ),
    (
        "Marks",
        (
            Key(("Space", "1"), "mark the cell, or take the mark off"),
            Key(("U",), "unsure of this mark"),
            Key(("0",), "no errors in this image, on and off"),
            Key(("Y", "N"), "where the batch is guided: yes or no, and on to the next cell"),
        ),
    ),
    (
        "The image",
        (
            Key(("Ctrl Enter",), "submit, and on to the next image"),
            Key(("Z", "Ctrl Z", "Ctrl Y"), "undo, undo, redo (⌘ on a Mac)"),
            Key(("N",), "note, unless the batch is guided"),
            Key(("S",), "flag or skip, with a reason"),
            Key(("?",), "help"),
        ),
    ),
)


def context() -> dict[str, Any]:
    """Return what the guide's template draws."""
    return {
        "chapters": chapters(),
        "keys": KEYS,
        "parts": [(BODY_PART_TITLES[name], text) for name, text in BODY_PART_DEFINITIONS.items()],
        "picture_size": PICTURE_SIZE,
        "reminders": GENERAL_REMINDERS,
        "written": SHEET.guide,
    }
