"""A rating form whose items are asked of each of several things that the server gives, such as masks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from scoring.payloads import Refusals, read_list, read_object
from scoring.protocol import CheckedAnnotation, Payload
from scoring.rating_form.definition import FormDefinition
from scoring.rating_form.protocol import FormAnswers, Rules

MOST_THINGS: Final = 300
MADE_FROM: Final = "made_from"
"""The key of what the things were made from: it changes if they do."""
_KEY: Final = re.compile(r"[A-Za-z]{1,3}[1-9][0-9]{0,2}")
_ANSWERED: Final = ("answers", "note", "flag", "tags")


@dataclass(frozen=True)
class RepeatedAnswers(FormAnswers):
    """The checked content of one annotation; `given` is the part that the server gives."""

    given: Payload = field(default_factory=dict)

    def payload(self) -> Payload:
        """Return the canonical payload, ready for JSON."""
        return {**self.given, **super().payload()}


def name_of(thing: str, item: str) -> str:
    """Return the name of an item about a thing, by which its answer is stored: `A1_mask`."""
    return f"{thing}_{item}"


@dataclass(frozen=True)
class Repeated:
    """The rules of such a form: `things` is the key of their list in the payload, `others` are given, too.

    Each thing is an object with a `key` such as A1. Only the server writes the given part; what a file has in
    its place is checked as far as answers need it.
    """

    form: FormDefinition
    things: str
    others: tuple[str, ...] = ()

    def listed(self, payload: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the things of a payload."""
        return list(payload.get(self.things, ()))

    def expanded(self, payload: Mapping[str, Any]) -> FormDefinition:
        """Return the form with its items repeated for each thing of a payload."""
        items = [
            replace(item, name=name_of(thing["key"], item.name), title=f"{thing['key']}: {item.title}")
            for thing in self.listed(payload)
            for item in self.form.items
        ]
        return replace(self.form, items=tuple(items))

    def clean(self, payload: object, *, complete: bool = True) -> RepeatedAnswers:
        """Return the checked annotation of a payload; raises only InvalidPayload, as a rating form's.

        Answers about things that are no longer given are dropped.
        """
        refusals = Refusals()
        said = read_object(payload, (MADE_FROM, self.things, *self.others, *_ANSWERED), "", refusals) or {}
        things = self._read_things(said.get(self.things, []), refusals)
        refusals.raise_if_any()
        given = {key: said[key] for key in (MADE_FROM, *self.others) if key in said} | {self.things: things}
        form = self.expanded(given)
        answers = said.get("answers", {})
        if isinstance(answers, dict):
            known = {item.name for item in form.items}
            answers = {name: value for name, value in answers.items() if name in known}
        own = {key: said[key] for key in _ANSWERED if key in said} | {"answers": answers}
        found = Rules(form).clean(own, complete=complete)
        return RepeatedAnswers(found.answers, found.flag, found.note, found.tags, given=given)

    def _read_things(self, value: object, refusals: Refusals) -> Sequence[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for entry in read_list(value, MOST_THINGS, self.things, refusals):
            key = entry.get("key") if isinstance(entry, dict) else None
            if not isinstance(entry, dict) or not isinstance(key, str) or not _KEY.fullmatch(key):
                refusals.add(self.things, "Refused: expected objects with a key such as A1.")
            elif any(each["key"] == key for each in found):
                refusals.add(self.things, f"Refused: two have the key {key}.")
            else:
                found.append(entry)
        return found

    def answers_of(self, payload: Mapping[str, Any], item: str) -> dict[str, Any]:
        """Return the answers to one item, by the key of the thing; None where there is none."""
        answers = payload.get("answers", {})
        return {thing["key"]: answers.get(name_of(thing["key"], item)) for thing in self.listed(payload)}

    def empty(self) -> Payload:
        """Return the payload of an untouched draft, before the server has given its part."""
        return self.clean({}, complete=False).payload()


def given_by(answer: CheckedAnnotation) -> RepeatedAnswers:
    """Return an annotation as one of such a form; raises TypeError for another's."""
    if not isinstance(answer, RepeatedAnswers):
        raise TypeError(f"not an annotation of given things: {type(answer).__name__}")
    return answer
