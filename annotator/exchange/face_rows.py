"""Read rectangles around faces: CSV or JSON Lines with `file` or `sha256`, and x, y, w, h in natural pixels.

A row without numbers says that the image shows no face; several rows of an image are several faces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any, Final

from annotator.exchange.formats.budget import LONGEST_TEXT, about_images
from annotator.exchange.formats.csv_tables import read_image_table, read_text
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import StudyRefused

NUMBERS: Final = ("x", "y", "w", "h")
_NAMES: Final = ("file", "sha256")
_LONGEST: Final = 400

FaceRow = tuple[int, str, str, tuple[float, ...], str]
"""(row, file, sha256, x y w h or () for no face, reason why the row is unusable)."""


def read_faces(path: Path) -> list[FaceRow]:
    """Return the rows of a file. Raises StudyRefused if it cannot be read at all."""
    jsonl = path.suffix.lower() in (".jsonl", ".ndjson")
    found = about_images(path.name, (_lines if jsonl else _table)(path))
    rows = [_row(number, values, wrong) for number, values, wrong in found]
    if not rows:
        raise StudyRefused(f"{path.name} has no rows.")
    return rows


def _table(path: Path) -> Iterator[tuple[int, dict[str, Any], str]]:
    table = read_image_table(path, required=NUMBERS, optional=_NAMES)
    if table.records and not any(name in table.records[0].values for name in _NAMES):
        raise StudyRefused(f"{path.name} lacks the column “file” or “sha256”, which names the image.")
    for record in table.records:
        yield record.number, dict(record.values), record.problem


def _lines(path: Path) -> Iterator[tuple[int, dict[str, Any], str]]:
    text, _ = read_text(path)
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if len(line) > LONGEST_TEXT:
            yield number, {}, f"the line has {len(line):,} characters; at most {LONGEST_TEXT:,} are read"
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            yield number, {}, "the line is not JSON"
            continue
        if isinstance(values, dict):
            yield number, values, ""
        else:
            yield number, {}, 'the line is not a JSON object such as {"file": "a.png", "x": 1, …}'


def _row(number: int, values: dict[str, Any], wrong: str) -> FaceRow:
    name, sha256 = (_text(values.get(each)) for each in _NAMES)
    if wrong:
        return number, name, sha256, (), wrong
    if not name and not sha256:
        return number, "", "", (), "it names no image: give its file name or SHA-256"
    found = [values.get(each) for each in NUMBERS]
    if all(value is None or not str(value).strip() for value in found):
        return number, name, sha256, (), ""
    read = []
    for column, value in zip(NUMBERS, found, strict=True):
        pixels = _pixels(value)
        if pixels is None:
            shown = printable(str(value)[:40])
            return number, name, sha256, (), f"{column} is “{shown}”; expected a number of pixels"
        read.append(pixels)
    return number, name, sha256, tuple(read), ""


def _text(value: object) -> str:
    return str(value).strip()[:_LONGEST] if isinstance(value, str) else ""


def _pixels(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        # A whole number of JSON can be too large for a float.
        pixels = float(value.strip().replace(",", ".") if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return pixels if isfinite(pixels) else None
