"""The anatomy guideline, with a drawn example of every error type and severity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from annotator.protocols.anatomy.examples import BLURRED, EXAMPLES, PICTURE_SIZE, WORKED
from annotator.protocols.anatomy.form import mark_text
from annotator.protocols.anatomy.guide_texts import (
    BODY_PART_DEFINITIONS,
    COUNT_DEFINITIONS,
    ERROR_TYPE_DEFINITIONS,
    FACE_BLUR,
    GENERAL_REMINDERS,
    SEVERITY_DEFINITIONS,
)
from annotator.protocols.page import GuideBlock, OwnGuide, ShownMark
from scoring.grid.notation import Term
from scoring.grid.scores import cell_score, cumulative_score
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import (
    BODY_PART_TITLES,
    CELL_BY_KEY,
    CELLS,
    COUNT_OF,
    ERROR_TYPE_TITLES,
    ERROR_TYPES,
    SEVERITY_TITLES,
    parts_in_words,
)
from scoring.protocol import Payload


def tip(strokes: tuple[str, ...], does: str) -> dict[str, Any]:
    """Return keys and their action; the stroke `A B` means hold A and press B."""
    return {"pressed": [stroke.split(" ") for stroke in strokes], "does": does}


KEYS: Final = (
    (
        "Navigation",
        (
            tip(("M", "X", "G", "O", "P"), "Missing, eXtra, confiGuration, Orientation, Proportion"),
            tip(("T", "L", "F", "H", "E"), "Torso, Limbs, Feet, Hands, facE"),
            tip(("←", "→", "↑", "↓"), "neighbouring cell"),
            tip(("Home", "End"), "first or last cell"),
            tip(("Tab", "Shift Tab"), "next or previous cell in the prescribed order"),
            tip(("W",), "go to People"),
            tip(
                ("Page\N{NO-BREAK SPACE}Up", "Page\N{NO-BREAK SPACE}Down"),
                "previous or next image; this one stays a draft",
            ),
        ),
    ),
    (
        "Marks",
        (
            tip(("a", "b", "c"), "add one affected part: mild, moderate, severe"),
            tip(("Shift a",), "remove one; likewise b and c"),
            tip(("3", "b"), "set it to three"),
            tip(("2", "/", "7", "b"), "set two of seven"),
            tip(("0",), "turn “No errors” on or off"),
            tip(("Y",), "yes, to a question: one part has two errors; clear the marks"),
            tip(("Backspace",), "delete the last character, or one part from the last mark"),
            tip(("Delete",), "clear the cell, or remove the pin"),
            tip((".",), "pin the last mark: arrow keys move the pin, Enter places it"),
        ),
    ),
    (
        "Counts",
        (
            tip(("1", "…", "9"), "when People has the focus: set the number of people"),
            tip(("+", "−"), "increase or decrease the count of this row"),
            tip(("/", "3", "Enter"), "set the count of this row, here to three"),
            tip(("D",), "count this row by dots on the image: a click or Enter sets one; D ends"),
        ),
    ),
    (
        "The image",
        (
            tip(("Ctrl Enter",), "submit and go to the next image"),
            tip(("Ctrl Z", "Ctrl Y"), "undo, redo (⌘ on a Mac)"),
            tip(("V",), "enlarge the image, where the batch allows it"),
            tip(("N",), "note"),
            tip(("S",), "flag or skip, with a reason"),
            tip(("Q",), "ask a lead about the image"),
            tip(("R",), "rules and examples of the project for the cell"),
            tip(("Esc",), "discard the unfinished entry, or close a dialog"),
            tip(("?",), "help"),
        ),
    ),
)


def context(own: OwnGuide) -> dict[str, Any]:
    """Return the context of the guideline's template."""
    return {
        "chapters": chapters(own),
        "counts": [(kind, _types_with(kind), text) for kind, text in COUNT_DEFINITIONS.items()],
        "keys": KEYS,
        "own": own.texts,
        "parts": parts(own),
        "picture_size": PICTURE_SIZE,
        "reminders": GENERAL_REMINDERS,
        "severities": [
            (letter, SEVERITY_TITLES[letter], text, _plain(DEFAULT_WEIGHTS[letter]))
            for letter, text in SEVERITY_DEFINITIONS.items()
        ],
        "steps": steps(WORKED),
        "total": cumulative_score(WORKED),
        "worked_counts": _counted(WORKED),
    }


