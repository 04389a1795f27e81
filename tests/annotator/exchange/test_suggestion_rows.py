"""Files of suggested counts and of rectangles: every fault named by its row, all or nothing."""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from annotator.exchange.face_rows import Faces, check_faces, store_faces
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.image_rows import CheckedRows
from annotator.exchange.suggestion_rows import (
    IMPROBABLE,
    FoundSuggestions,
    check_suggested,
    check_suggestions,
)
from annotator.models import FaceDecision, Image, Project
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project("counted")
    for name in ("a", "b"):
        make_image(project, source_name=f"{name}.png")
    return project


def pk(project: Project, name: str) -> int:
    return project.images.get(source_name=f"{name}.png").pk


def check(
    project: Project, folder: Path, text: str, name: str = "counts.csv"
) -> CheckedRows[FoundSuggestions]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return check_suggestions(path, project)


def test_csv_json_lines_and_rows_of_the_api_mean_the_same(project: Project, tmp_path: Path) -> None:
    table = "file,people,torso,limbs,feet,hands,face\na.png,3,,,,6,\nb.png,,2,,,,0\n"
    rows: list[dict[str, Any]] = [
        {"file": "a.png", "people": 3, "visible": {"hands": 6}},
        {"sha256": project.images.get(source_name="b.png").sha256, "visible": {"torso": 2, "face": 0}},
    ]
    lines = "\n".join([json.dumps(rows[0]), "", json.dumps(rows[1])])
    wanted = {
        pk(project, "a"): {"people": 3, "visible": {"hands": 6}},
        pk(project, "b"): {"visible": {"torso": 2, "face": 0}},
    }
    for found in (
        check(project, tmp_path, table),
        check(project, tmp_path, lines, "counts.jsonl"),
        check_suggested(rows, project),
    ):
        assert found.refused == ()
        assert found.found["suggested"] == wanted
        assert found.counts == {"Images": 2, "Images without a row": 0}
        assert [shown[1] for shown in found.shown] == list(wanted.values())


@pytest.mark.parametrize(
    ("line", "column", "reason"),
    [
        ('{"file": "c.png", "people": 1}', "file", "there is no image “c.png”"),
        ('{"file": "a.png", "visible": {"hands": -1}}', "hands", "“-1” is not a whole number from 0 to 99"),
        ('{"file": "a.png", "visible": {"hands": true}}', "hands", "“true” is not"),
        ('{"file": "a.png", "people": 0}', "people", "“0” is not a whole number from 1 to 99"),
        ('{"file": "a.png", "visible": {"hands": 1, "hands": 2}}', "hands", "“hands” is given twice"),
        ('{"file": "a.png", "visible": {"arms": 1}}', "arms", "unknown key “arms”"),
        ('{"file": "a.png", "visible": 1}', "visible", "visible is not an object"),
        ('{"file": "a.png"}', "people", "nothing is counted"),
        ('{"file": "a.png"', "", "the line is not JSON"),
    ],
)
def test_a_bad_line_is_named(project: Project, tmp_path: Path, line: str, column: str, reason: str) -> None:
    good = '{"file": "b.png", "people": 1}\n'
    [note] = check(project, tmp_path, good + line, "counts.jsonl").refused
    assert (note.row, note.column) == (2, column)
    assert note.reason.startswith(reason)


def test_an_image_has_one_row_and_unlikely_counts_are_named(project: Project, tmp_path: Path) -> None:
    found = check(project, tmp_path, "file,people,hands\na.png,2,9\na.png,2,4\nb.png,2,8\n")
    assert [(note.row, note.column) for note in found.refused] == [(3, "file")]
    assert [(note.row, note.reason) for note in found.remarks[IMPROBABLE]] == [(2, "9 hands for 2 people")]


def most_kilobytes() -> int:
    """The most memory that this process has ever used; a child's would include what it was forked from."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def test_a_file_of_500_mb_is_refused_without_being_read(tmp_path: Path) -> None:
    for name, first, what in (
        ("counts.jsonl", b'{"file": "a.png"}\n', "counts"),
        ("counts.csv", b"file,hands\n", "counts"),
        ("masks.json", b'{"images": []', "masks"),
    ):
        path = tmp_path / name
        with path.open("wb") as file:
            file.write(first)
            file.truncate(500 * 2**20)
        held = most_kilobytes()
        with pytest.raises(StudyRefused, match="is larger than"):
            check_suggestions(path, make_project(name.partition(".")[2]), what=what)
        assert most_kilobytes() - held < 100 * 1024


@pytest.fixture
def faced() -> Project:
    faced = make_project("faces")
    for name in ("a", "b", "c"):
        make_image(faced, source_name=f"set/{name}.png", width=100, height=80)
    return faced


def image(faced: Project, name: str) -> Image:
    return faced.images.get(source_name=f"set/{name}.png")


def check_boxes(faced: Project, folder: Path, text: str, name: str = "faces.csv") -> CheckedRows[Faces]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return check_faces(path, faced)


def test_a_csv_decides_faces_and_their_absence(faced: Project, tmp_path: Path) -> None:
    text = "file,x,y,w,h\na.png,1,2,3,4\nset/b.png,,,,\na.png,10,20,30.5,40\n"
    found = check_boxes(faced, tmp_path, text)
    assert found.refused == ()
    assert found.found == {image(faced, "a").pk: [[1, 2, 3, 4], [10, 20, 30.5, 40]], image(faced, "b").pk: []}
    assert found.counts == {
        "Images": 2,
        "Rectangles": 2,
        "Cut to the image": 0,
        "Without a face": 1,
        "Decided before": 0,
        "Left undecided": 1,
    }
    assert store_faces(found, faced).words == "Images changed: 2. Still without a decision: 1."
    again = check_boxes(faced, tmp_path, text)
    assert (again.counts["Decided before"], again.counts["Left undecided"]) == (2, 1)
    assert store_faces(again, faced).words == "Images changed: 0. Still without a decision: 1."


FAULTS = {
    "a.png,nan,2,3,4": "x is “nan”",
    "a.png,1,2,three,4": "w is “three”",
    "a.png,1,,3,4": "y is “”",
    "a.png,-4,2,3,4": "not inside the image",
    "a.png,1,2,-3,4": "at least 1",
    ",1,2,3,4": "names no image",
    "a.png,1,2": "the row has 3 cells",
    "b.png,5,5,5,5": "the same rectangle",
    "b.png,,,,": "shows no face",
}


@pytest.mark.few(5)
@pytest.mark.parametrize(("row", "reason"), FAULTS.items())
def test_a_faulty_row_is_named(faced: Project, tmp_path: Path, row: str, reason: str) -> None:
    found = check_boxes(faced, tmp_path, f"file,x,y,w,h\nb.png,5,5,5,5\n{row}\n")
    [note] = found.refused
    assert note.row == 3
    assert reason in note.reason
    with pytest.raises(StudyRefused, match="row 3") as refused:
        store_faces(found, faced)
    assert refused.value.code == "rows"
    assert not FaceDecision.objects.exists()
