"""The notation of a cell read a second way, by somebody who does not know the first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

ALPHABET: Final = "0129/abcC, \n"
LONGEST: Final = 5


def every_short_text() -> Iterator[str]:
    """Every text of up to LONGEST characters over the ALPHABET, the empty one first: 271,453."""
    for length in range(LONGEST + 1):
        for characters in itertools.product(ALPHABET, repeat=length):
            yield "".join(characters)


def reference(text: str) -> tuple[list[tuple[str, int, int]], bool]:
    """The kept terms (severity, affected, total), read character by character, and whether all was well."""
    kept: dict[str, tuple[str, int, int]] = {}
    well = True
    for piece in text.split(",") if text.strip(" \t") else []:
        body = piece.strip(" \t")
        letter = body[-1:].lower()
        numbers = [side.strip(" \t") for side in body[:-1].split("/")]
        ok = letter in ("a", "b", "c") and len(numbers) == 2
        ok = ok and all(n and set(n) <= set("0123456789") and n[0] != "0" and len(n) < 3 for n in numbers)
        ok = ok and int(numbers[0]) <= int(numbers[1]) and letter not in kept
        if ok:
            kept[letter] = (letter, int(numbers[0]), int(numbers[1]))
        well = well and ok
    return sorted(kept.values()), well
