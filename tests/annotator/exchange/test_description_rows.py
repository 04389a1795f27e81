"""Descriptions from a file: references, only for the same marks, and what models wrote, to be rated."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotator.models import Assignment, Project
from annotator.protocols.defect.material import checked_in
from tests.analysis.protocols.defect.test_stages import checked, exported, rows
from tests.annotator.protocols.defect.stages import make_people, marks
from tests.annotator.protocols.defect.test_outdated import correct, lead, settle

pytestmark = pytest.mark.django_db
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


def import_rows(project: Project, path: Path, *answers: dict[str, Any]) -> None:
    file = path / "answers.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in answers))
    call_command("import_descriptions", str(file), project=project.slug, stdout=StringIO())


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
    correct(marked, marks((30, 5, 20, 20)), lead(project))
    assert requests(project) == []
    assert rows(exported(project, "defect-check", "references")) == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"description": ""}, "expected a text"),
        ({"description": "x" * 2001}, "expected a text"),
        ({"made_from": "forged"}, "not the 16 digits"),
        ({"sha256": "0" * 64}, "names no image"),
        ({"score": 3}, "score"),
    ],
)
def test_rows_that_cannot_be_used_are_refused(
    project: Project, tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    (asked,) = requests(project)
    with pytest.raises(CommandError, match=reason):
        import_rows(project, tmp_path, asked["answer"] | {"description": TEXT} | change)
    assert reference(project)[1] == "assembled"


def test_one_answer_an_image(project: Project, tmp_path: Path) -> None:
    (asked,) = requests(project)
    answer = asked["answer"] | {"description": TEXT}
    with pytest.raises(CommandError, match="already has a row"):
        import_rows(project, tmp_path, answer, answer)


def test_what_models_wrote_becomes_attributes(project: Project, tmp_path: Path) -> None:
    sha256 = project.images.get().sha256
    import_rows(
        project,
        tmp_path,
        {"sha256": sha256, "model": "org/a", "defective": True, "description": ["Two fingers."]},
        {"sha256": sha256, "model": "b", "defective": False, "description": []},
    )
    assert project.images.get().attributes == {
        "description.org/a": "Two fingers.",
        "defective.org/a": "true",
        "description.b": "",
        "defective.b": "false",
    }


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
def test_candidates_that_contradict_themselves_are_refused(
    project: Project, tmp_path: Path, change: dict[str, Any], reason: str
) -> None:
    row = {"sha256": project.images.get().sha256, "model": "a", "defective": True, "description": ["A hand."]}
    with pytest.raises(CommandError, match=reason):
        import_rows(project, tmp_path, row | change)
    assert project.images.get().attributes == {}
