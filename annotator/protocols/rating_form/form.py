"""The annotation form of a rating form: one fieldset per item, of native inputs."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from django import forms

from annotator.protocols.base import AnnotationForm, Difference
from scoring.payloads import LONGEST_TEXT
from scoring.protocol import Payload
from scoring.rating_form.definition import CANNOT_JUDGE, NO, YES, FormDefinition, Item, word_of

CANNOT: Final = "Cannot judge"


@dataclass(frozen=True)
class ShownChoice:
    """A radio button or checkbox: its value and key, what stands large and small on it, its state."""

    value: str
    key: str
    head: str
    text: str
    chosen: bool


@dataclass(frozen=True)
class ShownItem:
    """One item for display. `parent` and `because` are the question and the answers after which it is asked,
    empty for always. `cannot` says whether “cannot judge” is ticked.
    """

    item: Item
    name: str
    choices: list[ShownChoice]
    value: str
    errors: list[str]
    parent: str
    because: str
    cannot: bool

    @property
    def html_id(self) -> str:
        """An id without dots, which selectors would read as classes."""
        return f"item-{self.item.name}"


def field_name(item: Item) -> str:
    """Return the name of an item's input, which is the path of its answer in the payload."""
    return f"answers.{item.name}"


def keys_of(item: Item) -> dict[str, str]:
    """Return the key of each choice: 1 for yes and 0 for no, the digit of a point, a letter, else its place.

    0 is the tenth, and a point of 10. What has no key is chosen with arrows or the pointer.
    """
    if item.kind == "yes_no":
        return {YES: "1", NO: "0"}
    points = [point for point, _ in item.points]
    own = points if points and points[0] >= 0 and points[-1] <= 10 else range(1, len(item.choices) + 1)
    digits = [str(number % 10) if number < 10 or (number == 10 and 0 not in own) else "" for number in own]
    letters = item.letters or [""] * len(digits)
    return {
        choice: letter or digit for choice, letter, digit in zip(item.choices, letters, digits, strict=True)
    }


def script_config(form: FormDefinition) -> dict[str, Any]:
    """Return the items as the page's script reads them, and what its help reminds of."""
    return {
        "items": [_for_script(item) for item in form.items],
        "reminders": [form.instructions or form.title],
    }


def _for_script(item: Item) -> dict[str, Any]:
    keys = keys_of(item)
    cannot = [(CANNOT_JUDGE, CANNOT, "u")] if item.cannot_judge else []
    texts = {word: item.text_of(answer) for word, (answer, _) in item.choices.items()}
    when = item.when and {"item": item.when.item, "is": [word_of(answer) for answer in item.when.answers]}
    return {
        "choices": [*((value, text, keys[value]) for value, text in texts.items()), *cannot],
        "bounds": (item.least, item.most, item.step),
        "when": when,
        **{key: getattr(item, key) for key in ("name", "kind", "title", "help", "required")},
    }


def _field(item: Item) -> forms.Field:
    unknown = {"invalid_choice": f"Refused: “%(value)s” is not an answer to “{item.title}”."}
    choices = [(key, label or key) for key, (_, label) in item.choices.items()]
    if item.kind == "several":
        return forms.MultipleChoiceField(choices=choices, required=False, error_messages=unknown)
    if item.kind == "number":
        return forms.CharField(required=False, max_length=20)
    if item.kind == "text":
        return forms.CharField(required=False, max_length=LONGEST_TEXT)
    cannot = [(CANNOT_JUDGE, CANNOT)] if item.cannot_judge else []
    return forms.ChoiceField(choices=[*choices, *cannot], required=False, error_messages=unknown)


