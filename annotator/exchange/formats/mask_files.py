"""Read marks made elsewhere: COCO files with run lengths, and boxes as the Human Artifact Dataset has them.

Sources: https://cocodataset.org/#format-data; https://arxiv.org/abs/2411.13842, whose files have an image,
boxes of artifacts (`annotation`) and boxes of people with tags (`human`), from corner to corner.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from annotator.exchange.formats.image_tables import read_count_rows, refuse_large
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.formats.sheet import FILE, Sheet, read_ratings
from annotator.exchange.formats.tables import Record, Table, Texts

MARKS: Final = "marks"
"""The column that holds the marks of an image as JSON."""
MASKS: Final = "masks"
"""The column that holds suggested masks as JSON."""
REGION: Final = "region"
"""Our category of united masks, which are nobody's annotation."""
_LEVELS: Final = {"mild": "a", "moderate": "b", "severe": "c"}
_PARTS: Final = {
    **dict.fromkeys(("arm", "leg", "limbs"), "limbs"),
    "hand": "hands",
    "hands": "hands",
    "feet": "feet",
    "face": "face",
    "torso": "torso",
}
_NO_MARKS: Final = (
    "{name} is JSON, but neither a COCO file (images, annotations, categories) nor a list of images with "
    "annotation and human. Export run-length masks as COCO, or boxes."
)

Found = Iterator[tuple[str, str, dict[str, Any]]]
"""The file of an image, its annotator, and the marks."""


def read_mask_file(path: Path) -> Sheet:
    """Return a row for each image and annotator with the marks as JSON. Raises StudyRefused."""
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        found = list(_coco(data) if isinstance(data, dict) and "images" in data else _boxes(data))
    except UnicodeDecodeError as error:
        raise StudyRefused(f"{path.name} is not UTF-8. Save it as UTF-8.", code="json") from error
    except json.JSONDecodeError as error:
        raise StudyRefused(f"{path.name}, line {error.lineno}: {error.msg}.", code="json") from error
    except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
        raise StudyRefused(_NO_MARKS.format(name=path.name), code="json") from error
    records = [
        Record(number, Texts({"annotator": who, FILE: file, MARKS: json.dumps(marks)}))
        for number, (file, who, marks) in enumerate(found, 1)
    ]
    return read_ratings(Table(path.name, records), (MARKS,))


def read_mask_rows(path: Path, **how: Any) -> Table:
    """Return a row for each image with its masks, of a COCO file or of JSON Lines. Raises StudyRefused."""
    refuse_large(path)
    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or "images" not in data:
        return read_count_rows(path, **how)
    try:
        found = list(_coco(data))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StudyRefused(_NO_MARKS.format(name=path.name), code="json") from error
    rows = (Texts({FILE: file, MASKS: json.dumps(marks["defects"])}) for file, _, marks in found)
    return Table(path.name, [Record(number, row) for number, row in enumerate(rows, 1)])


def _coco(data: Mapping[str, Any]) -> Found:
    images = {image["id"]: image for image in data["images"]}
    names = {each["id"]: str(each["name"]) for each in data.get("categories", ())}
    held: dict[tuple[Any, str], list[dict[str, Any]]] = defaultdict(list)
    for each in data["annotations"]:
        name = names.get(each.get("category_id"), "")
        if name != REGION:
            marks = held[each["image_id"], str(each.get("annotator") or "coco")]
            said = {"kind": name, "text": str(each.get("text") or name), "mask": each["segmentation"]}
            marks.append({"id": f"d{len(marks) + 1}", **said})
    for (image, who), marks in held.items():
        about = images[image]
        yield str(about["file_name"]), who, {"size": [about["height"], about["width"]], "defects": marks}


def _boxes(data: Any) -> Found:
    for each in data if isinstance(data, list) else [data]:
        about, marks = each["image"], []
        for one in each["annotation"]:
            text = f"{one['level']} artifact: {one['body_parts']}"
            marks.append({"box": one["bbox"], "text": str(one.get("text") or text), "kind": one.get("kind")})
            marks[-1] |= {"part": _PARTS.get(one["body_parts"]), "severity": _LEVELS.get(one["level"])}
        for person in each.get("human", ()):
            for tag in person["tag"]:
                part = _PARTS.get(str(tag).rpartition(" ")[2])
                marks.append({"box": person["bbox"], "text": str(tag), "kind": None, "part": part})
        for number, mark in enumerate(marks, 1):
            mark["id"] = f"d{number}"
            mark["kind"] = mark["kind"] or "structural"
        size = [about["height"], about["width"]]
        yield str(about["file_name"]), str(each.get("annotator") or "had"), {"size": size, "defects": marks}
