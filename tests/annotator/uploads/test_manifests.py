"""Manifests: what a table beside images says about them."""

from __future__ import annotations

import csv
from hashlib import sha256
from io import BytesIO, StringIO

import openpyxl
import pytest

from annotator.inputs.plain_text import TURNS
from annotator.models import Project
from tests.annotator.uploads.bringing import bring, brought, picture, read, row, states, store, zipped

pytestmark = pytest.mark.django_db
COLUMNS = ("file", "generator", "prompt", "number")


def manifest(
    *rows: tuple[object, ...], columns: str = "file,generator,prompt,number,prompt_group,seed"
) -> bytes:
    table = StringIO()
    csv.writer(table).writerows([columns.split(","), *rows])
    return table.getvalue().encode()


@pytest.mark.parametrize("archived", [False, True])
def test_a_manifest_overrules_names(project: Project, archived: bool) -> None:
    table = manifest(
        ("1.png", "flux", "woman reading", 7, "own", "42"),
        ("images/g/p/2.png", "", "Person", "", "", ""),
        ("g/p/3.png", "", "", 30, "", ""),
        ("absent.png", "a", "b", 1, "", ""),
        ("g/p/4.png", "a", "b", "x", "", ""),
    )
    files = {"1.png": picture(1), **{f"g/p/{number}.png": picture(number) for number in (2, 3, 4)}}
    # The table beside an archive or with the others.
    given = {"all.zip": zipped(files)} if archived else files
    upload = brought(project, {"manifest.csv": table, **given})
    found = {name: state for name, state in states(upload).items() if name != "all.zip"}
    ready = dict.fromkeys(["1.png", "g/p/2.png", "g/p/3.png"], "ready")
    assert found == {"manifest.csv": "table", **ready, "g/p/4.png": "unclear"}
    said = row(upload, "manifest.csv")
    assert said.problem == "2 rows have no effect: correct the manifest and upload it again."
    assert said.attributes["problems"] == [
        "Row 5: “absent.png” names no file of this upload.",
        "Row 6: number “x” is not a whole number.",
    ]
    store(upload)
    rows = project.images.values_list("generator", "prompt", "prompt_group", "number", "attributes")
    assert sorted(rows, key=str) == [
        ("flux", "woman reading", "own", 7, {"seed": "42"}),
        ("g", "Person", "", 2, {}),
        ("g", "p", "", 30, {}),
    ]


def test_a_manifest_names_files_by_their_content(project: Project) -> None:
    pictures = {f"{number}.png": picture(number) for number in (1, 2, 3)}
    digest = {name: sha256(contents).hexdigest() for name, contents in pictures.items()}
    table = manifest(
        ("", digest["1.png"].upper(), "flux", "a", 1),
        ("2.png", digest["2.png"], "flux", "a", 2),
        ("3.png", digest["2.png"], "flux", "a", 3),
        ("", "0" * 64, "flux", "a", 4),
        ("", "", "flux", "a", 5),
        columns="file,sha256,generator,prompt,number",
    )
    upload = brought(project, {"manifest.csv": table, **pictures})
    ready = upload.files.filter(state="ready").order_by("name")
    said = {"generator": "flux", "prompt": "a"}
    assert list(ready.values_list("name", "attributes")) == [
        (f"{number}.png", {"": {**said, "number": number}}) for number in (1, 2)
    ]
    assert upload.files.get(name="manifest.csv").attributes["problems"] == [
        "Row 4: “3.png” names no file of this upload.",
        f"Row 5: “{'0' * 64}” names no file of this upload.",
        "Row 6: file and sha256 are empty.",
    ]


@pytest.mark.parametrize("archived", [False, True])
def test_images_that_no_row_names_wait_for_a_corrected_manifest(project: Project, archived: bool) -> None:
    said = ("hand/1.png", "SDXL", "a hand", 1, "", "")
    pictures = {f"hand/{number}.png": picture(number) for number in (1, 2)}
    files = {**pictures, "manifest.csv": manifest(said, ("hand/3.png", *said[1:]))}
    upload = brought(project, {"all.zip": zipped(files)} if archived else files)
    unnamed = row(upload, "hand/2.png")
    values = (unnamed.state, unnamed.problem)
    assert values == ("unclear", "No usable row of the manifest names “hand/2.png”: correct the manifest.")
    assert row(upload, "manifest.csv").attributes["problems"] == [
        "Row 3: “hand/3.png” names no file of this upload."
    ]
    bring(project, {"manifest.csv": manifest(("hand/2.png", *said[1:]))}, upload)
    assert read(upload).status == "done"
    assert [row(upload, name).state for name in pictures] == ["unclear", "ready"]
    assert (row(upload, "manifest.csv").state, row(upload, "manifest.csv").problem) == ("table", "")


