"""Files of rectangles: every fault named by its row, all or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotator.exchange.face_rows import Faces, check_faces, store_faces
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.image_rows import CheckedRows
from annotator.models import FaceDecision, Image, Project
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("faces")
    for name in ("a", "b", "c"):
        make_image(project, source_name=f"set/{name}.png", width=100, height=80)
    return project


def image(project: Project, name: str) -> Image:
    return project.images.get(source_name=f"set/{name}.png")


def check(project: Project, folder: Path, text: str, name: str = "faces.csv") -> CheckedRows[Faces]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return check_faces(path, project)


def test_a_csv_decides_faces_and_their_absence(project: Project, tmp_path: Path) -> None:
    text = "file,x,y,w,h\na.png,1,2,3,4\nset/b.png,,,,\na.png,10,20,30.5,40\n"
    found = check(project, tmp_path, text)
    assert found.refused == ()
    assert found.found == {
        image(project, "a").pk: [[1, 2, 3, 4], [10, 20, 30.5, 40]],
        image(project, "b").pk: [],
    }
    assert found.counts == {
        "Images": 2,
        "Rectangles": 2,
        "Cut to the image": 0,
        "Without a face": 1,
        "Decided before": 0,
        "Left undecided": 1,
    }
    assert store_faces(found, project).words == "Images changed: 2. Still without a decision: 1."
    again = check(project, tmp_path, text)
    assert (again.counts["Decided before"], again.counts["Left undecided"]) == (2, 1)
    assert store_faces(again, project).words == "Images changed: 0. Still without a decision: 1."


FAULTS = {
    "a.png,nan,2,3,4": "x is “nan”",
    "a.png,1,2,three,4": "w is “three”",
    "a.png,1,,3,4": "y is “”",
    "a.png,-4,2,3,4": "not inside the image",
    "a.png,1,2,-3,4": "at least 1",
    ",1,2,3,4": "names no image",
    "z.png,1,2,3,4": "there is no image “z.png”",
    "a.png,1,2": "the row has 3 cells",
    "b.png,5,5,5,5": "the same rectangle",
    "b.png,,,,": "shows no face",
}


@pytest.mark.few(5)
@pytest.mark.parametrize(("row", "reason"), FAULTS.items())
def test_a_faulty_row_is_named(project: Project, tmp_path: Path, row: str, reason: str) -> None:
    found = check(project, tmp_path, f"file,x,y,w,h\nb.png,5,5,5,5\n{row}\n")
    [note] = found.refused
    assert note.row == 3
    assert reason in note.reason
    with pytest.raises(StudyRefused, match="row 3") as refused:
        store_faces(found, project)
    assert refused.value.code == "rows"
    assert not FaceDecision.objects.exists()


def test_a_name_and_a_content_that_disagree(project: Project, tmp_path: Path) -> None:
    text = f"file,sha256,x,y,w,h\nb.png,{image(project, 'a').sha256},1,1,2,2\n"
    [note] = check(project, tmp_path, text).refused
    assert "“set/a.png”" in note.reason


def test_two_images_of_one_name_need_the_path(project: Project, tmp_path: Path) -> None:
    make_image(project, source_name="other/a.png", width=100, height=80)
    found = check(project, tmp_path, "file,x,y,w,h\na.png,1,1,2,2\nset/a.png,1,1,2,2\n")
    assert [note.row for note in found.refused] == [2]
    assert list(found.found) == [image(project, "a").pk]
