"""Refusals: a message for people and a code for programs, which pages show as `data-code`."""

from __future__ import annotations

from django.core.exceptions import ValidationError


class Refusal(Exception):
    """A refused action; the text names the cause and the remedy, `code` identifies the cause."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


def as_form_error(refusal: Refusal) -> ValidationError:
    """Return a refusal as a form error."""
    return ValidationError(str(refusal), refusal.code)


class WrongCell(ValueError):
    """A row of a file that cannot be used for what `column` holds."""

    def __init__(self, column: str, reason: str) -> None:
        super().__init__(reason)
        self.column = column
        self.reason = reason
