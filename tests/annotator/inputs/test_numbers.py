"""What is a number, in a table and in a form."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from annotator.inputs.numbers import DecimalField, FloatField, IntegerField, decimal


@pytest.mark.parametrize(
    ("text", "number"), [("1", 1), (" 1,5 ", 1.5), ("-.5", -0.5), ("1e3", 1000), ("2.", 2), ("+0.1", 0.1)]
)
def test_numbers(text: str, number: float) -> None:
    assert decimal(text) == number


@pytest.mark.parametrize("text", ["1_0", "１２", "٣", "", "nan", "inf", "1e999", "1.2.3", "0x1", "1 0"])
def test_what_is_none(text: str) -> None:
    assert decimal(text) is None


@pytest.mark.parametrize("kind", [IntegerField, FloatField, DecimalField])
def test_fields_refuse_other_digits(kind: type[IntegerField]) -> None:
    assert kind().clean(" 12 ") == 12
    for text in ("1_0", "１２"):
        with pytest.raises(ValidationError) as refused:
            kind().clean(text)
        assert refused.value.code == "invalid" or refused.value.error_list[0].code == "invalid"
