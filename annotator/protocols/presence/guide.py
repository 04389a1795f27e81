"""The presence guideline: the grid's definitions and examples, and its own keyboard shortcuts."""

from __future__ import annotations

from typing import Any, Final

from annotator.protocols.anatomy.examples import PICTURE_SIZE
from annotator.protocols.anatomy.guide import DEFINITIONS, RULES, Key, chapters, parts
from annotator.protocols.anatomy.guide_texts import GENERAL_REMINDERS
from annotator.protocols.page import OwnGuide, ShownMark
from annotator.protocols.presence.sheet import SHEET
from scoring.protocol import Payload

KEYS: Final[tuple[tuple[str, tuple[Key, ...]], ...]] = (
    (
        "Navigation",
        (
            Key(("M", "X", "G", "O", "P"), "Missing, eXtra, confiGuration, Orientation, Proportion"),
            Key(("T", "L", "F", "H", "E"), "Torso, Limbs, Feet, Hands, facE"),
            Key(("←", "→", "↑", "↓"), "neighbouring cell"),
            Key(("Tab", "Shift Tab"), "next or previous cell in the prescribed order"),
        ),
    ),
    (
        "Marks",
        (
            Key(("Space", "1"), "mark or unmark the cell"),
            Key(("U",), "mark as unsure"),
            Key(("0",), "turn “No errors” on or off"),
            Key(("Y", "N"), "in a guided batch: yes or no, then next cell"),
        ),
    ),
    (
        "The image",
        (
            Key(("Ctrl Enter",), "submit and go to the next image"),
            Key(("Z", "Ctrl Z", "Ctrl Y"), "undo, undo, redo (⌘ on a Mac)"),
            Key(("N",), "note, unless the batch is guided"),
            Key(("S",), "flag or skip, with a reason"),
            Key(("?",), "help"),
        ),
    ),
)

BLOCKS: Final = (RULES, *DEFINITIONS)
"""The texts that a project can replace."""


def context(own: OwnGuide) -> dict[str, Any]:
    """Return the context of the guideline's template."""
    return {
        "chapters": chapters(own),
        "keys": KEYS,
        "own": own.texts,
        "parts": parts(own),
        "picture_size": PICTURE_SIZE,
        "reminders": GENERAL_REMINDERS,
        "written": SHEET.guide,
    }


def marks_shown(payload: Payload) -> list[ShownMark]:
    """Return the marked cells of a payload, with their doubt."""
    unsure = payload.get("unsure", [])
    return [ShownMark(key, "unsure" if key in unsure else "marked") for key in payload.get("cells", [])]
