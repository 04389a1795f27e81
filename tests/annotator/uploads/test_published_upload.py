"""The published study, brought as images: an upload makes of it what the import of the study does."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from annotator.imports import import_study
from annotator.models import Project, Upload
from tests.annotator.uploads.bringing import bring, read, states, store, zipped
from tests.factories import make_project

pytestmark = [pytest.mark.django_db, pytest.mark.study]

COLUMNS = (
    "sha256",
    "generator",
    "prompt",
    "prompt_group",
    "number",
    "format",
    "width",
    "height",
    "attributes",
)


def images_of(project: Project) -> list[tuple[object, ...]]:
    return sorted(project.images.values_list(*COLUMNS), key=lambda row: str(row[0]))


def files_of(study: Path, *folders: str) -> dict[str, bytes]:
    found = [path for folder in folders for path in sorted((study / folder).rglob("*")) if path.is_file()]
    return {path.relative_to(study).as_posix(): path.read_bytes() for path in found}


def brought(files: dict[str, bytes]) -> Upload:
    upload = bring(make_project(), files)
    read(upload)
    return upload


@pytest.fixture(scope="module")
def pictures(study_data: Path) -> dict[str, bytes]:
    return files_of(study_data, "images")


@pytest.fixture
def bare(study_data: Path, tmp_path: Path) -> list[tuple[object, ...]]:
    """What the study's import makes of the images alone."""
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "images").symlink_to(study_data / "images")
    project = make_project()
    # A link that leads out of the folder is refused: the images are linked one by one instead.
    (tmp_path / "bare" / "images").unlink()
    for path in sorted((study_data / "images").rglob("*")):
        copy = tmp_path / "bare" / path.relative_to(study_data)
        copy.mkdir(parents=True) if path.is_dir() else copy.write_bytes(path.read_bytes())
    import_study(tmp_path / "bare", project=project)
    return images_of(project)


def test_from_a_folder_and_from_a_zip(pictures: dict[str, bytes], bare: list[tuple[object, ...]]) -> None:
    for files in (pictures, {"study.zip": zipped(pictures)}):
        upload = brought(files)
        assert upload.pattern == "{generator}/{prompt}/{*}{number}"
        assert {state for name, state in states(upload).items() if name != "study.zip"} == {"ready"}
        store(upload)
        assert upload.status == "stored"
        assert images_of(upload.project) == bare
        assert len(bare) == 240


def test_with_its_annotations(study_data: Path, pictures: dict[str, bytes]) -> None:
    project = make_project()
    import_study(study_data, project=project)
    files = files_of(study_data, "data", "images") | {"README.md": (study_data / "README.md").read_bytes()}
    upload = brought({"study.zip": zipped(files)})
    assert states(upload)["data/annotations.csv"] == "table"
    assert states(upload)["README.md"] == "ignored"
    store(upload)
    assert images_of(upload.project) == images_of(project)


def test_with_a_manifest(pictures: dict[str, bytes], bare: list[tuple[object, ...]]) -> None:
    said = {row[0]: row for row in bare}
    import hashlib

    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["file", "generator", "prompt", "number"])
    files: dict[str, bytes] = {}
    for place, contents in enumerate(pictures.values()):
        _, generator, prompt, _, number, *_ = said[hashlib.sha256(contents).hexdigest()]
        files[f"flat/{place:x}.jpg"] = contents
        writer.writerow([f"flat/{place:x}.jpg", generator, prompt, number])
    upload = brought({**files, "manifest.csv": table.getvalue().encode()})
    assert states(upload)["manifest.csv"] == "table"
    store(upload)
    assert images_of(upload.project) == bare
