"""What is refused in words for people carries a code for programs: pages show it as `data-code`."""

from __future__ import annotations

from django.core.exceptions import ValidationError


class Refusal(Exception):
    """Something that is not done; the text says why and what to do, `code` which of the reasons it is."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


def as_form_error(refusal: Refusal) -> ValidationError:
    """Return what a form shows of a refusal."""
    return ValidationError(str(refusal), refusal.code)
