"""A rating form whose items are asked of each of several things that the server gives, such as masks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from scoring.payloads import Refusals, read_list, read_object
from scoring.protocol import Payload, PayloadWarning
from scoring.rating_form.definition import FormDefinition
from scoring.rating_form.protocol import FormAnswers, Rules

MOST_THINGS: Final = 300
MADE_FROM: Final = "made_from"
"""The key of what the things were made from: it changes if they do."""
CHANGED: Final = "changed"
"""The key of the things that have changed since they were judged; it is not stored."""
_KEY: Final = re.compile(r"[A-Za-z]{1,3}[1-9][0-9]{0,2}")
_ANSWERED: Final = ("answers", "note", "flag", "tags")


@dataclass(frozen=True)
class RepeatedAnswers(FormAnswers):
    """The checked content of one annotation; `given` is the part that the server gives."""

    given: Payload = field(default_factory=dict)
    changed: tuple[str, ...] = field(default=(), compare=False)

    @property
    def warnings(self) -> tuple[PayloadWarning, ...]:
        """The things whose answers were dropped, because they have changed."""
        return tuple(
            PayloadWarning(key, CHANGED, f"{key} has changed since you judged it.") for key in self.changed
        )

    def payload(self) -> Payload:
        """Return the canonical payload, ready for JSON."""
        return {**self.given, **super().payload()}


def name_of(thing: str, item: str) -> str:
    """Return the name of an item about a thing, by which its answer is stored: `A1_mask`."""
    return f"{thing}_{item}"


def thing_of(name: str) -> str:
    """Return the key of the thing that an item is about."""
    return name.partition("_")[0]


@dataclass(frozen=True)
class Repeated:
    """The rules of such a form: `things` is the key of their list in the payload, `others` are given, too.

    `beside` are those of the others on which all answers depend. Each thing is an object with a `key` such as
    A1. Only the server writes the given part; what a file has in its place is checked as far as answers need
    it.
    """

    form: FormDefinition
    things: str
    others: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

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
        known_keys = (MADE_FROM, CHANGED, self.things, *self.others, *_ANSWERED)
        said = read_object(payload, known_keys, "", refusals) or {}
        things = self._read_things(said.get(self.things, []), refusals)
        refusals.raise_if_any()
        given = {key: said[key] for key in (MADE_FROM, *self.others) if key in said} | {self.things: things}
        form = self.expanded(given)
        answers = said.get("answers", {})
        if isinstance(answers, dict):
            known = {item.name for item in form.items}
            answers = {name: value for name, value in answers.items() if name in known}
        own = {key: said[key] for key in _ANSWERED if key in said} | {"answers": answers}
        changed = tuple(str(key) for key in read_list(said.get(CHANGED, []), MOST_THINGS, CHANGED, refusals))
        found = Rules(form).clean(own, complete=False)
        checked = RepeatedAnswers(**vars(found), given=given, changed=changed)
        if complete:
            self._refuse_unjudged(checked, refusals)
        refusals.raise_if_any()
        return checked

    def _refuse_unjudged(self, checked: RepeatedAnswers, refusals: Refusals) -> None:
        """Name the things that lack an answer, and those that have changed; there must be a thing."""
        names = [item.name for item in self.form.items if item.required]
        open_ = [
            thing["key"]
            for thing in self.listed(checked.given)
            if any(name_of(thing["key"], name) not in checked.answers for name in names)
        ]
        for warning in checked.warnings if open_ else ():
            refusals.add("", warning.message)
        if open_:
            words = " and ".join(filter(None, [", ".join(open_[:-1]), open_[-1]]))
            refusals.add("", f"Not submitted: {words} {'are' if len(open_) > 1 else 'is'} not judged.")
        elif not checked.answers:
            refusals.add("", "Not submitted: the annotation is empty.")

    def carried(
        self, said: Mapping[str, Any], given: Payload, seen: Callable[[], Mapping[str, Any]]
    ) -> Payload:
        """Return what is given, and of what was `said` the answers about things that have not changed.

        `seen` returns the payload that was judged, if what is said names other things than those given. If
        that is not known, no answer is carried over.
        """
        if said.get(MADE_FROM, given[MADE_FROM]) == given[MADE_FROM]:
            return {**given, CHANGED: []}
        judged = seen()
        known = judged.get(MADE_FROM) == said[MADE_FROM] and all(
            judged.get(key) == given.get(key) for key in self.beside
        )
        before = {thing["key"]: thing for thing in self.listed(judged)}
        same = {thing["key"] for thing in self.listed(given) if known and before.get(thing["key"]) == thing}
        answers = said.get("answers")
        answered = answers if isinstance(answers, dict) else {}
        kept = {name: value for name, value in answered.items() if thing_of(name) in same}
        dropped = {thing_of(name) for name in answered if name not in kept}
        changed = [thing["key"] for thing in self.listed(given) if thing["key"] in dropped]
        return {**given, "answers": kept, CHANGED: changed}

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
