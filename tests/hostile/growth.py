"""CSV tables of a size: small files that want much memory or time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.annotator.exchange.conftest import sheet_row, sheet_text

CELL: Final = "1. Missing Error-1.2 Limbs"
Maker = Callable[[int], bytes]


def headings(size: int) -> bytes:
    """One line of headings."""
    return ",".join(f"h{number}" for number in range(size)).encode()


def empty_lines(size: int) -> bytes:
    """Empty lines."""
    return ",".join(sheet_row("sdxl_hug_01")).encode() + b"\n" * size


def short_rows(size: int) -> bytes:
    """Five hundred headings, those of the sheet among them, and rows of one cell."""
    more = [f"h{number}" for number in range(500 - len(sheet_row("a_b_1")))]
    return ",".join([*sheet_row("a_b_1"), *more]).encode() + b"\nx" * size


def commas(size: int) -> bytes:
    """A row of commas only."""
    return ",".join(sheet_row("sdxl_hug_01")).encode() + b"\n" + b"," * size


def names(size: int) -> bytes:
    """A different annotator in every row."""
    return sheet_text([sheet_row("sdxl_hug_01", f"anno{number}") for number in range(size)]).encode()
