"""Exports of Label Studio find their images by the names of the files that were uploaded there.

`label_studio/` holds its two JSON formats as version 1.23 writes them, of six pictures that were uploaded
under their own names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.exchange import import_study
from annotator.exchange.annotation_files import check_annotations, store_checked
from annotator.exchange.formats.report import StudyRefused
from annotator.models import Annotation, Image, Project
from tests.annotator.exchange.conftest import StudyFolder

pytestmark = pytest.mark.django_db

EXPORTS = Path(__file__).parent / "label_studio"
STORED = [
    "dall-e3/athlete_performing_salto/dall_e3_athlete_01.jpg",
    "dall-e3/mother_or_father_holding_baby/dall_e3_mother_or_father_02.jpg",
    "sdXL/couple_hugging/sdXL_hug_07.jpg",
    "sdXL/old_couple_in_sauna/sdXL_sauna_04.jpg",
    "stable_cascade/physician_examining_patient/SC_physician_05.jpg",
    "stable_cascade/five_people_playing_volleyball/SC_volleyball_07.jpg",
]


def project_of(study: StudyFolder, *names: str) -> Project:
    for name in names:
        study.image(name)
    made = Project.objects.create(slug="pilot", name="Pilot")
    import_study(study.path, project=made)
    return made


def task(picture: str, **data: object) -> dict[str, Any]:
    field = {"type": "textarea", "from_name": "missing_limbs", "value": {"text": ["1/4b"]}}
    return {
        "id": 1,
        "data": {"image": picture, **data},
        "annotations": [{"id": 1, "completed_by": 1, "result": [field]}],
    }


def exported(folder: Path, *tasks: dict[str, Any]) -> Path:
    path = folder / "project-1.json"
    path.write_text(json.dumps(tasks))
    return path


@pytest.mark.parametrize("name", ["export.json", "export-min.json"])
def test_every_row_of_a_real_export_finds_its_image(study: StudyFolder, name: str) -> None:
    project = project_of(study, *STORED)
    checked = check_annotations(EXPORTS / name, project=project, people={"1": "anno1", "2": "anno2"})
    assert (checked.refused, checked.findings) == ((), ())
    assert store_checked(checked, project=project).annotations_added == len(STORED)
    rows = Annotation.objects.order_by("pk")
    found = [row.assignment.image.source_name.removeprefix("images/") for row in rows]
    assert found == STORED
    sheet = [(row.source or {})["model"] for row in rows]
    assert sheet == ["dall-e3", "dall-e3", "sdXL", "sdXL", "stable_cascade", "stable_cascade"]
    marks = [(mark["affected"], mark["total"], mark["severity"]) for mark in rows[1].payload["marks"]]
    assert marks == [(1, 4, "a"), (2, 4, "c"), (1, 4, "b")]
    assert store_checked(checked, project=project).annotations_added == 0


@pytest.mark.parametrize(
    ("picture", "stored"),
    [
        ("/data/upload/7/5f3c1b2a-dall_e3_hug_01.png", "dall-e3/couple_hugging/dall_e3_hug_01.png"),
        ("/data/upload/7/5f3c1b2a-my_hug_1.png", "dall-e3/couple_hugging/my hug (1).png"),
        ("/data/local-files/?d=a/dall_e3%20hug.jpg", "dall-e3/couple_hugging/dall_e3 hug.png"),
        ("s3://bucket/a/5f3c1b2a-hug_01.png", "dall-e3/couple_hugging/5f3c1b2a-hug_01.png"),
        ("https://example.org/5f3c1b2a-dall_e3_couple_hugging_1.png", "dall-e3/couple_hugging/x01.png"),
    ],
)
def test_a_picture_is_known_by_its_name(study: StudyFolder, picture: str, stored: str) -> None:
    project = project_of(study, stored, "sdXL/couple_hugging/other_02.png")
    (row,) = check_annotations(exported(study.path, task(picture)), project=project).matched
    assert row.image_id == Image.objects.get(source_name=f"images/{stored}").pk


def test_the_name_as_it_is_comes_before_the_name_without_the_prefix(study: StudyFolder) -> None:
    project = project_of(study, "sdXL/hug/5f3c1b2a-hug_01.png", "sdXL/run/hug_01.png")
    (row,) = check_annotations(exported(study.path, task("5f3c1b2a-hug_01.png")), project=project).matched
    assert (row.row.generator, row.row.prompt, row.row.number) == ("sdXL", "hug", 1)


def test_what_names_two_images_is_told_apart_by_the_data_or_refused_by_row(study: StudyFolder) -> None:
    project = project_of(study, "sdXL/hug/01.png", "dalle/hug/01.png")
    address = "/data/upload/1/5d499fda-01.png"
    tasks = [task(address, Model="SDXL"), task(address), task(address, Model="dalle", Prompt="run")]
    checked = check_annotations(exported(study.path, *tasks), project=project)
    assert [match.row.generator for match in checked.matched] == ["sdXL"]
    assert [(note.row, note.column) for note in checked.refused] == [(2, "image"), (3, "image")]
    found, to_do = "2 images of this project", "give Model, Prompt and Pic Num."
    named = ("images/dalle/hug/01.png", "images/sdXL/hug/01.png", found, to_do)
    assert all(part in checked.refused[0].reason for part in named)


def test_a_picture_that_is_not_here_is_refused_by_row(study: StudyFolder) -> None:
    project = project_of(study, "sdXL/hug/hug_01.png")
    path = exported(study.path, task("hug_01.png"), task("/data/upload/1/5d499fda-run_01.png"))
    (note,) = check_annotations(path, project=project).refused
    assert (note.row, note.column, note.text) == (2, "image", "run_01")
    with pytest.raises(StudyRefused, match="matches no image"):
        check_annotations(exported(study.path, task("run_01.png")), project=project)
