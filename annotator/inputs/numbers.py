"""Numbers as people type them: ASCII digits. Python also reads “1_0” and “１２”, which are mistakes."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.core.exceptions import ValidationError

from annotator.inputs.refusal import WrongCell

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE: Final = re.compile(r"[0-9]{1,9}")


def decimal(text: str) -> float | None:
    """Return a finite number, also with a decimal comma; None for anything else."""
    plain = text.strip().replace(",", ".")
    number = float(plain) if _NUMBER.fullmatch(plain) else None
    return number if number is not None and isfinite(number) else None


def whole_cell(column: str, text: str, least: int, most: int) -> int | None:
    """Return the whole number in a cell of a file, None for an empty one; raises WrongCell."""
    if not text.strip():
        return None
    if not _WHOLE.fullmatch(text.strip()) or not least <= int(text) <= most:
        raise WrongCell(column, f"“{text.strip()[:40]}” is not a whole number from {least} to {most:,}")
    return int(text)


if TYPE_CHECKING:
    _Field = forms.Field
else:
    _Field = object


class _InAscii(_Field):
    """A field of a number that refuses other digits, and underscores between digits."""

    def to_python(self, value: Any) -> Any:
        """Return the number; raise ValidationError for anything else."""
        if isinstance(value, str) and (not value.strip().isascii() or "_" in value):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


class IntegerField(_InAscii, forms.IntegerField):
    """Django's field, with ASCII digits only."""


class FloatField(_InAscii, forms.FloatField):
    """Django's field, with ASCII digits only."""


class DecimalField(_InAscii, forms.DecimalField):
    """Django's field, with ASCII digits only."""
