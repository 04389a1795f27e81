"""Files of detections: what is read, and that a wrong row is named and stores nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotator.batches.designs import Selection, images_of, left_out_of
from annotator.data_sets.detections import check_detections
from annotator.data_sets.filtering import counts_of, filtered_images, store_detections, take_back
from annotator.models import Event, Image, Project, Screening
from scoring.data_sets.filters import Detected
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db
HEADER = "file,persons,classes,person_confidence,moderation"


@pytest.fixture
def project() -> Project:
    return make_project("pilot")


@pytest.fixture
def images(project: Project) -> list[Image]:
    return [make_image(project, source_name=f"a/{n}.png", number=n, prompt=f"a woman {n}") for n in range(4)]


def written(tmp_path: Path, *rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "detections.csv"
    path.write_text("\n".join([header, *rows]), encoding="utf-8")
    return path


def test_images_by_name_and_by_content(project: Project, images: list[Image], tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "a/0.png,1,person;dog;person,0.99,violence=0.1; nudity=0.93",
        "1.png,0,0,,",
        "a/2.png,4,4,0.5,0.2",
    )
    assert check_detections(path, project).found == {
        images[0].pk: Detected(1, 2, 0.99, 0.93),
        images[1].pk: Detected(0, 0, 0.0, None),
        images[2].pk: Detected(4, 4, 0.5, 0.2),
    }
    by_content = written(tmp_path, f"{images[3].sha256.upper()},2", header="sha256,persons")
    assert check_detections(by_content, project).found == {images[3].pk: Detected(2)}


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        ("a/1.png,1,1,NaN,0", "person_confidence", "“NaN” is not a number from 0 to 1"),
        ("a/1.png,1,1,0.9,-0.1", "moderation", "“-0.1” is not a number from 0 to 1"),
        ("a/1.png,1,1,0.9,inf", "moderation", "“inf” is not a number from 0 to 1"),
        ("a/1.png,-1,1,0.9,0", "persons", "“-1” is not a whole number from 0 to 10,000"),
        ("a/1.png,1e300,1,0.9,0", "persons", "“1e300” is not a whole number from 0 to 10,000"),
        ("a/1.png,99999999999999999999,1,0.9,0", "persons", "is not a whole number"),
        ("a/1.png,1,nan,0.9,0", "classes", "“nan” is not a whole number from 0 to 10,000"),
        ("a/1.png,1,2.5,0.9,0", "classes", "“2.5” is not a whole number from 0 to 10,000"),
        ("a/1.png,1,1,,0", "person_confidence", "empty, but there are persons"),
        ("a/1.png,1,1,0.9,1e9", "moderation", "is not a number from 0 to 1"),
        ("b/9.png,1,1,0.9,0", "file", "there is no image “b/9.png”"),
        (",1,1,0.9,0", "file", "names no image"),
        ("0.png,1,1,0.9,0", "file", "the image already has row 2; keep one of them"),
        ("a/1.png,1,1", "person_confidence", "empty, but there are persons"),
        ("a/1.png,1,1,0.9,0,9", "", "the row has 6 cells, the header 5"),
    ],
)
def test_a_wrong_row_is_named_and_nothing_is_stored(
    project: Project, images: list[Image], tmp_path: Path, row: str, column: str, reason: str
) -> None:
    path = written(tmp_path, "a/0.png,9,1,0.99,0", row)
    checked = check_detections(path, project)
    assert [(note.row, note.column) for note in checked.refused] == [(3, column)]
    assert reason in checked.refused[0].reason
    with pytest.raises(CommandError, match="row 3"):
        call_command("import_detections", path, project="pilot")
    assert not Screening.objects.exists()


@pytest.mark.databases
def test_excluded_images_keep_reasons_and_can_be_taken_back(project: Project, images: list[Image]) -> None:
    found = {images[0].pk: Detected(9, 1, 0.9, 0.0), images[1].pk: Detected(1, 1, 0.99, 0.95)}
    counts = store_detections(project, found, actor=None, name="d.csv")
    assert counts == {"detected": 2, "excluded": 2, "persons": 1, "confidence": 1, "moderation": 1}
    assert list(filtered_images(project, "moderation")) == [images[1]]
    assert list(images_of(project, Selection(), "anatomy").order_by("pk")) == images[2:]
    assert left_out_of(project, Selection(), "anatomy") == {"excluded": 2, "real": 0}

    assert take_back(project, [images[0].public_id, images[2].public_id], kept=True, actor=None) == 1
    assert counts_of(project) == {"detected": 2, "excluded": 1, "kept": 1, "moderation": 1}
    # The same file again changes nothing, and takes nothing away from a lead's decision.
    events = Event.objects.count()
    store_detections(project, found, actor=None)
    assert Event.objects.count() == events
    assert list(filtered_images(project, kept=True)) == [images[0]]
    assert images[0] in images_of(project, Selection(), "anatomy")
    assert take_back(project, [images[0].public_id], kept=False, actor=None) == 1
    assert counts_of(project)["excluded"] == 2


def test_real_pictures_are_rated_only_as_checks(project: Project, images: list[Image]) -> None:
    photos = [make_image(project, attributes={"source": "real"}, generator="camera") for _ in range(3)]
    assert list(images_of(project, Selection(), "realism").order_by("pk")) == images
    assert left_out_of(project, Selection(), "realism") == {"excluded": 0, "real": 3}
    some = images_of(project, Selection(real=2), "realism").filter(generator="camera")
    assert sorted(row.sha256 for row in some) == sorted(row.sha256 for row in photos)[:2]
    assert left_out_of(project, Selection(real=2), "realism") == {"excluded": 0, "real": 1}
    assert images_of(project, Selection(), "anatomy").count() == 7