def parts(own: OwnGuide) -> list[tuple[str, str, str]]:
    """Return the body parts: title, our definition, and the project's as HTML, if any."""
    defined = BODY_PART_DEFINITIONS.items()
    return [(BODY_PART_TITLES[name], text, own.texts.get(name, "")) for name, text in defined]


def chapters(own: OwnGuide) -> list[dict[str, Any]]:
    """Return the five error types in their published order, with examples from mild to severe.

    `rule` introduces a second row of examples, `further`. `own` is the project's text as HTML in place of the
    definition, `own_examples` are its images.
    """
    drawn = EXAMPLES if own.drawn else ()
    blurred = BLURRED if own.drawn else ()
    return [
        {
            "name": name,
            "title": ERROR_TYPE_TITLES[name],
            "definition": _sentence(ERROR_TYPE_DEFINITIONS[name]),
            "count_kind": COUNT_OF[name],
            "examples": [example for example in drawn if example.cell.error_type == name],
            "rule": FACE_BLUR,
            "further": blurred if name == "configuration" else (),
            "own": own.texts.get(name, ""),
            "own_examples": own.examples.get(name, ()),
        }
        for name in ERROR_TYPES
    ]


def steps(answer: Mapping[str, tuple[Term, ...]]) -> list[dict[str, Any]]:
    """Return every term of an answer with its contribution to the cumulative score (Equations 1 and 2)."""
    return [
        {
            "title": CELL_BY_KEY[key].title,
            "term": f"{term.affected}/{term.total}{term.severity}",
            "share": f"{term.affected}/{term.total}",
            "weight": _plain(DEFAULT_WEIGHTS[term.severity]),
            "product": cell_score([term]),
        }
        for key, terms in answer.items()
        for term in terms
    ]


def _counted(answer: Mapping[str, tuple[Term, ...]]) -> str:
    """Return the expected counts of an answer: `4 limbs, 3 hands and 2 faces`."""
    cells = [CELL_BY_KEY[key] for key in answer]
    *first, last = (
        parts_in_words(answer[cell.key][0].total, cell.body_part)
        for cell in cells
        if cell.count_kind == "expected"
    )
    return f"{', '.join(first)} and {last}"


def _types_with(kind: str) -> str:
    *first, last = (ERROR_TYPE_TITLES[name] for name in ERROR_TYPES if COUNT_OF[name] == kind)
    return f"{', '.join(first)} and {last}"


def _plain(weight: Fraction) -> str:
    return f"{float(weight):g}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _listed(entries: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"- **{title}** {text}" for title, text in entries)


RULES: Final = GuideBlock("introduction", "General rules", _listed(GENERAL_REMINDERS))
DEFINITIONS: Final = tuple(
    GuideBlock(name, titles[name], _sentence(text))
    for titles, defined in (
        (ERROR_TYPE_TITLES, ERROR_TYPE_DEFINITIONS),
        (BODY_PART_TITLES, BODY_PART_DEFINITIONS),
    )
    for name, text in defined.items()
)
COMPONENTS: Final = {cell.key: (cell.error_type, cell.body_part) for cell in CELLS}
TITLES: Final = {cell.key: cell.title for cell in CELLS}
BLOCKS: Final = (
    RULES,
    GuideBlock(
        "severities",
        "How severe is it?",
        _listed(
            (f"{letter}, {SEVERITY_TITLES[letter].lower()}:", text)
            for letter, text in SEVERITY_DEFINITIONS.items()
        ),
    ),
    GuideBlock(
        "counts",
        "Out of how many?",
        _listed(
            (f"{_sentence(kind)}:", f"for {_types_with(kind)}, {text}")
            for kind, text in COUNT_DEFINITIONS.items()
        ),
    ),
    *DEFINITIONS,
)
"""The texts that a project can replace."""


def marks_shown(payload: Payload) -> list[ShownMark]:
    """Return the marks of a payload in the sheet's notation, with their pins."""
    return [
        ShownMark(f"{mark['type']}.{mark['part']}", mark_text(mark), mark["pins"])
        for mark in payload.get("marks", [])
    ]
