"""A bundle goes into another project by the ordinary imports: its zip as images, its sheet as annotations."""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import call_command

from annotator.exchange.import_jobs import request_reading, request_storing
from annotator.models import Annotation, Project
from tests.analysis.bundles.making import exports_of, make_picture, unpacked
from tests.analysis.factories import EARLIER, make_submitted
from tests.annotator.job_acts import result_of
from tests.annotator.uploads.bringing import bring, read, states, store
from tests.factories import make_batch, make_member, make_project

pytestmark = pytest.mark.django_db
IMAGE = ("sha256", "generator", "prompt", "prompt_group", "number", "attributes")
NAMES = (
    ("alpha", "hugging", "pair", 1),
    ("=beta", "a \u201cpizza\u201d,\nshared", "", 7),
    ("alpha", "jogging, slowly", "individual", 12),
)


@pytest.fixture
def project() -> Project:
    """Three images with names that tables have to quote, judged by two people."""
    project = make_project("first", name="Study")
    batch = make_batch(project, name="pilot")
    people = [make_member(project, code=code) for code in ("ada", "ben")]
    for place, (generator, prompt, group, number) in enumerate(NAMES):
        attributes = {"steps": "20", **({"source": "real"} if place else {})}
        named = {"generator": generator, "prompt": prompt, "prompt_group": group, "number": number}
        image = make_picture(project, **named, attributes=attributes)
        for code, person in zip("bc", people, strict=True):
            terms = [("missing.limbs", f"1/{place + 2}{code}")] * (place > 0)
            made = {"image": image, "batch": batch, "submitted_at": EARLIER, "saved_at": EARLIER}
            make_submitted(person, terms, **made)
    return project


def images_of(project: Project) -> list[tuple[object, ...]]:
    return sorted(project.images.values_list(*IMAGE), key=str)


def answers_of(project: Project) -> list[tuple[object, ...]]:
    held = Annotation.objects.filter(assignment__batch__project=project)
    rows = held.values_list("assignment__image__sha256", "assignment__annotator__code", "payload")
    return sorted(rows, key=str)


def by_pages(folder: Path, contents: bytes, files: dict[str, bytes]) -> Project:
    """The zip is uploaded as images; then its sheet as annotations."""
    project = make_project("second")
    upload = bring(project, {"bundle.zip": contents})
    read(upload)
    assert [name for name, state in states(upload).items() if state == "ready"] == [
        name for name in files if name.startswith("images/")
    ]
    store(upload)
    sheet = files["data/sheet.csv"]
    reading = request_reading(project=project, name="s.csv", contents=sheet, actor=None)
    result_of(reading)
    result_of(request_storing(reading=reading, actor=None, request_key=uuid4()))
    return project


def by_command(folder: Path, contents: bytes, files: dict[str, bytes]) -> Project:
    """The unpacked bundle is imported as a study."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    sheet = folder / "data" / "sheet.csv"
    call_command("import_study", str(folder), project="second", annotations=sheet, stdout=StringIO())
    return Project.objects.get(slug="second")


@pytest.mark.parametrize("way", [by_pages, by_command])
def test_images_and_annotations_are_as_they_were(
    project: Project, tmp_path: Path, way: Callable[[Path, bytes, dict[str, bytes]], Project]
) -> None:
    files = unpacked(project, tmp_path)
    second = way(tmp_path, (tmp_path / "bundle.zip").read_bytes(), files)
    assert images_of(second) == images_of(project)
    assert answers_of(second) == answers_of(project)
    one, two = (exports_of(study, layouts=["sheet"])["sheet.csv"] for study in (project, second))
    assert one == two


def test_the_manifest_names_every_image_in_the_bundle(project: Project, tmp_path: Path) -> None:
    lost = project.images.get(number=7)
    lost.file.storage.delete(lost.file.name or "")
    files = unpacked(project, tmp_path)
    rows = list(csv.DictReader(StringIO(files["manifest.csv"].decode(), newline="")))
    assert {row["file"] for row in rows} == {name for name in files if name.startswith("images/")}
    assert [(row["number"], row["steps"], row["source"]) for row in rows] == [
        ("1", "20", ""),
        ("12", "20", "real"),
    ]
    assert "manifest.csv" not in unpacked(project, tmp_path, pictures=False)
