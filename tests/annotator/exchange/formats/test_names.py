"""Names of generators, prompts and images."""

from __future__ import annotations

import pytest

from annotator.exchange.formats.names import (
    normal_form,
    parted_number,
    printable,
    prompt_of_folder,
    whole_number,
)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("stable_cascade", "stablecascade"),
        ("old_couple_in_sauna", "old couple in sauna"),
        ("Café", "CAFE\u0301"),
        ("STRASSE", "straße"),
    ],
)
def test_spellings_of_one_name(first: str, second: str) -> None:
    assert normal_form(first) == normal_form(second) != ""


@pytest.mark.parametrize(("first", "second"), [("a1", "a2"), ("sdxl", "sd"), ("café", "cafe")])
def test_other_names(first: str, second: str) -> None:
    assert normal_form(first) != normal_form(second)


@pytest.mark.parametrize(("count", "name"), [(29, "à"), (30, "a"), (200_000, "a")])
def test_marks_beyond_any_letter_s_are_dropped_before_they_are_sorted(count: int, name: str) -> None:
    """The grave accent is sorted before the comma above, and only then is one letter with the a."""
    marks = "a" + "\u0315" * count + "\u0300" * count
    assert normal_form(marks) == name


def test_sound_marks_that_become_combining_count_as_such() -> None:
    assert normal_form("か\uff9e") == "が"
    assert normal_form("か" + "\u093c\uff9e" * 100_000) == "が"
    assert normal_form("か" + "\u093c" * 30 + "\uff9e") == "か"


@pytest.mark.parametrize(
    ("name", "start", "number"),
    [
        ("sdxl_hug_01", "sdxl_hug_", 1),
        ("a\n2", "a\n", 2),
        ("sdxl", "sdxl", None),
        ("", "", None),
        ("1" * 1_000_000 + "x", "1" * 1_000_000 + "x", None),
    ],
)
def test_parted_number(name: str, start: str, number: int | None) -> None:
    assert parted_number(name) == (start, number)


def test_prompt_of_folder() -> None:
    assert prompt_of_folder("old_couple__in sauna_") == "old couple in sauna"


NO_NUMBERS = ("", "8.5", "-1", "+1", "1_0", "²", "٣", "１", "2147483648", "9" * 5000, "1e3")


@pytest.mark.parametrize(
    ("text", "number"),
    [("8", 8), (" 08 ", 8), ("8.0", 8), ("0", 0), ("2147483647", 2147483647)]
    + [(text, None) for text in NO_NUMBERS],
)
def test_whole_numbers(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_printable() -> None:
    assert printable("Zoë · “a”\x1b[2J\n\udcff") == "Zoë · “a”\\x1b[2J\\n\\udcff"
