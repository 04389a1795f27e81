"""The definition of a rating form: a lead's questions about one image, as data.

`annotator.protocols.rating_form.checking` checks definitions before they are stored; this module trusts them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final

from scoring.protocol import PREFIX

CANNOT_JUDGE: Final = "cannot_judge"
MEAN: Final = "mean"
"""The headline of a form whose images are compared by the mean of its scales."""
OVERALL: Final = "overall"
YES: Final = "yes"
NO: Final = "no"
_DIGITS: Final = 12


@dataclass(frozen=True)
class Condition:
    """An earlier item that is always asked, and the answers after which the item is asked."""

    item: str
    answers: tuple[Any, ...]


@dataclass(frozen=True)
class Item:
    """One question. `kind` is scale, yes_no, choice, several, number or text.

    `points` are (number, label) of a scale in ascending order; `options` (key, label) of choice and several;
    `least`, `most` and `step` are decimal texts of a number; `ends` are the words at the ends of its slider.
    `better` is high, low or empty. `cannot_judge` offers to say so; such an answer has no value.
    """

    name: str
    kind: str
    title: str
    help: str = ""
    required: bool = False
    cannot_judge: bool = False
    better: str = ""
    points: tuple[tuple[int, str], ...] = ()
    options: tuple[tuple[str, str], ...] = ()
    least: str = ""
    most: str = ""
    step: str = "1"
    slider: bool = False
    ends: tuple[str, ...] = ()
    when: Condition | None = None

    @property
    def choices(self) -> dict[str, tuple[Any, str]]:
        """The stored answer and the label of each choice, by its text in a form; empty without choices."""
        if self.kind == "scale":
            return {str(point): (point, label) for point, label in self.points}
        if self.kind == "yes_no":
            return {YES: (True, "Yes"), NO: (False, "No")}
        return {key: (key, label) for key, label in self.options}

    @property
    def words(self) -> dict[str, Any]:
        """The stored answers by the texts that mean them, in small letters: keys, labels, cannot judge."""
        found = {text: answer for text, (answer, _) in self.choices.items()}
        found |= {label.casefold(): answer for answer, label in self.choices.values() if label}
        return found | (
            dict.fromkeys((CANNOT_JUDGE, "cannot judge"), CANNOT_JUDGE) if self.cannot_judge else {}
        )

    @property
    def is_number(self) -> bool:
        """Whether images can be compared by it: a scale, a number, yes or no, or a choice of two."""
        two = self.kind == "choice" and len(self.options) == 2
        return self.kind in {"scale", "number", "yes_no"} or two

    def text_of(self, answer: object) -> str:
        """Return an answer in words; empty for none."""
        if answer == CANNOT_JUDGE and self.kind != "text":
            return "Cannot judge"
        if isinstance(answer, list):
            return "; ".join(self.choices[key][1] for key in answer)
        value, label = self.choices.get(word_of(answer), (answer, ""))
        words = f"{value} {label}".strip() if self.kind == "scale" else label
        return "" if answer is None else words or str(value)


@dataclass(frozen=True)
class FormDefinition:
    """A rating form. `headline` is the name of an item or `mean`; `order` is fixed or shuffled.

    `prompt` is shown, hidden or batch: whatever the batch says. `adjudicate`: a lead decides images on which
    answers differ; otherwise all answers count.
    """

    name: str
    title: str
    headline: str
    items: tuple[Item, ...]
    instructions: str = ""
    order: str = "fixed"
    prompt: str = "batch"
    adjudicate: bool = False

    @property
    def keys(self) -> int:
        """The fewest keys that an image takes: one for each item that must be answered, and Enter.

        A single scale, yes or no, or choice submits with its answer.
        """
        if [item.kind for item in self.items] in (["scale"], ["yes_no"], ["choice"]):
            return 1
        return sum(item.required and item.when is None for item in self.items) + 1

    def as_json(self) -> dict[str, Any]:
        """Return the definition as JSON: order, prompt, and all else that differs from its default."""
        found: dict[str, Any] = json.loads(self.canonical)
        return found

    @property
    def canonical(self) -> bytes:
        """The bytes that its slug digests: JSON in UTF-8, keys sorted, without spaces."""
        said = asdict(self, dict_factory=_differing)
        return json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

    @property
    def slug(self) -> str:
        """The slug of its protocol: its name and the first digits of the SHA-256 of the definition."""
        return f"{PREFIX}{self.name}-{sha256(self.canonical).hexdigest()[:_DIGITS]}"


def _differing(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return what is neither empty nor 1, the usual step."""
    return {
        "is" if key == "answers" else key: value
        for key, value in pairs
        if value not in (None, "", (), False) and (key, value) != ("step", "1")
    }


def definition_of(data: Mapping[str, Any]) -> FormDefinition:
    """Return the definition of checked JSON, the inverse of `FormDefinition.as_json`."""
    items = (Item(**{key: _read(value) for key, value in item.items()}) for item in data["items"])
    return FormDefinition(**{**data, "items": tuple(items)})


def _read(value: Any) -> Any:
    """Return lists as tuples, and the one object of an item as a condition."""
    if isinstance(value, Mapping):
        return Condition(value["item"], tuple(value["is"]))
    return tuple(map(_read, value)) if isinstance(value, list | tuple) else value


def word_of(answer: object) -> str:
    """Return a stored answer as inputs and cells have it; empty for none."""
    if isinstance(answer, bool):
        return YES if answer else NO
    if isinstance(answer, list):
        return "; ".join(answer)
    return "" if answer is None else str(answer)
