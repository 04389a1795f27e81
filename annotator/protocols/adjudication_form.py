"""The adjudication form: several annotations of one image side by side, and the lead's choices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from string import ascii_uppercase
from typing import Any, ClassVar, Final

from annotator.annotations.unreadable import says_nothing
from annotator.models import Annotation
from scoring.payloads import FLAG_REASONS
from scoring.protocol import Payload
from scoring.service import get_protocol

OTHER: Final = "other"
SAYS: Final = "="
"""The prefix of an option's value, before its possibly empty text."""
LONGEST_TYPED: Final = 60


def pin_at(key: str, title: str, x: float, y: float) -> dict[str, str]:
    """Return a point on the image for display, given its place from 0 to 1."""
    return {"key": key, "title": title, "left": f"{100 * x:.2f}%", "top": f"{100 * y:.2f}%"}


class AdjudicationForm:
    """Adjudicate an image: choose an annotation, or in subclasses a value for each cell.

    `data` is the submitted form, None at first; `stored` is the adjudicated payload, if any. No input is
    lost: a text that no longer matches an option moves to the cell's text field.

    A subclass defines its cells (`titles`, by key), their text in an annotation (`text_of`), and the payload
    of the chosen values. `free` cells accept texts that no annotator has given. `long_text` is the title of a
    text that the adjudicator may write, stored as `reference`.
    """

    titles: Mapping[str, str] = {"annotation": "Adjudicated annotation"}
    heads: Sequence[str] = ()
    rows: Sequence[tuple[str, Sequence[str]]] = ()
    thing: ClassVar[str] = "annotation"
    nothing: ClassVar[str] = ""
    free: ClassVar[bool] = False
    long_text: ClassVar[str] = ""
    long_help: str = ""

    def __init__(
        self,
        answers: Sequence[Annotation],
        *,
        stored: Payload | None = None,
        data: Mapping[str, Any] | None = None,
        errors: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.payloads: list[Payload] = [answer.payload for answer in answers]
        self._stored = stored
        self._data = data
        self.errors: dict[str, list[str]] = {name: list(texts) for name, texts in (errors or {}).items()}
        self.people: list[dict[str, Any]] = [
            {
                "letter": letter,
                "code": answer.assignment.annotator.code,
                "answer": answer,
                "score": _headline_of(answer),
                "dots": self.dots_of(answer.payload),
                "pins": self.pins_of(answer.payload),
                "note": answer.payload.get("note"),
                "flag": _flag_of(answer.payload),
            }
            for letter, answer in zip(ascii_uppercase, answers, strict=False)
        ]

    def text_of(self, payload: Payload, key: str) -> str:
        """Return the text of a cell in a payload; empty means no error."""
        said = _without_note(payload)
        pairs = zip(ascii_uppercase, self.payloads, strict=False)
        return next((letter for letter, given in pairs if _without_note(given) == said), "")

    def hints_of(self, _key: str) -> tuple[str, str]:
        """Return what an empty value of a cell means, and an example of a value."""
        return self.nothing, "1/4c"

    def pins_of(self, _payload: Payload) -> list[dict[str, str]]:
        """Return the points pinned in a payload; none if the protocol has no pins."""
        return []

    @classmethod
    def dotted(cls, answers: Iterable[Annotation]) -> list[dict[str, Any]]:
        """Return letter, code and dots of the annotators who counted by dots, in the order given."""
        people = [(answer.assignment.annotator.code, cls.dots_of(answer.payload)) for answer in answers]
        counting = [{"code": code, "dots": dots} for code, dots in people if dots]
        lettered = zip(ascii_uppercase, counting, strict=False)
        return [{"letter": letter, **person} for letter, person in lettered]

    @classmethod
    def dots_of(cls, _payload: Payload) -> list[dict[str, str]]:
        """Return the dots of a payload, each with its body part; none if the protocol counts no parts."""
        return []

    def all_of(self, letter: str, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the submitted form with the values of one annotator in all cells that differ."""
        taken = {name: data[name] for name in data}
        for given in self._given_by(letter):
            for key in self._differing:
                name = self.field_name(key)
                taken[name], taken[f"{name}.{OTHER}"] = f"{SAYS}{self.text_of(given, key)}", ""
        return taken

    def relettered(self, other: AdjudicationForm, data: Mapping[str, Any]) -> dict[str, Any]:
        """Return the submitted form as `other` reads it, which has the same annotations in another order."""
        kept = {name: data[name] for name in data}
        for key in self._differing:
            texts = {
                f"{SAYS}{self.text_of(payload, key)}": other.text_of(payload, key)
                for payload in self.payloads
            }
            name = self.field_name(key)
            if kept.get(name) in texts:
                kept[name] = f"{SAYS}{texts[kept[name]]}"
        return kept

    def payload(self) -> Payload:
        """Return the payload of the chosen values; invalid ones are in `errors` and omitted."""
        held: Payload = next(iter(self._given_by(self.chosen("annotation"))), {})
        return {**held, "note": ""} if "note" in held else held

    def _given_by(self, letter: str | None) -> list[Payload]:
        return [given for of, given in zip(ascii_uppercase, self.payloads, strict=False) if of == letter]

    def field_name(self, key: str) -> str:
        """Return the name of a cell's field, as in the protocol's errors."""
        return key

    @cached_property
    def note(self) -> str:
        """The entered note."""
        return str(self._data.get("note", "")) if self._data is not None else ""

    @cached_property
    def written(self) -> str:
        """The long text as entered or stored."""
        values = (self._data if self._data is not None else self._stored) or {}
        return str(values.get("reference", "")).replace("\r\n", "\n")

    def refuse(self, errors: Mapping[str, Sequence[str]]) -> None:
        """Add a protocol's errors; those without a cell belong to the form as a whole."""
        known = {*map(self.field_name, self.titles), "note"}
        for name, messages in errors.items():
            self.errors.setdefault(name if name in known else "", []).extend(messages)

    @cached_property
    def _differing(self) -> frozenset[str]:
        texts = {key: {self.text_of(payload, key) for payload in self.payloads} for key in self.titles}
        return frozenset(key for key, texts_of_cell in texts.items() if len(texts_of_cell) > 1)

    def differing(self) -> list[dict[str, Any]]:
        """Return the cells on which the annotations differ, in the published order."""
        return [self._cell(key) for key in self.titles if key in self._differing]

    def agreeing(self) -> list[tuple[str, list[dict[str, Any] | None]]]:
        """Return the other cells by row and column; None in place of cells that differ."""
        cells = {key: self._cell(key) for key in self.titles if key not in self._differing}
        return [(title, [cells.get(key) for key in keys]) for title, keys in self.rows]

    def n_agreeing(self) -> int:
        """Return the number of cells on which the annotations agree."""
        return len(self.titles) - len(self._differing)

    def unfolded(self) -> bool:
        """Tell whether to show the agreeing cells: one has an error or a changed value."""
        agreeing = [key for key in self.titles if key not in self._differing]
        return any(self.errors.get(self.field_name(key)) for key in agreeing) or any(
            self._typed(key)[1] != self._agreed(key) for key in agreeing
        )

    def chosen(self, key: str) -> str | None:
        """Return the chosen text of a cell; None, with an error, if the choice is unclear."""
        ticked, other = self._typed(key)
        other = other.strip()
        if key not in self._differing:
            return other
        if ticked is None:
            self.add(key, "Choose a value.")
        elif ticked == OTHER and not other:
            nothing, example = self.hints_of(key)
            self.add(key, f"Enter a value, such as {example}, or choose “–” for {nothing}.")
        elif ticked == OTHER and not self.free:
            self.add(key, f"“{other[:LONGEST_TYPED]}” is no longer among the options. Choose another.")
        elif ticked != OTHER and other and f"{SAYS}{other}" != ticked:
            self.add(
                key,
                f"You entered “{other[:LONGEST_TYPED]}” but chose another option. "
                "Choose “other”, or clear the field.",
            )
        else:
            return other if ticked == OTHER else ticked.removeprefix(SAYS)
        return None

    def add(self, key: str, message: str) -> None:
        """Add an error to a cell."""
        self.errors.setdefault(self.field_name(key), []).append(message)

    def _agreed(self, key: str) -> str:
        return self.text_of(self.payloads[0], key) if self.payloads else ""

    def _typed(self, key: str) -> tuple[str | None, str]:
        """Return the chosen option of a cell, None for none, and the content of its text field."""
        name = self.field_name(key)
        if self._data is not None:
            ticked, other = self._data.get(name), str(self._data.get(f"{name}.{OTHER}", ""))
            if key not in self._differing:
                # If it differed when the page was loaded, the option chosen then applies.
                said = str(ticked or "")
                return OTHER, said.removeprefix(SAYS) if said.startswith(SAYS) and not other else other
            if ticked is None:
                return (OTHER if other.strip() else None), other
            known = {f"{SAYS}{text}" for text in self._texts(key)}
            if ticked != OTHER and ticked not in known:
                return OTHER, other or str(ticked).removeprefix(SAYS)
            return str(ticked), other
        if key not in self._differing:
            return OTHER, self._agreed(key) if self._stored is None else self.text_of(self._stored, key)
        if self._stored is None:
            return None, ""
        text = self.text_of(self._stored, key)
        return (f"{SAYS}{text}", "") if text in self._texts(key) else (OTHER, text)

    def _texts(self, key: str) -> list[str]:
        """Return the options: the annotators' texts in order, and no error."""
        nothing = [""] if self.nothing else []
        return list(dict.fromkeys([*(self.text_of(payload, key) for payload in self.payloads), *nothing]))

    def _cell(self, key: str) -> dict[str, Any]:
        """Return a cell for display; `stored` is the adjudicated value, None without one."""
        ticked, other = self._typed(key)
        nothing, example = self.hints_of(key)
        options = []
        for text in self._texts(key):
            who = [person for person in self.people if self.text_of(person["answer"].payload, key) == text]
            options.append(
                {
                    "value": f"{SAYS}{text}",
                    "text": text.replace(",", ", "),
                    "letters": [person["letter"] for person in who],
                    "codes": [person["code"] for person in who],
                    "ticked": ticked == f"{SAYS}{text}",
                }
            )
        return {
            "key": key,
            "title": self.titles[key],
            "name": self.field_name(key),
            # Without dots, which selectors would read as classes.
            "html_id": f"adjudicate-{key.replace('.', '-')}",
            "nothing": nothing,
            "example": example,
            "options": options,
            "other": other,
            "other_name": f"{self.field_name(key)}.{OTHER}",
            "other_ticked": ticked == OTHER,
            "errors": self.errors.get(self.field_name(key), []),
            "stored": None if self._stored is None else self.text_of(self._stored, key).replace(",", ", "),
        }


def _without_note(payload: Payload) -> Payload:
    return {name: value for name, value in payload.items() if name not in ("note", "tags")}


def _flag_of(payload: Payload) -> str:
    """Return why the annotator flagged the image; empty for no flag."""
    flag = payload.get("flag") or {}
    return ": ".join(filter(None, (FLAG_REASONS.get(flag.get("reason", "")), str(flag.get("note", "")))))


def _headline_of(answer: Annotation) -> str:
    """Return the exact headline as text; empty if there is none."""
    if not answer.ratings or (answer.has_unread_terms and says_nothing(answer.payload)):
        return ""
    value = get_protocol(answer.assignment.batch.protocol).headline_of(answer.ratings)
    return "" if value is None else str(value)
