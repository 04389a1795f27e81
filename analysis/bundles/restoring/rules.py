"""What the rows of a bundle must be before they are stored, key by key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

from analysis.bundles.restoring.opened import BundleRefused
from scoring import service

Rule = Callable[[Any], Any]
"""Returns the value as it is stored; raises Unfit with what was expected."""

SHOWN: Final = 60
LARGEST: Final = 2**31 - 1
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_SHARE: Final = re.compile(r"[01]\.[0-9]{1,4}|[01]")
_FRACTION: Final = re.compile(r"[0-9]{1,400}(/[1-9][0-9]{0,400})?")


class Unfit(ValueError):
    """A value is not what its rule asks for; the message says what is."""


def checked(row: Mapping[str, Any], rules: Mapping[str, Rule], where: str) -> dict[str, Any]:
    """Return a row's values as they are stored; raises BundleRefused naming place, key, found, expected."""
    for key in row:
        if key not in rules:
            raise BundleRefused(f"{where}: nobody knows the key “{shown(key)}”; expected {', '.join(rules)}.")
    found = {}
    for key, rule in rules.items():
        if key not in row:
            raise BundleRefused(f"{where}: “{key}” is missing.")
        try:
            found[key] = rule(row[key])
        except Unfit as unfit:
            raise BundleRefused(f"{where}: “{key}” is {shown(row[key])}; expected {unfit}.") from None
    return found


def shown(value: object) -> str:
    """A foreign value fit for a message."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    clipped = text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
    return "".join(letter if letter.isprintable() else "�" for letter in clipped)


def text(longest: int, least: int = 0) -> Rule:
    """A text of so many characters that every database can store."""

    def rule(value: Any) -> str:
        if not isinstance(value, str) or not least <= len(value) <= longest or not storable(value):
            raise Unfit(f"a text of {least} to {longest} characters")
        return value

    return rule


def storable(value: object) -> bool:
    """Whether no text inside holds what PostgreSQL cannot store: NUL and halves of surrogate pairs."""
    if isinstance(value, str):
        return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, Mapping):
        return all(storable(key) and storable(item) for key, item in value.items())
    return all(map(storable, value)) if isinstance(value, list) else True


def whole(least: int, most: int = LARGEST) -> Rule:
    """A whole number within bounds."""

    def rule(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise Unfit(f"a whole number from {least} to {most}")
        return value

    return rule


def one_of(choices: Collection[str]) -> Rule:
    """One of some texts."""

    def rule(value: Any) -> str:
        if not isinstance(value, str) or value not in choices:
            raise Unfit(" or ".join(choices))
        return value

    return rule


def maybe(inner: Rule) -> Rule:
    """What another rule takes, or null."""
    return lambda value: None if value is None else inner(value)


def truth(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Unfit("true or false")
    return value


def content(value: Any) -> str:
    """A SHA-256."""
    if not isinstance(value, str) or not _HASH.fullmatch(value):
        raise Unfit("a SHA-256 in 64 hexadecimal digits")
    return value


def moment(value: Any) -> datetime:
    """A time as `rows.moment` writes it."""
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    raise Unfit("a time such as 2026-03-01T09:30:00.000000Z")


def share(value: Any) -> Decimal:
    """A share with at most four decimals."""
    if not isinstance(value, str) or not _SHARE.fullmatch(value) or Decimal(value) > 1:
        raise Unfit("a share from 0 to 1 such as 0.2500")
    return Decimal(value)


def an_object(value: Any) -> dict[str, Any]:
    """A JSON object that every database can store."""
    if not isinstance(value, dict) or not storable(value):
        raise Unfit("an object")
    return value


def warnings(value: Any) -> list[dict[str, str]]:
    """Warnings as they are stored with an annotation."""
    keys = {"field", "code", "message"}
    fits = isinstance(value, list) and storable(value)
    if not fits or not all(isinstance(one, dict) and one.keys() == keys for one in value):
        raise Unfit("a list of warnings")
    return list(value)


def ratings(value: Any) -> list[list[str]]:
    """Ratings as they are stored with an annotation: variable, component, fraction."""
    if not isinstance(value, list) or not all(_is_rating(row) for row in value):
        raise Unfit("a list of ratings")
    return list(value)


def _is_rating(row: Any) -> bool:
    texts = isinstance(row, list) and len(row) == 3 and all(isinstance(one, str) for one in row)
    return texts and storable(row) and _FRACTION.fullmatch(row[2]) is not None


def row_as_it_was(value: Any) -> dict[str, Any]:
    """The row of a sheet that an annotation was imported from."""
    row = an_object(value)
    named = isinstance(row.get("image_id", ""), str) and isinstance(row.get("cells", {}), dict)
    if not named or not all(isinstance(cell, str) for cell in row.get("cells", {}).values()):
        raise Unfit("the row it was imported from, with cells that are texts")
    return row


def lines_and_versions(value: Any) -> list[list[int]]:
    """Rows of another file by their line, 0 for one that is gone, each with its version."""
    pairs = isinstance(value, list) and all(isinstance(one, list) and len(one) == 2 for one in value)
    if not pairs or not all(type(one) is int and 0 <= one <= LARGEST for pair in value for one in pair):
        raise Unfit("a list of pairs, line and version")
    return list(value)


def protocol(value: Any) -> str:
    """The slug of a protocol that this program knows."""
    if not isinstance(value, str) or value not in service.PROTOCOLS:
        raise Unfit(f"a protocol that this program knows: {', '.join(sorted(service.PROTOCOLS))}")
    return value


def a_list(value: Any) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise Unfit("a list")
    return value
