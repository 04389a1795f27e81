"""Marks as files of other tools have them: COCO with run lengths, and boxes of the Human Artifact Dataset.

Sources: https://cocodataset.org/#format-data; https://arxiv.org/abs/2411.13842, whose files have an image,
boxes of artifacts (`annotation`) and boxes of people with tags (`human`), from corner to corner.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final

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

Found = Iterator[tuple[str, str, dict[str, Any]]]
"""The file of an image, its annotator, and the marks."""


def marks_in(data: Any) -> Found:
    """Yield the marks of a file's JSON. Raises LookupError, AttributeError, TypeError or ValueError."""
    return in_coco(data) if isinstance(data, dict) and "images" in data else _in_boxes(data)


def in_coco(data: Mapping[str, Any]) -> Found:
    """Yield the marks of a COCO file."""
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


def _in_boxes(data: Any) -> Found:
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
