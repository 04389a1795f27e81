"""The published study, brought as images: an upload makes of it what the import of the study does."""

from __future__ import annotations

import csv
import hashlib
import io
from pathlib import Path

import pytest

from annotator.exchange import import_study
from annotator.models import Project, Upload
from tests.annotator.uploads.bringing import bring, picture, read, states, store, zipped
from tests.factories import make_project

pytestmark = [pytest.mark.thorough, pytest.mark.django_db]

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


EVERY = 10


def images_of(project: Project) -> list[tuple[object, ...]]:
    return sorted(project.images.values_list(*COLUMNS), key=lambda row: str(row[0]))


def imported(files: dict[str, bytes], folder: Path) -> list[tuple[object, ...]]:
    """The images that the study's import makes of these files."""
    for name, contents in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(contents)
    project = make_project()
    import_study(folder, project=project)
    return images_of(project)


def brought(files: dict[str, bytes]) -> Upload:
    upload = bring(make_project(), files)
    read(upload)
    return upload


@pytest.fixture(scope="module")
def pictures(study_data: Path) -> dict[str, bytes]:
    """A small picture, unlike any other, under the name of each of the study's: names are what is read."""
    names = sorted(path.relative_to(study_data) for path in (study_data / "images").rglob("*.*"))
    return {
        name.as_posix(): picture(place, "JPEG", (8 + place % 16, 8 + place // 16))
        for place, name in enumerate(names)
    }


@pytest.fixture
def bare(pictures: dict[str, bytes], tmp_path: Path) -> list[tuple[object, ...]]:
    """What the study's import makes of the images alone."""
    return imported(pictures, tmp_path / "bare")


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "zip"])
def test_from_a_folder_and_from_a_zip(
    pictures: dict[str, bytes], bare: list[tuple[object, ...]], packed: bool
) -> None:
    upload = brought({"study.zip": zipped(pictures)} if packed else pictures)
    assert upload.pattern == "{generator}/{prompt}/{*}{number}"
    assert {state for name, state in states(upload).items() if name != "study.zip"} == {"ready"}
    store(upload)
    assert upload.status == "stored"
    assert images_of(upload.project) == bare
    assert len(bare) == 240


def test_the_pictures_themselves(study_data: Path, pictures: dict[str, bytes], tmp_path: Path) -> None:
    """One in ten of the published files, byte for byte."""
    files = {name: (study_data / name).read_bytes() for name in list(pictures)[::EVERY]}
    upload = brought(files)
    store(upload)
    assert images_of(upload.project) == imported(files, tmp_path / "some")
    assert upload.project.images.count() == 240 // EVERY


def test_with_its_annotations(
    study_data: Path, pictures: dict[str, bytes], bare: list[tuple[object, ...]]
) -> None:
    kept = (*(study_data / "data").rglob("*.*"), study_data / "README.md")
    files = pictures | {path.relative_to(study_data).as_posix(): path.read_bytes() for path in kept}
    upload = brought({"study.zip": zipped(files)})
    # A sheet of annotations is no manifest: it neither names images nor stops them.
    sheet = upload.files.get(name="data/annotations.csv")
    assert sheet.state == "ignored"
    assert sheet.problem.startswith("Not a manifest")
    assert states(upload)["README.md"] == "ignored"
    store(upload)
    assert images_of(upload.project) == bare


def test_with_a_manifest(pictures: dict[str, bytes], tmp_path: Path) -> None:
    some = dict(list(pictures.items())[::3])
    bare = imported(some, tmp_path / "bare")
    said = {row[0]: row for row in bare}
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["file", "generator", "prompt", "number"])
    files: dict[str, bytes] = {}
    for place, contents in enumerate(some.values()):
        _, generator, prompt, _, number, *_ = said[hashlib.sha256(contents).hexdigest()]
        files[f"flat/{place:x}.jpg"] = contents
        writer.writerow([f"flat/{place:x}.jpg", generator, prompt, number])
    upload = brought({**files, "manifest.csv": table.getvalue().encode()})
    assert states(upload)["manifest.csv"] == "table"
    store(upload)
    assert images_of(upload.project) == bare
