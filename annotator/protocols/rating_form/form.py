"""The annotation form of a rating form: one fieldset per item, of native inputs."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django import forms

from annotator.protocols.base import AnnotationForm
from scoring.payloads import LONGEST_TEXT
from scoring.protocol import Payload
from scoring.rating_form.definition import CANNOT_JUDGE, NO, YES, Condition, FormDefinition, Item, word_of


def field_name(item: Item) -> str:
    """Return the name of an item's input, which is the path of its answer in the payload."""
    return f"answers.{item.name}"


def keys_of(item: Item) -> dict[str, str]:
    """Return the key of each choice: 1 for yes and 0 for no, the digit of a point, else its place.

    0 is the tenth, and a point of 10. What has no key is chosen with arrows or the pointer.
    """
    if item.kind == "yes_no":
        return {YES: "1", NO: "0"}
    points = [point for point, _ in item.points]
    own = points if points and points[0] >= 0 and points[-1] <= 10 else range(1, len(item.choices) + 1)
    digits = [str(number % 10) if number < 10 or (number == 10 and 0 not in own) else "" for number in own]
    return dict(zip(item.choices, digits, strict=True))


def script_config(form: FormDefinition) -> dict[str, Any]:
    """Return what the help of the page's script reminds of; it reads the items from the plain form."""
    return {"reminders": [form.instructions or form.title]}


def inputs_of(definition: FormDefinition) -> dict[str, forms.Field]:
    """Return the inputs of a definition by name; the protocol alone tells which answers are valid."""
    return {
        field_name(item): forms.Field(required=False, widget=forms.SelectMultiple)
        if item.kind == "several"
        else forms.CharField(required=False, max_length=LONGEST_TEXT)
        for item in definition.items
    }


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
        stored = payload.get("answers", {})
        answers = ((item, stored.get(item.name)) for item in self.definition.items)
        typed = {
            field_name(item): answer if item.kind == "several" else word_of(answer)
            for item, answer in answers
        }
        return {**super().initial_of(payload), **typed}

    def payload(self) -> Payload:
        """Return the stored payload updated with the input; invalid inputs keep their stored answers."""
        answers = dict(self.stored.get("answers", {}))
        for item in self.definition.items:
            if (said := self.cleaned_data.get(field_name(item))) is not None:
                answers[item.name] = said if item.kind == "several" else _stored(item, said)
        given = {name: answer for name, answer in answers.items() if answer not in ("", [])}
        return {**self.stored, "answers": given, "note": self.note_typed()}

    def words_of(self, payload: Payload) -> list[tuple[str, str]]:
        """Return the items and the note."""
        answers = payload.get("answers", {})
        words = [(item.title, item.text_of(answers.get(item.name))) for item in self.definition.items]
        return [*words, *super().words_of(payload)]

    @classmethod
    def result(cls, payload: Payload) -> Any:
        """Return the questions with their answers in words, without those not answered."""
        answers = payload.get("answers", {})
        items = [item for item in cls.definition.items if item.name in answers]
        return [(item.title, item.text_of(answers[item.name])) for item in items]

    def asked(self) -> list[dict[str, Any]]:
        """Return the items for display, in the annotator's order, with their choices and what is chosen.

        `parent` and `because` are the question and the answers after which an item is asked.
        """
        messages = self.messages() if self.is_bound else {}
        return [self._shown(item) | {"errors": messages.get(field_name(item), [])} for item in self.ordered]

    def _shown(self, item: Item) -> dict[str, Any]:
        value, keys = self[field_name(item)].value() or "", keys_of(item)
        chosen = value if isinstance(value, list) else [value]
        when = item.when or Condition("", ())
        parents = [other for other in self.definition.items if other.name == when.item]
        because = [parent.text_of(answer) for parent in parents for answer in when.answers]
        return {
            "item": item,
            "name": field_name(item),
            # Selectors would read the dot of the name as a class.
            "html_id": f"item-{item.name}",
            "value": value,
            "cannot": CANNOT_JUDGE in chosen,
            "choices": [
                {"value": text, "key": keys[text], "text": label, "chosen": text in chosen}
                for text, (_, label) in item.choices.items()
            ],
            "parent": "".join(parent.title for parent in parents),
            "because": " or ".join(because),
            "is": " ".join(map(word_of, when.answers)),
        }


def _stored(item: Item, said: str) -> Any:
    """Return the answer that a text means; as it is if it means none."""
    return item.choices.get(said, (said.replace("\r\n", "\n"), ""))[0]


def form_class(definition: FormDefinition) -> type[ItemsForm]:
    """Return the form of a definition."""
    reminder = definition.instructions or definition.title
    declared = {**inputs_of(definition), "definition": definition, "reminder": reminder}
    return type("RatingForm", (ItemsForm,), declared)
