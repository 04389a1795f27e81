"""What models wrote of images, to be rated, from a file."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotator.models import Project
from tests.annotator.protocols.defect.stages import make_people

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_people(1)


def import_rows(project: Project, path: Path, *answers: dict[str, Any]) -> None:
    file = path / "answers.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in answers))
    call_command("import_descriptions", str(file), project=project.slug, stdout=StringIO())


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