def test_folders_do_not_stand_in_for_a_manifest_that_cannot_be_read(project: Project) -> None:
    files = {f"sdxl/waving/{number}.png": picture(number) for number in (1, 2)}
    table = b"file,generator,prompt\nsdxl/waving/1.png,SDXL,waving\n"
    upload = brought(project, {"all.zip": zipped({**files, "Manifest 2.csv": table})})
    refused = row(upload, "Manifest 2.csv")
    assert refused.problem.startswith(
        "The manifest cannot be read: Manifest 2.csv lacks the column “number”."
    )
    assert {row(upload, name).state for name in files} == {"unclear"}
    bring(project, {"manifest.csv": manifest(("sdxl/waving/1.png", "SDXL", "a", 1, "", ""))}, upload)
    assert read(upload).status == "done"
    assert [row(upload, name).state for name in files] == ["ready", "unclear"]


def workbook(*rows: tuple[object, ...]) -> bytes:
    book = openpyxl.Workbook()
    for line in (COLUMNS, *rows):
        book.active.append(line)
    made = BytesIO()
    book.save(made)
    return made.getvalue()


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("name", ["manifest.xlsx", "sub/List.XLSX", "manifest.tsv"])
def test_a_workbook_or_tabs_say_what_a_csv_says(project: Project, name: str, archived: bool) -> None:
    rows = (("a.png", "SDXL", "a person", 1), ("b.png", "SDXL", "a person", 2))
    table = workbook(*rows)
    if name.endswith("tsv"):
        table = "\n".join("\t".join(map(str, line)) for line in (COLUMNS, *rows)).encode()
    files = {"a.png": picture(1), "b.png": picture(2), name: table}
    upload = brought(project, {"all.zip": zipped(files)} if archived else files)
    assert (row(upload, name).state, row(upload, name).problem) == ("table", "")
    store(upload)
    images = project.images.order_by("number").values_list("generator", "prompt", "number", "source_name")
    assert list(images) == [("SDXL", "a person", 1, "a.png"), ("SDXL", "a person", 2, "b.png")]


@pytest.mark.parametrize("path", ["/runs/7/g/p/1.png", "C:\\runs\\g\\p\\1.png", "images/g/p/1.png"])
def test_a_manifest_may_give_whole_paths(project: Project, path: str) -> None:
    table = manifest((path, "SDXL", "a person", 3, "", ""))
    upload = brought(project, {"g/p/1.png": picture(1), "manifest.csv": table})
    assert (row(upload, "g/p/1.png").generator, row(upload, "g/p/1.png").number) == ("SDXL", 3)


def test_faults_name_the_row(project: Project) -> None:
    table = manifest(
        ("", "g", "p", 1),
        ("a.png", "g", "p", "one"),
        ("a.png", "g\u202e", "p", 1),
        ("a.png", "g", "p\u2066", 1),
        ("a.png", "g" * 121, "p", 1),
        ("a.png", "g", "p" * 3001, 1),
        ("a.png", "g", "p"),
        ("a.png", "g", "\u200fשני אנשים\u200e", 1),
        ("a.png", "g", "p", 2),
        columns=",".join(COLUMNS),
    )
    upload = brought(project, {"a.png": picture(1), "manifest.csv": table})
    assert row(upload, "manifest.csv").attributes["problems"] == [
        "Row 2: file and sha256 are empty.",
        "Row 3: number “one” is not a whole number.",
        f"Row 4: generator {TURNS}.",
        f"Row 5: prompt {TURNS}.",
        "Row 6: generator is longer than 120 characters.",
        "Row 7: prompt is longer than 3000 characters.",
        "Row 8: the row has 3 cells, the header 4.",
        "Row 10: “a.png” is the file of row 9.",
    ]
    assert row(upload, "a.png").prompt == "\u200fשני אנשים\u200e"


def test_what_the_published_study_is_known_for_holds_for_no_other_upload(project: Project) -> None:
    name = "sdXL/physician_examining_patient/sdXL_physician_018.png"
    upload = brought(project, {name: picture(1)})
    assert (row(upload, name).number, row(upload, name).prompt_group) == (18, "")
