"""Which images the filters leave out, and why."""

from __future__ import annotations

import pytest

from scoring.data_sets.filters import Detected, Filters, InvalidFilter, holds_one, words_of

FINE = Detected(3, 3, 0.98, 0.8999)


@pytest.mark.parametrize(
    ("found", "reasons"),
    [
        (FINE, ()),
        (None, ()),
        (Detected(), ()),
        (Detected(4, 3, 0.98, 0.0), ("persons",)),
        (Detected(3, 4, 0.98, 0.0), ("classes",)),
        (Detected(1, 1, 0.9799, 0.0), ("confidence",)),
        (Detected(1, 1, 0.98, 0.9), ("moderation",)),
        (Detected(9, 9, 0.0, 1.0), ("persons", "classes", "confidence", "moderation")),
    ],
)
def test_the_published_limits_are_the_defaults(found: Detected | None, reasons: tuple[str, ...]) -> None:
    assert Filters().reasons(found, "a cat") == reasons


def test_words_are_whole_words_in_any_case() -> None:
    asked = Filters(words=("person", "woman", "man", "girl", "boy", "child"))
    assert asked.reasons(FINE, "A Woman, leading a horse") == ()
    assert asked.reasons(FINE, "a snowman and a mandolin") == ("words",)
    assert asked.reasons(FINE, "a snowman", real=True) == ()
    assert holds_one("das Mädchen", ["MÄDCHEN"])


def test_words_from_a_text() -> None:
    assert words_of(" Person, woman;man\nman ") == ("person", "woman", "man")
    assert words_of("") == ()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("most_persons", -1),
        ("most_classes", 1001),
        ("least_confidence", float("nan")),
        ("moderation_from", 1.5),
        ("words", ("a b",)),
        ("words", tuple(f"w{n}" for n in range(51))),
    ],
)
def test_limits_that_cannot_be_used(field: str, value: object) -> None:
    with pytest.raises(InvalidFilter) as refused:
        Filters(**{field: value})  # type: ignore[arg-type]
    assert refused.value.field == field


def test_json_keeps_everything() -> None:
    asked = Filters(1, 2, 0.5, 0.25, ("girl",))
    assert Filters.from_json(asked.as_json()) == asked
    assert Filters.from_json({}) == Filters()
