"""The exports of marks: a row per defect, and COCO files."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import Any

import numpy as np
import pytest
from django.utils import timezone

from analysis.exports.files import Export
from analysis.exports.formats import COCO, FORMATS
from analysis.exports.registry import layouts_of
from analysis.exports.requests import ExportRequest
from analysis.exports.source import ExportRefused
from annotator.models import Project
from scoring.defect.marks import MARKS
from scoring.defect.masks import read_mask, rectangle, runs_of
from tests.analysis.mixed import answered
from tests.factories import LEAD, make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db
SLUG = MARKS.slug
TEXT = "=Two hands are fused."


def defect(number: int, kind: str, *box: int, height: int = 30) -> dict[str, Any]:
    mask = rectangle(height, 40, (box[0], box[1], box[2], box[3])).as_json()
    return {"id": f"d{number}", "mask": mask, "kind": kind, "text": TEXT}


@pytest.fixture
def project() -> Project:
    """Two images: two defects by ann on the first, none on the second; bob has marked the first."""
    made = make_project("marked")
    make_member(made, LEAD, code="lee")
    batch = make_batch(made, name="Defects", protocol=SLUG)
    images = [
        make_image(made, generator="gA", prompt="hugging", number=n, width=width, height=height)
        for n, width, height in ((1, 40, 30), (2, 4096, 3072))
    ]
    given: dict[tuple[str, int], dict[str, Any]] = {
        ("ann", 0): {"defects": [defect(1, "structural", 0, 0, 10, 6), defect(4, "logical", 30, 20, 5, 5)]},
        ("bob", 0): {"defects": [defect(1, "structural", 2, 0, 10, 6)]},
        ("ann", 1): {"size": [1536, 2048], "no_defect": True},
        ("bob", 1): {"size": [1536, 2048], "defects": [large()]},
    }
    people = {code: make_member(made, code=code) for code in ("ann", "bob")}
    for (code, at), said in given.items():
        answered(MARKS, people[code], images[at], batch, {"effect": 2, "size": [30, 40], **said})
    return made


def large() -> dict[str, Any]:
    mask = rectangle(1536, 2048, (100, 200, 300, 400)).as_json()
    return {"id": "d1", "mask": mask, "kind": "logical", "text": TEXT}


def exported(project: Project, form: str, **options: Any) -> str:
    layout = layouts_of(SLUG)["defects"]
    return b"".join(Export(project, layout, FORMATS[form], protocol=SLUG, **options)).decode()


def rows_of(project: Project, **options: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(exported(project, "csv", **options))))


def test_a_row_per_defect(project: Project) -> None:
    rows = rows_of(project)
    said = [[row[name] for name in ("Annotator", "defect", "kind", "place", "effect")] for row in rows]
    assert sorted(said) == [
        ["ann", "", "", "", ""],
        ["ann", "d1", "structural", "upper left", "serious"],
        ["ann", "d4", "logical", "lower right", "serious"],
        ["bob", "d1", "logical", "upper left", "serious"],
        ["bob", "d1", "structural", "upper left", "serious"],
    ]
    first = next(row for row in rows if row["defect"] == "d4")
    assert [first[name] for name in ("pixels", "x", "y", "width", "height")] == ["25", "30", "20", "5", "5"]
    assert (float(first["area"]), first["grid_width"], first["grid_height"]) == (25 / 1200, "40", "30")
    # A spreadsheet would take it for a formula.
    assert first["text"] == f"'{TEXT}"
    assert read_mask({"size": [30, 40], "counts": first["counts"].lstrip("'")}).area == 25


def test_pseudonyms_hide_what_people_wrote(project: Project) -> None:
    rows = rows_of(project, hidden=True)
    assert {row["text"] for row in rows} == {""}
    assert not {"ann", "bob"} & {row["Annotator"] for row in rows}
    assert TEXT not in exported(project, COCO, hidden=True)


def test_a_coco_file_has_masks_at_the_size_of_the_image(project: Project) -> None:
    found = json.loads(exported(project, COCO))
    names = {category["id"]: category["name"] for category in found["categories"]}
    assert names == {1: "structural", 2: "logical", 3: "region"}
    images = {image["id"]: image for image in found["images"]}
    assert [(image["width"], image["height"]) for image in images.values()] == [(40, 30), (4096, 3072)]
    assert [entry["id"] for entry in found["annotations"]] == [1, 2, 3, 4]
    for entry in found["annotations"]:
        image = images[entry["image_id"]]
        mask = read_unlimited(entry["segmentation"])
        assert mask.shape == (image["height"], image["width"])
        rows, columns = np.nonzero(mask)
        assert (entry["area"], entry["iscrowd"]) == (len(rows), 1)
        spread = [np.ptp(columns) + 1, np.ptp(rows) + 1]
        assert entry["bbox"] == [columns.min(), rows.min(), *spread]
    last = found["annotations"][-1]
    assert (last["bbox"], last["annotator"], last["text"]) == ([200, 400, 600, 800], "bob", TEXT)


def read_unlimited(segmentation: dict[str, Any]) -> Any:
    """Return a mask of any size as an array."""
    height, width = segmentation["size"]
    runs = runs_of(segmentation["counts"])
    return np.repeat(np.arange(len(runs)) % 2, runs).reshape((height, width), order="F")


def test_the_file_is_named_as_coco_files_are(project: Project) -> None:
    request = ExportRequest("defects", COCO, protocol=SLUG)
    assert request.file_name(project, timezone.now().date()).endswith(".coco.json")
    assert request.problems() == {}
    words = "Scores cannot be written as COCO. Choose another format."
    assert ExportRequest("scores", COCO, protocol=SLUG).problems() == {"format": words}
    with pytest.raises(ExportRefused, match="Scores cannot be written as COCO"):
        list(Export(project, layouts_of(SLUG)["scores"], FORMATS[COCO], protocol=SLUG))
