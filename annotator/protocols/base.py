"""The base of the annotation forms of all protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet

from annotator.inputs.numbers import IntegerField
from annotator.models import Image
from scoring.protocol import Payload, PayloadWarning

LONGEST_NOTE = 2000


@dataclass(frozen=True)
class Difference:
    """One difference between two payloads, as text."""

    title: str
    mine: str
    theirs: str


@dataclass(frozen=True)
class Suggested:
    """What may be suggested of an image under a protocol: the `columns` of a row, and what is made of it.

    `read` takes the texts of a row and what `about` knows of its image, by primary key, and raises WrongCell.
    `reader` reads the files, which must have all columns if `complete`. `unlikely` says what is stored all
    the same, `drawn` what a preview shows.
    """

    kind: str
    columns: tuple[str, ...]
    read: Callable[[Mapping[str, str], Any], Payload]
    reader: str = "counts"
    complete: bool = False
    about: Callable[[QuerySet[Image]], Mapping[int, Any]] = lambda _: {}
    unlikely: Callable[[Payload], str] = lambda _: ""
    drawn: Callable[[Payload], Payload] = lambda payload: payload


@dataclass(frozen=True)
class Question:
    """A warning that the annotator confirms, or corrects, before the form submits.

    `name` identifies the warning and its numbers, `field` the cell as in the capture's `confirmed`.
    """

    name: str
    field: str
    text: str
    html_id: str


@dataclass(frozen=True)
class ShownCounts:
    """The people of an image, and in each of `rows` a title and the counts of `parts`; None: not entered."""

    people: int | None
    parts: list[str]
    rows: list[tuple[str, list[int | None]]]


class AnnotationForm(forms.Form):
    """Convert inputs to a payload and back; one subclass per protocol.

    `template_path` draws the inputs, `actions_path` the protocol's buttons, `result_path` a stored
    annotation. Field names match the protocol's (`InvalidPayload.errors`), so that each error appears at its
    input.
    """

    template_path: ClassVar[str]
    actions_path: ClassVar[str]
    result_path: ClassVar[str]
    stylesheet: ClassVar[str]
    reminder: ClassVar[str]
    """The default text of the message line."""
    hint: ClassVar[str] = "Judge at first glance, and judge the image, not the prompt."
    """What stands below the image."""

    version = IntegerField(min_value=0, widget=forms.HiddenInput)
    request_key = forms.UUIDField(widget=forms.HiddenInput)
    note = forms.CharField(
        max_length=LONGEST_NOTE, required=False, strip=False, widget=forms.Textarea(attrs={"rows": 4})
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, stored: Payload, **kwargs: Any) -> None:
        """Start from the payload `stored`, which also keeps what the inputs cannot express."""
        self.stored = stored
        initial = {**self.initial_of(stored), **kwargs.pop("initial", {})}
        super().__init__(data, initial=initial, use_required_attribute=False, **kwargs)
        self.warnings: dict[str, list[str]] = {}
        self.questions: list[Question] = []

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the input values for a payload."""
        return {"note": payload.get("note", "")}

    def define(self, own: Mapping[str, str]) -> None:
        """Show a project's definitions in place of ours, by the names of error types and body parts."""
        for name in ("error_type_definitions", "body_part_definitions"):
            ours = getattr(self, name, ())
            setattr(self, name, [(key, title, own.get(key, text)) for key, title, text in ours])

    def arrange(self, annotator: int) -> None:
        """Order the inputs for an annotator, by id; most protocols have one order."""

    def payload(self) -> Payload:
        """Return the entered payload. Invalid inputs keep their stored values: see `errors`."""
        raise NotImplementedError

    def questions_about(self, _warnings: tuple[PayloadWarning, ...]) -> list[Question]:
        """Return what the annotator must confirm before submitting."""
        return []

    def without_marks(self) -> Payload:
        """Return the entered payload with "no errors" instead of its marks, if the protocol has any."""
        return self.payload()

    def words(self, payload: Payload) -> list[tuple[str, str]]:
        """Return the parts of a payload but its note as titles, the same of every payload, and texts."""
        raise NotImplementedError

    def differences(self, mine: Payload, theirs: Payload) -> list[Difference]:
        """Return the differences between two payloads, for the annotator to choose."""
        ours, others = ([*self.words(said), ("Note", str(said.get("note", "")))] for said in (mine, theirs))
        both = zip(ours, others, strict=True)
        return [Difference(title, text, other) for (title, text), (_, other) in both if text != other]

    @classmethod
    def result(cls, payload: Payload) -> Any:
        """Return the context of `result_path`: a stored annotation for display."""
        raise NotImplementedError

    @classmethod
    def counts_of(cls, _payload: Payload) -> ShownCounts | None:
        """Return the people and body parts counted, for display; None if the protocol counts none."""
        return None

    def refuse(self, errors: Mapping[str, list[str]]) -> None:
        """Add a protocol's errors to their inputs, and all others to the form."""
        for name, messages in errors.items():
            field = name if name in self.fields else None
            self.add_error(field, [ValidationError(message, code="refused") for message in messages])

    def warn(self, warnings: tuple[PayloadWarning, ...]) -> None:
        """Store a protocol's warnings by field."""
        for warning in warnings:
            self.warnings.setdefault(warning.field, []).append(warning.message)

    def short_reasons(self) -> dict[str, str]:
        """Return the reason for each invalid field in two or three words."""
        return {name: "Refused" for name in self.errors if name in self.fields}

    def messages(self) -> dict[str, list[str]]:
        """Return the error messages by field; the empty name is the form as a whole."""
        errors_by_field = self.errors.as_data().items()
        return {
            "" if name == "__all__" else name: [text for error in errors for text in error.messages]
            for name, errors in errors_by_field
        }

    def note_typed(self) -> str:
        """Return the note, with the browser's CRLF converted to LF."""
        return str(self.cleaned_data.get("note", self.stored.get("note", ""))).replace("\r\n", "\n")
