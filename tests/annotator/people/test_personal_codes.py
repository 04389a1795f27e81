"""Codes that look like a name or an e-mail address."""

from __future__ import annotations

import pytest

from annotator.people.personal_codes import looks_personal


@pytest.mark.parametrize(
    "code", ["maria", "Maria", "Jane Doe", "j.smith", "jane_doe", "José", "王芳", "Ольга"]
)
def test_names(code: str) -> None:
    assert looks_personal(code) == "name"


@pytest.mark.parametrize("code", ["a@example.org", "maria@lab"])
def test_addresses(code: str) -> None:
    assert looks_personal(code) == "e-mail"


@pytest.mark.parametrize(
    "code",
    [
        "ann1",
        "anno4",
        "p01",
        "A",
        "AB",
        "lead",
        "lead-a",
        "Reviewer 2",
        "coder b",
        "participant no. 3",
        "7",
        "=x",
    ],
)
def test_other_codes(code: str) -> None:
    assert looks_personal(code) == ""


def test_a_known_name_is_one_with_digits_too() -> None:
    assert looks_personal("maria84", ["Maria84"]) == "name"
    assert looks_personal("lead", ["lead"]) == ""
    assert looks_personal("p1", ["p1", ""]) == looks_personal("ann2", ["ann2"]) == ""