class ItemsForm(AnnotationForm):
    """The items of `definition` and a note. Keeps the flag of a stored payload."""

    template_path = "annotator/labelling/rating_form.html"
    actions_path = "annotator/labelling/rating_form_actions.html"
    result_path = "annotator/labelling/rating_form_result.html"
    stylesheet = "css/labelling/rating-form.css"
    hint = ""

    definition: FormDefinition

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.ordered = self.definition.items

    def arrange(self, annotator: int) -> None:
        """Order a shuffled form for an annotator, by id; conditional items follow their parent."""
        if self.definition.order != "shuffled":
            return

        def place(item: Item) -> tuple[str, bool]:
            first = item.when.item if item.when else item.name
            text = f"{self.definition.slug}:{annotator}:{first}"
            return sha256(text.encode()).hexdigest(), item.when is not None

        self.ordered = tuple(sorted(self.definition.items, key=place))

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the texts of the stored answers, and the note."""
        typed = super().initial_of(payload)
        for item in self.definition.items:
            name, answer = field_name(item), payload.get("answers", {}).get(item.name)
            typed[name] = answer if item.kind == "several" else word_of(answer)
            if _has_box(item) and answer == CANNOT_JUDGE:
                typed |= {name: "", f"{name}.cannot": True}
        return typed

    def payload(self) -> Payload:
        """Return the stored payload updated with the input; invalid inputs keep their stored answers."""
        stored = self.stored.get("answers", {})
        answers = {
            item.name: self._answer(item) if field_name(item) in self.cleaned_data else stored.get(item.name)
            for item in self.definition.items
        }
        given = {name: answer for name, answer in answers.items() if answer not in (None, "", [])}
        return {**self.stored, "answers": given, "note": self.note_typed()}

    def _answer(self, item: Item) -> Any:
        if self.cleaned_data.get(f"{field_name(item)}.cannot"):
            return CANNOT_JUDGE
        said = self.cleaned_data[field_name(item)]
        if item.kind == "text":
            return said.replace("\r\n", "\n")
        if item.kind in {"number", "several"} or said in ("", CANNOT_JUDGE):
            return said
        return item.choices[said][0]

    def differences(self, mine: Payload, theirs: Payload) -> list[Difference]:
        """Return the items and the note that differ."""
        rows = [
            Difference(
                item.title, *(item.text_of(one.get("answers", {}).get(item.name)) for one in (mine, theirs))
            )
            for item in self.definition.items
        ]
        rows.append(Difference("Note", *(str(one.get("note", "")) for one in (mine, theirs))))
        return [row for row in rows if row.mine != row.theirs]

    @classmethod
    def result(cls, payload: Payload) -> Any:
        """Return the questions with their answers in words, without those not answered."""
        answers = payload.get("answers", {})
        items = [item for item in cls.definition.items if item.name in answers]
        return [(item.title, item.text_of(answers[item.name])) for item in items]

    def asked(self) -> list[ShownItem]:
        """Return the items for display, in the annotator's order."""
        messages = self.messages() if self.is_bound else {}
        return [self._shown(item, messages.get(field_name(item), [])) for item in self.ordered]

    def _shown(self, item: Item, errors: list[str]) -> ShownItem:
        name = field_name(item)
        value = self[name].value() or ("" if item.kind != "several" else [])
        chosen, keys = value if isinstance(value, list) else [value], keys_of(item)
        choices = [
            ShownChoice(value, keys[value], value if item.kind == "scale" else "", label, value in chosen)
            for value, (_, label) in item.choices.items()
        ]
        cannot = f"{name}.cannot" in self.fields and bool(self[f"{name}.cannot"].value())
        cannot = cannot or CANNOT_JUDGE in chosen
        return ShownItem(item, name, choices, str(value), errors, *self._condition(item), cannot)

    def _condition(self, item: Item) -> tuple[str, str]:
        if item.when is None:
            return "", ""
        parent = next(one for one in self.definition.items if one.name == item.when.item)
        return parent.title, " or ".join(parent.text_of(answer) for answer in item.when.answers)


def _has_box(item: Item) -> bool:
    """Whether “cannot judge” is a box beside the input."""
    return item.kind == "number" and item.cannot_judge


def inputs_of(definition: FormDefinition) -> dict[str, forms.Field]:
    """Return the inputs of a definition by name."""
    inputs: dict[str, forms.Field] = {field_name(item): _field(item) for item in definition.items}
    boxes = [f"{field_name(item)}.cannot" for item in definition.items if _has_box(item)]
    return inputs | {name: forms.BooleanField(required=False) for name in boxes}


def form_class(definition: FormDefinition) -> type[ItemsForm]:
    """Return the form of a definition."""
    reminder = definition.instructions or definition.title
    return type(
        "RatingForm", (ItemsForm,), {**inputs_of(definition), "definition": definition, "reminder": reminder}
    )
