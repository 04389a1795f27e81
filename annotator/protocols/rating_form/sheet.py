"""The sheet of a rating form: a row per annotation, a column per question, and the note."""

from __future__ import annotations

from typing import Any, Final

from annotator.protocols.sheet_format import (
    Cells,
    Exported,
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
        answers = {name: _read(item, texts[name]) for name, item in items.items()}
        unknown = [name for name, answer in answers.items() if texts[name] and answer is None]
        if unknown:
            return ReadCells(None, tuple((name, texts[name], _expected(items[name])) for name in unknown))
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


def _read(item: Item, text: str) -> Any:
    """Return the answer that a text means; None for an unknown one. Numbers and texts stay as they are."""
    known = item.words | (_YES_NO if item.kind == "yes_no" else {})
    if item.kind == "several":
        keys = [meant_by(part.strip(), known) for part in text.split(";") if part.strip()]
        return None if None in keys else keys
    # Spreadsheets write 7 as 7.0.
    whole = text.removesuffix(".0") if item.kind == "scale" else text
    if item.kind in {"number", "text"}:
        return known.get(whole.casefold(), text)
    return meant_by(whole, known)


def _expected(item: Item) -> str:
    joined = ", ".join([*item.choices, *(["cannot judge"] if item.cannot_judge else [])])
    return f"is not one of {joined}. Leave it empty for no answer"
