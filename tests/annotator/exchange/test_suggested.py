"""Suggested references, asked for in a file and answered in another; and masks as COCO or JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.image_rows import CheckedRows
from annotator.exchange.suggestion_rows import FoundSuggestions, check_suggestions
from annotator.models import Assignment, Project
from annotator.protocols.defect.material import checked_in, models_of, said_by_models
from annotator.suggestions.runs import withdraw_run
from scoring.defect.masks import read_mask, rectangle
from tests.analysis.protocols.defect.test_stages import checked, exported, rows
from tests.annotator.protocols.defect.stages import lead_of, make_people, marks, settle
from tests.annotator.protocols.defect.test_outdated import correct
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db
Check = Callable[[str], CheckedRows[FoundSuggestions]]
TEXT = "Two fingers are bent. The effect on the image is noticeable."


@pytest.fixture
def project() -> Project:
    found = make_people(1)
    checked(found)
    return found


def requests(project: Project) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in exported(project, "defect-check", "references", "requests").splitlines()
    ]


def import_rows(
    project: Project, path: Path, *answers: dict[str, Any], version: int = 1, what: str = "reference"
) -> None:
    file = path / "answers.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in answers))
    how = {"what": what, "source": "writer", "source_version": str(version)}
    call_command("import_suggestions", str(file), project=project.slug, stdout=StringIO(), **how)


def reference(project: Project) -> tuple[str, str]:
    (line,) = rows(exported(project, "defect-check", "references"))
    return line["reference"], line["source"]


def test_an_answer_becomes_the_reference_until_the_marks_change(project: Project, tmp_path: Path) -> None:
    (asked,) = requests(project)
    # The letters of markers are drawn for each image.
    assert sorted(asked["descriptions"]) == ["The finger at 5 is bent", "The finger at 8 is bent"]
    assert asked["effect"] == "noticeable"
    assert reference(project)[1] == "assembled"
    import_rows(project, tmp_path, asked["answer"] | {"description": TEXT})
    assert reference(project) == (TEXT, "outside")
    check, image = project.batches.get(protocol="defect-check"), project.images.get()
    found = checked_in(check, image)
    assert found is not None
    assert (found.reference, found.source) == (TEXT, "outside")
    # An expert's own text comes first.
    payload = check.assignments.order_by("pk")[0].annotation.payload
    settle(image, "defect-check", {**payload, "reference": "An expert wrote this."})
    assert reference(project) == ("An expert wrote this.", "expert")


def test_an_answer_to_earlier_marks_does_not_count(project: Project, tmp_path: Path) -> None:
    (asked,) = requests(project)
    marked = Assignment.objects.select_related("annotation").get(
        batch__protocol="defect-marks", annotator__code="ann1"
    )
    import_rows(project, tmp_path, asked["answer"] | {"description": TEXT})
    correct(marked, marks((30, 5, 20, 20)), lead_of(project))
    assert requests(project) == []
    assert rows(exported(project, "defect-check", "references")) == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"description": ""}, "expected a text"),
        ({"description": "x" * 2001}, "expected a text"),
        ({"made_from": "forged"}, "no check of this image"),
        ({"sha256": "0" * 64}, "names no image"),
        ({"score": 3}, "score"),
    ],
)
def test_unusable_rows(project: Project, tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    (asked,) = requests(project)
    with pytest.raises(CommandError, match=reason):
        import_rows(project, tmp_path, asked["answer"] | {"description": TEXT} | change)
    assert reference(project)[1] == "assembled"


def test_what_models_wrote_is_suggested_to_raters(project: Project, tmp_path: Path) -> None:
    sha256 = project.images.get().sha256
    row = {"sha256": sha256, "model": "org/a", "defective": True, "description": ["A thumb."]}
    import_rows(project, tmp_path, row, what="description")
    none = {"sha256": sha256, "model": "b", "defective": False, "description": []}
    import_rows(project, tmp_path, none, what="description", version=2)
    image = project.images.get().pk
    assert said_by_models(image__project=project) == {
        image: {
            "org/a": {"model": "org/a", "defective": True, "description": "A thumb."},
            "b": {"model": "b", "defective": False, "description": ""},
        }
    }
    # What a model wrote last counts, and nothing of a withdrawn run.
    import_rows(project, tmp_path, row | {"description": "A wrist."}, what="description", version=3)
    assert models_of(said_by_models(image=image)[image]) == {"A wrist.": ["org/a"]}
    withdraw_run(project.suggestion_runs.get(source_version="3"), actor=None)
    assert models_of(said_by_models(image=image)[image]) == {"A thumb.": ["org/a"]}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"description": []}, "exactly if"),
        ({"defective": False}, "exactly if"),
        ({"defective": "perhaps"}, "true or false"),
        ({"description": ["One.", "Two."]}, "at most one text"),
        ({"model": "m" * 41}, "at most 40"),
    ],
)
def test_contradictions(project: Project, tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    row = {"sha256": project.images.get().sha256, "model": "a", "defective": True, "description": ["A hand."]}
    with pytest.raises(CommandError, match=reason):
        import_rows(project, tmp_path, row | change, what="description")
    assert said_by_models(image__project=project) == {}


SQUARE = rectangle(20, 30, (1, 2, 8, 8)).as_json()


def coco(**change: Any) -> dict[str, Any]:
    annotation = {"id": 1, "image_id": 7, "category_id": 2, "segmentation": SQUARE, **change}
    return {
        "images": [{"id": 7, "file_name": "a.png", "height": 20, "width": 30}],
        "categories": [{"id": 1, "name": "structural"}, {"id": 2, "name": "logical"}],
        "annotations": [annotation],
    }


@pytest.fixture
def marked(tmp_path: Path) -> Check:
    project = make_project("marked")
    make_image(project, source_name="a.png", width=30, height=20)

    def check(text: str) -> CheckedRows[FoundSuggestions]:
        path = tmp_path / "masks.json"
        path.write_text(text)
        return check_suggestions(path, project, what="masks")

    return check


def test_coco_and_json_lines_say_the_same(marked: Check) -> None:
    row = {"file": "a.png", "masks": [{"mask": SQUARE, "kind": "logical"}]}
    runs = list(read_mask(SQUARE).runs)
    listed = coco(segmentation={"size": [20, 30], "counts": runs}, text="Fused.", annotator="model")
    for text in (json.dumps(coco()), json.dumps(listed, indent=1), json.dumps(row)):
        found = marked(text)
        assert found.refused == ()
        # What is wrong there is not suggested, whatever a file says.
        assert list(found.found["suggested"].values()) == [{"masks": [{"mask": SQUARE, "kind": "logical"}]}]
        assert [shown["masks"] for _, shown in found.shown] == [1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"segmentation": [[1, 1, 5, 1, 5, 5]]}, "the mask of defect 1 is a polygon. Polygons are not read."),
        ({"segmentation": rectangle(30, 20, (1, 2, 8, 8)).as_json()}, "the mask of defect 1 is 30 × 20"),
        ({"segmentation": {"size": [20, 30], "counts": [1, 2]}}, "the mask of defect 1 cannot be read"),
        ({"segmentation": {"size": [20, 30], "counts": [600]}}, "Defect 1 is not marked yet."),
    ],
)
def test_masks_that_cannot_be_used_are_named(marked: Check, change: dict[str, Any], reason: str) -> None:
    (note,) = marked(json.dumps(coco(**change))).refused
    assert (note.column, note.text) == ("masks", "a.png")
    assert note.reason.startswith(reason)


def test_a_file_without_masks_is_refused(marked: Check) -> None:
    with pytest.raises(StudyRefused, match="run-length masks as COCO"):
        marked(json.dumps({**coco(), "annotations": [{"image_id": 9}]}))
    (note,) = marked('{"file": "a.png", "masks": 3}').refused
    assert note.reason.startswith("expected a list of masks")
    (note,) = marked('{"file": "a.png", "masks": []}').refused
    assert note.reason == "no mask is given"
    (unknown,) = marked(
        json.dumps({**coco(), "images": [{**coco()["images"][0], "file_name": "b.png"}]})
    ).refused
    assert unknown.reason.startswith("there is no image")
