"""The sheet of a rating form: a row per annotation, a column per question, and the note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from annotator.protocols.sheet_format import (
    MOST_SHOWN,
    Cells,
    Exported,
    Problem,
    ReadCells,
    SheetFormat,
    SheetReader,
    meant_by,
    read_payload,
)
from scoring.protocol import Clean, Payload
from scoring.rating_form.definition import FormDefinition, Item, word_of
from scoring.rating_form.protocol import Rules

NOTE: Final = "note"
OF_QUESTIONS: Final = Exported(
    "One row per annotation, a column per question, texts and note too, ready to import again.",
    "one row per annotation: the answer to each question, texts and note",
    "the answer to each question, and the note",
    "`QUESTION`",
)
_NO_DECIMALS: Final = re.compile("[.,]0+$")
_YES_NO: Final = {"1": True, "true": True, "0": False, "false": False}


def sheet_of(form: FormDefinition, clean: Clean | None = None) -> SheetFormat:
    """Return the sheet that is exported and imported; `clean` may ask for more than the form does."""
    rules, items = Rules(form), {item.name: item for item in form.items}

    def write(payload: Payload) -> dict[str, str]:
        texts = {name: word_of(payload.get("answers", {}).get(name)) for name in items}
        return {**texts, NOTE: str(payload.get(NOTE, ""))}

    def read(cells: Cells) -> ReadCells:
        """Read a row; what has no column is not answered."""
        texts = {heading: cells.get(heading, "").strip() for heading in (*items, NOTE)}
        answers, problems = read_answers(form.items, texts)
        if problems:
            return ReadCells(None, problems)
        payload = {"answers": answers, NOTE: texts[NOTE]}
        found = read_payload(
            clean or rules.clean, payload, {f"answers.{name}": name for name in items}, texts
        )
        kept = found.payload["answers"] if found.payload else answers
        lost = [name for name, answer in answers.items() if answer not in (None, "", []) and name not in kept]
        words = "is an answer to a question that the other answers rule out. Empty the cell"
        return ReadCells(None, tuple((name, texts[name], words) for name in lost)) if lost else found

    return SheetFormat(
        rule="the points, yes or no, the option or its label, several joined by “;”, or cannot judge.",
        reader=SheetReader(read, write, headings=(*items, NOTE), exported=OF_QUESTIONS),
    )


def read_answers(items: Sequence[Item], texts: Cells) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """Return the answers by item, None for an empty cell, and the cells that say nothing known."""
    answers = {item.name: _read(item, texts[item.name]) for item in items}
    unknown = [item for item in items if texts[item.name] and answers[item.name] is None]
    return answers, tuple((item.name, texts[item.name][:MOST_SHOWN], _expected(item)) for item in unknown)


def _read(item: Item, text: str) -> Any:
    """Return the answer that a text means; None for an unknown one. Numbers and texts stay as they are."""
    known = item.words | (_YES_NO if item.kind == "yes_no" else {})
    if item.kind == "several":
        keys = [meant_by(part.strip(), known) for part in text.split(";") if part.strip()]
        return None if None in keys else keys
    if item.kind in {"number", "text"}:
        return known.get(text.casefold(), text)
    # Spreadsheets write 7 as 7.0.
    return meant_by(_NO_DECIMALS.sub("", text) if item.kind == "scale" else text, known)


def _expected(item: Item) -> str:
    joined = ", ".join([*item.choices, *(["cannot judge"] if item.cannot_judge else [])])
    return f"is not one of {joined}. Leave it empty for no answer"
