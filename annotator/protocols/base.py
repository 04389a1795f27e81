"""What every answer's form shares, whatever the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from scoring.protocol import Payload, PayloadWarning

LONGEST_NOTE = 2000


@dataclass(frozen=True)
class Difference:
    """One thing that two payloads say differently, in words."""

    title: str
    mine: str
    theirs: str


class AnswerForm(forms.Form):
    """Text inputs to a payload and back; one subclass for each protocol.

    `template_path` draws the inputs, `actions_path` the protocol's own buttons, `result_path` a stored
    answer. Field names are the protocol's own (`InvalidPayload.errors`), so that a refusal lands next to
    what it is about.
    """

    template_path: ClassVar[str]
    actions_path: ClassVar[str]
    result_path: ClassVar[str]
    stylesheet: ClassVar[str]
    reminder: ClassVar[str]
    """What the message line says while there is nothing else to say."""

    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)
    request_key = forms.UUIDField(widget=forms.HiddenInput)
    note = forms.CharField(
        max_length=LONGEST_NOTE, required=False, strip=False, widget=forms.Textarea(attrs={"rows": 4})
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, stored: Payload, **kwargs: Any) -> None:
        """`stored` is the payload the inputs start from; what they cannot express is kept from it."""
        self.stored = stored
        initial = {**self.initial_of(stored), **kwargs.pop("initial", {})}
        super().__init__(data, initial=initial, use_required_attribute=False, **kwargs)
        self.warnings: dict[str, list[str]] = {}

    def initial_of(self, payload: Payload) -> dict[str, Any]:
        """Return the inputs' values for a payload."""
        return {"note": payload.get("note", "")}

    def payload(self) -> Payload:
        """Return the payload typed. What could not be read stays as it was stored: see `errors`."""
        raise NotImplementedError

    def differences(self, mine: Payload, theirs: Payload) -> list[Difference]:
        """Return what two payloads say differently, for a person to choose."""
        raise NotImplementedError

    @classmethod
    def result(cls, payload: Payload) -> Any:
        """Return what `result_path` draws: a stored answer for reading."""
        raise NotImplementedError

    def refuse(self, errors: Mapping[str, list[str]]) -> None:
        """Put a protocol's refusals next to the inputs they are about, all others above the form."""
        for name, messages in errors.items():
            field = name if name in self.fields else None
            self.add_error(field, [ValidationError(message, code="refused") for message in messages])

    def warn(self, warnings: tuple[PayloadWarning, ...]) -> None:
        """Keep a protocol's warnings for drawing, by field."""
        for warning in warnings:
            self.warnings.setdefault(warning.field, []).append(warning.message)

    def short_reasons(self) -> dict[str, str]:
        """Return each refused field's reason in two or three words, for where there is little room."""
        return {name: "Refused" for name in self.errors if name in self.fields}

    def messages(self) -> dict[str, list[str]]:
        """Return what is wrong, by field; the empty name stands for the whole."""
        found = self.errors.as_data().items()
        return {
            "" if name == "__all__" else name: [text for error in errors for text in error.messages]
            for name, errors in found
        }

    def note_typed(self) -> str:
        """Return the note; browsers send line ends as CRLF."""
        return str(self.cleaned_data.get("note", self.stored.get("note", ""))).replace("\r\n", "\n")
