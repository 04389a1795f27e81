"""Manifests among the files of an upload: which file a row names, and what is left without a name."""

from __future__ import annotations

import csv
import io

import pytest

from annotator.models import Project, Upload
from tests.annotator.uploads.bringing import bring, picture, read, row, store, zipped
from tests.factories import make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


def brought(project: Project, files: dict[str, bytes]) -> Upload:
    upload = bring(project, files)
    assert read(upload).status == "done"
    return upload


def manifest(
    *rows: tuple[object, ...], columns: str = "file,generator,prompt,number,prompt_group,seed"
) -> bytes:
    table = io.StringIO()
    csv.writer(table).writerows([columns.split(","), *rows])
    return table.getvalue().encode()


@pytest.mark.thorough
def test_a_manifest_overrules_names(project: Project) -> None:
    table = manifest(
        ("1.png", "flux", "woman reading", 7, "own", "42"),
        ("images/g/p/2.png", "", "Person", "", "", ""),
        ("g/p/3.png", "", "", 30, "", ""),
        ("absent.png", "a", "b", 1, "", ""),
        ("g/p/4.png", "a", "b", "x", "", ""),
    )
    pictures = {f"g/p/{number}.png": picture(number) for number in (2, 3, 4)}
    for given in (
        {
            f"in/{name}": each
            for name, each in {"manifest.csv": table, "1.png": picture(1), **pictures}.items()
        },
        {"all.zip": zipped({"manifest.csv": table, "1.png": picture(1), **pictures})},
        {"manifest.csv": table, "all.zip": zipped({"1.png": picture(1), **pictures})},
    ):
        upload = brought(make_project(), given)
        found = {file.name.removeprefix("in/"): file for file in upload.files.all()}
        assert {name: file.state for name, file in found.items() if name != "all.zip"} == {
            "manifest.csv": "table",
            **dict.fromkeys(["1.png", "g/p/2.png", "g/p/3.png"], "ready"),
            "g/p/4.png": "unclear",
        }
        assert found["manifest.csv"].problem == (
            "2 rows have no effect: correct the manifest and upload it again."
        )
        assert found["manifest.csv"].attributes["problems"] == [
            "manifest.csv, row 6: number “x” is not a whole number.",
            "Row 5: “absent.png” names no file of this upload.",
        ]
        store(upload)
        rows = upload.project.images.values_list(
            "generator", "prompt", "prompt_group", "number", "attributes"
        )
        assert sorted(rows, key=str) == [
            ("flux", "woman reading", "own", 7, {"seed": "42"}),
            ("g", "Person", "", 2, {}),
            ("g", "p", "", 30, {}),
        ]


@pytest.mark.parametrize("named", ["h\u00e4nde", "ha\u0308nde"])
def test_a_manifest_names_files_in_another_unicode_form(project: Project, named: str) -> None:
    """A Mac writes a with two dots as two characters in an archive, and a spreadsheet as one."""
    table = manifest(
        (f"run1/{named}/01.png", "SDXL", "a person h\u00e4nde", 1, "", ""),
        ("./run1/waving/02.PNG", "SDXL", "a person waving", 2, "", ""),
        (f"set\\run2\\{named}\\01.png", "DALL-E 3", "a person h\u00e4nde", 1, "", ""),
        ("run2/waving/02.png", "DALL-E 3", "a person waving", 2, "", ""),
        ("run3/waving/02.png", "FLUX", "a person waving", 3, "", ""),
    )
    names = ["run1/ha\u0308nde/01.png", "run1/waving/02.png", "run2/ha\u0308nde/01.png", "run2/waving/02.png"]
    pictures = {name: picture(place) for place, name in enumerate([*names, "run1/waving/03.png"])}
    upload = brought(project, {"all.zip": zipped({**pictures, "manifest.csv": table})})
    assert row(upload, "manifest.csv").problem == (
        "1 row has no effect: correct the manifest and upload it again."
    )
    assert row(upload, "manifest.csv").attributes["problems"] == [
        "Row 6: “run3/waving/02.png” names no file of this upload."
    ]
    unnamed = row(upload, "run1/waving/03.png")
    assert (unnamed.state, unnamed.problem) == (
        "unclear",
        "No row of the manifest names “run1/waving/03.png”: correct the manifest.",
    )
    store(upload)
    images = project.images.order_by("source_name").values_list("generator", "prompt", "number")
    assert list(images) == [
        ("SDXL", "a person h\u00e4nde", 1),
        ("SDXL", "a person waving", 2),
        ("DALL-E 3", "a person h\u00e4nde", 1),
        ("DALL-E 3", "a person waving", 2),
    ]
