"""Marks made elsewhere: COCO and boxes, there and back, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from analysis.exports.files import Export
from analysis.exports.formats import FORMATS
from analysis.exports.registry import layouts_of
from annotator.exchange.annotation_files import check_annotations, store_checked
from annotator.exchange.formats.report import StudyRefused
from annotator.models import Annotation, Assignment, Batch, Project
from scoring.defect.masks import rectangle
from scoring.protocol import Payload
from tests.annotator.protocols.defect.stages import (
    MARKERS,
    REVIEWERS,
    judge,
    make_people,
    marks,
    released,
    voting,
)
from tests.factories import LEAD, make_image, make_member, make_project, make_user

pytestmark = pytest.mark.django_db
BOX = (5, 6, 20, 10)
MASK = rectangle(60, 80, BOX).as_json()


def exported(project: Project, form: str) -> Any:
    made = Export(project, layouts_of("defect-marks")["defects"], FORMATS[form], protocol="defect-marks")
    return json.loads(b"".join(made))


@pytest.fixture
def there() -> Project:
    """One image that two have marked, with body part and severity."""
    project = make_people(1)
    batch = released(project, "defect-marks", MARKERS)
    Batch.objects.filter(pk=batch.pk).update(settings={"details": True})

    def answer(each: Assignment, _: Payload) -> Payload:
        payload = marks(BOX)
        payload["defects"][0] |= {"part": "limbs", "severity": "ac"[each.annotator.code == "ann2"]}
        return payload

    judge(batch, answer)
    return project


@pytest.fixture
def back(there: Project) -> Project:
    """Another project with an image of the same file name."""
    project = make_project("back")
    make_member(project, LEAD, code="lead", user=make_user("other"))
    name = there.images.get().source_name
    make_image(project, source_name=name, width=80, height=60)
    return project


def imported(project: Project, data: Any, path: Path) -> Any:
    return stored_from(path / "marks.json", json.dumps(data), project, "defect-marks")


def stored_from(file: Path, text: str, project: Project, protocol: str) -> Any:
    file.write_text(text, encoding="utf-8")
    checked = check_annotations(file, project=project, protocol=protocol)
    store_checked(checked, project=project)
    return checked


def stored(project: Project) -> list[dict[str, Any]]:
    rows = Annotation.objects.filter(assignment__batch__project=project)
    return [row.payload for row in rows.order_by("assignment__annotator__code")]


def test_coco_comes_back_with_masks_kinds_and_texts(there: Project, back: Project, tmp_path: Path) -> None:
    data = exported(there, "coco")
    imported(back, data, tmp_path)
    first, second = stored(back)
    said = {"kind": "structural", "text": "The finger at 5 is bent"}
    assert first["defects"] == second["defects"] == [{"id": "d1", "mask": MASK, **said}]
    assert (first["effect"], first["elsewhere"]) == (None, True)
    codes = Assignment.objects.filter(batch__project=back).values_list("annotator__code", flat=True)
    assert set(codes) == {"ann1", "ann2"}
    # A second import adds nothing.
    imported(back, data, tmp_path)
    assert len(stored(back)) == 2


def test_boxes_come_back_with_body_part_and_severity(there: Project, back: Project, tmp_path: Path) -> None:
    data = exported(there, "had")
    told = {"text": "The finger at 5 is bent", "kind": "structural"}
    box = {"bbox": [5, 6, 25, 16], "body_parts": "limbs", "level": "mild"}
    assert data[0]["annotation"] == [{**box, **told}]
    imported(back, data, tmp_path)
    assert [one["defects"][0]["severity"] for one in stored(back)] == ["a", "c"]
    assert stored(back)[0]["defects"][0]["mask"] == MASK


def test_files_of_the_artifact_dataset_are_read(back: Project, tmp_path: Path) -> None:
    name = back.images.get().source_name
    data = {
        "image": {"file_name": name, "height": 60, "width": 80},
        "annotation": [{"bbox": [25, 16, 5, 6], "body_parts": "arm", "level": "severe"}],
        "human": [{"bbox": [0, 0, 40, 60], "tag": ["human missing hand", "human with extra leg"]}],
    }
    imported(back, data, tmp_path)
    (payload,) = stored(back)
    told = [(one.get("part"), one.get("severity"), one["text"]) for one in payload["defects"]]
    assert told == [
        ("limbs", "c", "severe artifact: arm"),
        ("hands", None, "human missing hand"),
        ("limbs", None, "human with extra leg"),
    ]
    assert payload["defects"][0]["mask"] == MASK
    # Persons leave as they came, with their corners in order.
    (out,) = exported(back, "had")
    assert out["human"] == data["human"]
    assert [one["bbox"] for one in out["annotation"]] == [[5, 6, 25, 16]]


@pytest.mark.parametrize(
    ("segmentation", "reason"),
    [
        ([[1, 2, 3, 4, 5, 6]], "Polygons are not read. Export run-length masks."),
        ({"size": [60, 81], "counts": "0"}, "Refused: the mask of defect 1 cannot be read"),
        ({"size": [30, 40], "counts": [1200]}, "is 30 × 40; this image has 60 × 80."),
    ],
)
def test_bad_masks_are_refused(back: Project, tmp_path: Path, segmentation: Any, reason: str) -> None:
    data = {
        "images": [{"id": 1, "file_name": back.images.get().source_name, "width": 80, "height": 60}],
        "annotations": [{"image_id": 1, "category_id": 1, "segmentation": segmentation}],
        "categories": [{"id": 1, "name": "structural"}],
    }
    (note,) = imported(back, data, tmp_path).refused
    assert (note.row, note.column) == (1, "marks")
    assert reason in note.reason
    assert stored(back) == []


def test_a_coco_file_of_lists_is_read_but_for_images_that_are_not_there(
    back: Project, tmp_path: Path
) -> None:
    names = [back.images.get().source_name, "elsewhere.png"]
    mask = {"size": [60, 80], "counts": list(rectangle(60, 80, BOX).runs)}
    data = {
        "images": [{"id": n, "file_name": name, "width": 80, "height": 60} for n, name in enumerate(names)],
        "annotations": [{"image_id": n, "category_id": 2, "segmentation": mask} for n in range(2)],
        "categories": [{"id": 2, "name": "logical"}],
    }
    (note,) = imported(back, data, tmp_path).refused
    assert "there is no image" in note.reason
    (payload,) = stored(back)
    assert payload["defects"] == [{"id": "d1", "mask": MASK, "kind": "logical", "text": "logical"}]


def test_a_file_of_500_megabytes_is_refused_unread(back: Project, tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    file.write_text('{"images": [')
    with file.open("ab") as large:
        large.truncate(500 * 10**6)
    with pytest.raises(StudyRefused, match="is larger than 50 MB"):
        check_annotations(file, project=back, protocol="defect-marks")


@pytest.mark.parametrize("text", ['{"a": 1}', "[1, 2]", '{"images": [}', "[" * 100_000])
def test_other_json_is_refused_as_a_whole(back: Project, tmp_path: Path, text: str) -> None:
    file = tmp_path / "other.json"
    file.write_text(text)
    with pytest.raises(StudyRefused) as refused:
        check_annotations(file, project=back, protocol="defect-marks")
    assert refused.value.code == "json"


def test_verdicts_leave_as_a_sheet_and_come_back(back: Project, tmp_path: Path) -> None:
    project, name = make_people(1, slug="there"), back.images.get().source_name
    project.images.update(source_name=name)
    judge(released(project, "defect-verdict", REVIEWERS), voting("ARU"))
    layout = layouts_of("defect-verdict")["sheet"]
    sheet = b"".join(Export(project, layout, FORMATS["csv"], protocol="defect-verdict")).decode()
    rows = list(csv.DictReader(io.StringIO(sheet)))
    written = [(row["Annotator"], row["verdict"], row["note"]) for row in rows]
    assert written == [("rev1", "accept", ""), ("rev2", "reject", ""), ("rev3", "cannot_judge", "Too dark.")]
    lines = ["file,annotator,verdict,note", *(f"{name},{','.join(row)}" for row in written)]
    # A second import adds nothing.
    for _ in range(2):
        stored_from(tmp_path / "verdicts.csv", "\n".join(lines), back, "defect-verdict")
    assert [(one["answers"], one["note"]) for one in stored(back)] == [
        ({"verdict": "accept"}, ""),
        ({"verdict": "reject"}, ""),
        ({"verdict": "cannot_judge"}, "Too dark."),
    ]


@pytest.mark.parametrize(
    ("row", "column", "words"),
    [
        ("perhaps,", "verdict", "is not one of accept, reject, cannot judge. Leave it empty for no answer"),
        ("cannot judge,", "verdict", "Not submitted: say in the note why the image cannot be judged."),
        (",seen", "verdict", "Not submitted: answer “Verdict” first."),
    ],
)
def test_bad_verdicts_are_refused(back: Project, tmp_path: Path, row: str, column: str, words: str) -> None:
    text = f"file,annotator,verdict,note\n{back.images.get().source_name},ann1,{row}\n"
    (note,) = stored_from(tmp_path / "verdicts.csv", text, back, "defect-verdict").refused
    assert (note.row, note.column, note.reason) == (2, column, words)
    assert stored(back) == []
