"""Marks made elsewhere, as files of masks or boxes have them: JSON in place of the 25 cells.

They may lack what other tools do not ask: kinds, descriptions and the effect on the image.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from annotator.protocols.sheet_format import (
    MOST_SHOWN,
    Cells,
    ReadCells,
    SheetFormat,
    SheetReader,
    read_payload,
)
from scoring.defect.marks import DETAILS, KINDS, clean
from scoring.defect.masks import grid_of, rectangle
from scoring.protocol import Payload

HEADING: Final = "marks"


def read(cells: Cells) -> ReadCells:
    """Read the marks of a row, whose masks are run lengths or boxes from corner to corner."""
    text = cells.get(HEADING, "")
    try:
        given = json.loads(text)
        height, width = given["size"]
        grid = grid_of(width, height)
        defects = [_defect(one, grid, height / grid[0]) for one in given["defects"]]
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError):
        return ReadCells(None, ((HEADING, text[:MOST_SHOWN], "cannot be read as marks of an image"),))
    marks: Payload = {"size": list(grid), "defects": defects, "no_defect": not defects, "elsewhere": True}
    return read_payload(clean, marks, {"": HEADING}, {})


def _defect(one: Mapping[str, Any], grid: tuple[int, int], scale: float) -> dict[str, Any]:
    details = {name: one[name] for name in DETAILS if one.get(name)}
    kind, mask = one.get("kind"), one.get("mask")
    if "box" in one:
        (x1, x2), (y1, y2) = (sorted(round(side / scale) for side in one["box"][at::2]) for at in (0, 1))
        mask = rectangle(*grid, (x1, y1, x2 - x1, y2 - y1)).as_json()
    said = {"kind": kind if kind in KINDS else None, "text": str(one.get("text") or ""), **details}
    return {"id": one["id"], **said, "mask": mask}


def written(payload: Payload) -> dict[str, str]:
    """Return the defects of a payload as text, by which two rows are compared."""
    return {HEADING: json.dumps(clean(payload, complete=False).payload()["defects"], sort_keys=True)}


SHEET: Final = SheetFormat(
    rule="masks as a COCO file with run lengths, or boxes of the Human Artifact Dataset, as JSON.",
    # Marks leave as COCO.
    reader=SheetReader(read, written, (HEADING,), exported=None),
)
