"""Read untrusted JSON: each reader returns a usable value and records refusals.

The readers never raise. The caller reads everything, so that all faults of a payload are reported
together, and then calls `Refusals.raise_if_any`.
"""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from scoring.protocol import InvalidPayload

LONGEST_TEXT: Final = 2000
FLAG_REASONS: Final[Mapping[str, str]] = {
    "no_body": "No human body",
    "broken": "Image broken",
    "cannot_judge": "Cannot be judged",
    "distressing": "Distressing",
    "ambiguous": "Ambiguous, needs discussion",
    "other": "Other, see note",
}
"""Why an image is flagged or skipped, for every protocol, in words and in the order of the keys 1 to 6."""
LAST_TAG: Final = 30
"""The greatest number of a tag, so that a 32-bit integer holds a bit for each."""
_NAMED_KEYS: Final = 5
_SHOWN_CHARACTERS: Final = 40


class Refusals:
    """The messages collected so far, by field."""

    def __init__(self) -> None:
        self._errors: dict[str, list[str]] = {}

    def add(self, field: str, message: str) -> None:
        """Record a refusal; a repeated message is kept once per field."""
        messages = self._errors.setdefault(field, [])
        if message not in messages:
            messages.append(message)

    def raise_if_any(self) -> None:
        """Raise InvalidPayload with all recorded refusals."""
        if self._errors:
            raise InvalidPayload(self._errors)


def shown(value: object) -> str:
    """Return a foreign text for use in a message: shortened, and safe to encode and store."""
    text = value if isinstance(value, str) else type(value).__name__
    clipped = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    printable = "".join(character if character.isprintable() else "�" for character in clipped)
    return f"“{printable}”"


def read_object(
    value: object, known: Collection[str], field: str, refusals: Refusals
) -> dict[str, object] | None:
    """Return the known keys of an object and refuse unknown ones by name; None if it is not an object."""
    if not isinstance(value, dict):
        refusals.add(field, "Refused: expected an object.")
        return None
    unknown = [key for key in value if key not in known]
    if unknown:
        named = ", ".join(shown(key) for key in unknown[:_NAMED_KEYS])
        more = f" and {len(unknown) - _NAMED_KEYS} more" if len(unknown) > _NAMED_KEYS else ""
        refusals.add(field, f"Refused: unknown key {named}{more}.")
    return {key: value[key] for key in known if key in value}


def read_list(value: object, longest: int, field: str, refusals: Refusals) -> list[object]:
    """Return a list of at most `longest` entries; empty if refused."""
    if not isinstance(value, list):
        refusals.add(field, "Refused: expected a list.")
        return []
    if len(value) > longest:
        refusals.add(field, f"Refused: {len(value)} entries; the limit is {longest}.")
        return []
    return value


def read_whole_number(value: object, least: int, most: int, field: str, refusals: Refusals) -> int | None:
    """Return an int from `least` to `most`; None if refused. JSON's true and 2.0 are refused."""
    if isinstance(value, int) and not isinstance(value, bool) and least <= value <= most:
        return value
    refusals.add(field, f"Enter a whole number from {least} to {most}.")
    return None


def read_flag(value: object, field: str, refusals: Refusals) -> bool:
    """Return a boolean; False if refused."""
    if not isinstance(value, bool):
        refusals.add(field, "Refused: expected true or false.")
        return False
    return value


def read_choice(
    value: object, choices: Collection[str], what: str, field: str, refusals: Refusals
) -> str | None:
    """Return one of `choices`; None if refused. `what` names the kind of value: `body part`."""
    if isinstance(value, str) and value in choices:
        return value
    if value is None:
        refusals.add(field, f"Refused: no {what} given.")
        return None
    refusals.add(field, f"Refused: unknown {what} {shown(value)}.")
    return None


def read_text(value: object, field: str, refusals: Refusals) -> str:
    """Return a text of at most 2000 storable characters, unchanged; empty if refused."""
    if not isinstance(value, str):
        refusals.add(field, "Refused: expected a text.")
        return ""
    if len(value) > LONGEST_TEXT:
        refusals.add(field, f"Refused: {len(value)} characters; the limit is {LONGEST_TEXT}.")
        return ""
    # PostgreSQL stores neither NUL nor lone surrogates, but JSON can contain both.
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        refusals.add(field, "Refused: the text contains a character that cannot be stored.")
        return ""
    return value


def read_fraction(value: object, field: str, refusals: Refusals) -> float:
    """Return a number from 0 to 1 as a float; 0 if refused."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return abs(float(value))  # -0.0 becomes 0.0
    refusals.add(field, "Refused: expected a number from 0 to 1.")
    return 0.0


def read_image_flag(value: object, refusals: Refusals) -> Mapping[str, str] | None:
    """Return the reason and note of a flag; None without a flag."""
    given = None if value is None else read_object(value, ("reason", "note"), "flag", refusals)
    if given is None:
        return None
    reason = read_choice(given.get("reason"), FLAG_REASONS, "reason", "flag", refusals)
    note = read_text(given.get("note", ""), "flag", refusals)
    return MappingProxyType({"reason": reason or "", "note": note})


def read_remarks(given: Mapping[str, object], refusals: Refusals) -> dict[str, Any]:
    """Return flag, note and tags, which the annotations of all protocols have."""
    return {
        "flag": read_image_flag(given.get("flag"), refusals),
        "note": read_text(given.get("note", ""), "note", refusals),
        "tags": read_tags(given.get("tags", []), refusals),
    }


def read_tags(value: object, refusals: Refusals) -> tuple[int, ...]:
    """Return the numbers of the tags ticked, sorted. Whether a project still has them is not asked."""
    entries = read_list(value, LAST_TAG, "tags", refusals)
    numbers = (read_whole_number(entry, 1, LAST_TAG, "tags", refusals) for entry in entries)
    return tuple(sorted({number for number in numbers if number is not None}))


def bits_of(tags: Iterable[int]) -> int:
    """Return the bits of these tags."""
    return sum(1 << number - 1 for number in set(tags))
