"""The command: what it prints, and what it says to bad input."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotator.models import Annotation, Image, Membership, Project, User
from tests.annotator.exchange.conftest import StudyFolder, picture, sheet_row, sheet_text

ROOT = Path(__file__).resolve().parents[3]
LIMBS = "1. Missing Error-1.2 Limbs"


def run(folder: Path, *options: str, project: str = "study") -> str:
    out = StringIO()
    call_command("import_study", str(folder), "--project", project, *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def run_json(folder: Path, *options: str, project: str = "study") -> dict[str, Any]:
    outcome: dict[str, Any] = json.loads(run(folder, "--json", *options, project=project))
    return outcome


def huge_png(side: int) -> bytes:
    """A valid, empty PNG of side x side pixels, one bit each."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compressobj(1)
    line = bytes(1 + side // 8)
    data = b"".join(rows.compress(line) for _ in range(side)) + rows.flush()
    header = struct.pack(">IIBBBBB", side, side, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def nothing_is_stored(media: Path) -> bool:
    rows = [model.objects.count() for model in (Project, Image, Annotation, Membership, User)]
    files = [path for path in media.rglob("*") if path.is_file()] if media.exists() else []
    return rows == [0] * 5 and not files


@pytest.mark.django_db
def test_json_has_the_shape_people_script(small_study: StudyFolder) -> None:
    small_study.image("sdXL/couple_hugging/sdXL_hug_03.png", b"no picture")
    assert run_json(small_study.path) == {
        "images": {
            "added": 4,
            "existing": 0,
            "rejected": [
                {
                    "file": "images/sdXL/couple_hugging/sdXL_hug_03.png",
                    "reason": "not a PNG, JPEG or WebP image",
                }
            ],
        },
        "annotations": {
            "added": 3,
            "existing": 0,
            "rejected_terms": [
                {
                    "row": 2,
                    "column": "2. Extra Error-2.4 Hands",
                    "text": "1/5",
                    "reason": "no severity: a, b or c is missing after the total",
                }
            ],
            "warnings": [],
        },
        "unmatched": {
            "images": [
                "images/sdXL/couple_hugging/sdXL_hug_02.png",
                "images/stable_cascade/couple_hugging/SC_hug_01.png",
            ],
            "rows": [],
        },
    }
    again = run_json(small_study.path)
    assert (again["images"]["added"], again["images"]["existing"]) == (0, 4)
    assert (again["annotations"]["added"], again["annotations"]["existing"]) == (0, 3)


@pytest.mark.django_db
def test_the_summary(small_study: StudyFolder) -> None:
    lines = run(small_study.path).splitlines()
    assert lines[:3] == [
        "Images: 4 added, 0 existing, 0 rejected.",
        "Annotations: 3 added, 0 existing, 1 rejected terms, 0 warnings.",
        "Unmatched: 2 images, 0 rows.",
    ]
    table = [" ".join(line.split()) for line in lines[3:] if line.strip()]
    assert table[0] == "What Where Text Reason"
    assert table[2] == (
        "term rejected row 2, 2. Extra Error-2.4 Hands 1/5 no severity: a, b or c is missing after the total"
    )
    assert len(table) == 5


@pytest.mark.django_db
def test_a_project_that_nobody_leads_is_said(small_study: StudyFolder) -> None:
    def said() -> str:
        told = StringIO()
        call_command("import_study", str(small_study.path), project="study", stdout=StringIO(), stderr=told)
        return told.getvalue().strip()

    assert said() == (
        "study has no lead, so it cannot be opened. Add one: "
        "manage.py add_person NAME --project study --role lead"
    )
    call_command("add_person", "ada", project="study", role="lead", stdout=StringIO())
    assert said() == ""


@pytest.mark.django_db
def test_a_long_table_is_cut(study: StudyFolder) -> None:
    for number in range(50):
        study.image(f"g/p/{number}.png", b"x")
    study.image("g/p/50.png")
    lines = run(study.path).splitlines()
    assert lines[-1] == "and 10 more: --json lists all."


@pytest.mark.django_db
def test_the_project_is_made_once_and_kept(small_study: StudyFolder) -> None:
    run(small_study.path)
    project = Project.objects.get()
    assert (project.slug, project.name) == ("study", "Study")
    run(small_study.path)
    assert Project.objects.get() == project


@pytest.mark.django_db
def test_options_name_the_tables(study: StudyFolder, tmp_path: Path) -> None:
    study.image("loose.png")
    (tmp_path / "m.csv").write_text("file,generator,prompt,number\nloose.png,g,one person,4\n")
    (tmp_path / "p.csv").write_text("prompt,group\nOne Person,alone\n")
    (tmp_path / "a.csv").write_text(sheet_text([sheet_row("g_one person_04")]))
    options = ("--manifest", "m.csv", "--prompt-groups", "p.csv", "--annotations", "a.csv")
    given = [str(tmp_path / option) if option.endswith(".csv") else option for option in options]
    assert run_json(study.path, *given)["annotations"]["added"] == 1
    image = Image.objects.get()
    assert (image.generator, image.prompt, image.prompt_group, image.number) == (
        "g",
        "one person",
        "alone",
        4,
    )


Spoil = Callable[[StudyFolder], str]


def _rewritten(study: StudyFolder, old: str, new: str) -> None:
    path = study.path / "data" / "annotations.csv"
    path.write_text(path.read_text().replace(old, new))


def missing_folder(study: StudyFolder) -> str:
    study.path = study.path / "none"
    return f"There is no folder {study.path}."


def empty_folder(study: StudyFolder) -> str:
    study.path = study.path.parent / "empty"
    study.path.mkdir()
    return f"The folder {study.path} is empty."


def no_images_folder(study: StudyFolder) -> str:
    (study.path / "images").rename(study.path / "pictures")
    return f"{study.path} has no folder “images” (expected images/GENERATOR/PROMPT/FILE)."


def wrong_columns(study: StudyFolder) -> str:
    _rewritten(study, "Annotator", "Rater")
    _rewritten(study, LIMBS, "Arms")
    return (
        f"annotations.csv lacks the columns “{LIMBS}”, “Annotator”. Unexpected: the columns “Arms”, “Rater”."
    )


def no_rows(study: StudyFolder) -> str:
    study.sheet()
    return "annotations.csv has a header but no rows."


def nul_bytes(study: StudyFolder) -> str:
    _rewritten(study, "anno2", "an\0no2")
    return "annotations.csv contains a NUL byte in line 3: it is damaged or not a text file."


def open_quote(study: StudyFolder) -> str:
    _rewritten(study, '"1/4b,2/4c"', '"1/4b')
    return "annotations.csv cannot be read as CSV after row 2: unexpected end of data."


def annotations_outside(study: StudyFolder) -> str:
    path = study.path / "data" / "annotations.csv"
    path.rename(study.path.parent / "outside.csv")
    path.symlink_to(study.path.parent / "outside.csv")
    return "data/annotations.csv links to a file outside the study's folder."


def bad_manifest(study: StudyFolder) -> str:
    study.file("manifest.csv", "file,generator,number\n")
    return "manifest.csv lacks the column “prompt”."


def bad_manifest_row(study: StudyFolder) -> str:
    study.file("manifest.csv", "file,generator,prompt,number\n../x.png,g,p,1\n")
    return "manifest.csv, row 2: “../x.png” points outside the study's folder."


def only_broken(contents: bytes | Callable[[], bytes], reason: str) -> Spoil:
    def spoil(study: StudyFolder) -> str:
        for path in (study.path / "images").rglob("*.png"):
            path.unlink()
        (study.path / "data" / "annotations.csv").unlink()
        study.image("sdXL/couple_hugging/1.png", contents() if callable(contents) else contents)
        return f"Nothing was imported. images/sdXL/couple_hugging/1.png: {reason}."

    return spoil


WHOLE = picture(1, size=(300, 300))
REFUSED: dict[str, Spoil] = {
    "missing folder": missing_folder,
    "empty folder": empty_folder,
    "no images": no_images_folder,
    "wrong columns": wrong_columns,
    "no rows": no_rows,
    "NUL bytes": nul_bytes,
    "open quote": open_quote,
    "link": annotations_outside,
    "manifest": bad_manifest,
    "manifest row": bad_manifest_row,
    "truncated": only_broken(WHOLE[: len(WHOLE) // 2], "broken: Truncated File Read"),
    "text": only_broken(b"I am a text.\n", "not a PNG, JPEG or WebP image"),
    "huge": only_broken(partial(huge_png, 30_000), "900,000,000 pixels; the limit is 18,000,000"),
    "large": only_broken(
        partial(huge_png, 8_000),
        "8,000 × 8,000 is 64,000,000 pixels; the limit is 18,000,000: scale it down first",
    ),
}


@pytest.mark.django_db
@pytest.mark.parametrize("spoil", REFUSED.values(), ids=list(REFUSED))
def test_where_nothing_can_be_done(small_study: StudyFolder, media: Path, spoil: Spoil) -> None:
    message = spoil(small_study)
    with pytest.raises(CommandError) as caught:
        run(small_study.path)
    assert (str(caught.value), caught.value.returncode) == (message, 1)
    assert nothing_is_stored(media)


@pytest.mark.django_db
def test_a_named_file_that_is_not_there(small_study: StudyFolder, media: Path) -> None:
    path = small_study.path / "other.csv"
    with pytest.raises(CommandError) as caught:
        run(small_study.path, "--annotations", str(path))
    assert str(caught.value) == f"There is no file {path}."
    assert nothing_is_stored(media)


@pytest.mark.parametrize("slug", ["a b", "ä", "", "x" * 61, "../x"])
@pytest.mark.django_db
def test_a_project_name_that_is_none(small_study: StudyFolder, media: Path, slug: str) -> None:
    with pytest.raises(CommandError) as caught:
        call_command("import_study", str(small_study.path), "--project", slug)
    assert "slug" in str(caught.value)
    assert nothing_is_stored(media)


def with_bom(text: str) -> bytes:
    return b"\xef\xbb\xbf" + text.encode()


def with_semicolons(text: str) -> bytes:
    rows = text.replace('"1/4b,2/4c"', "\0").replace(",", ";").replace("\0", "1/4b,2/4c")
    return rows.encode()


def with_headings(text: str) -> bytes:
    header, _, rows = text.partition("\n")
    return f"{header.upper().replace(' ', '  ')}\n{rows}".encode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "form",
    [with_bom, with_semicolons, with_headings, lambda text: text.replace("\n", "\r\n").encode()],
    ids=["bom", "semicolons", "headings", "crlf"],
)
@pytest.mark.few(1)
def test_forms_of_csv(small_study: StudyFolder, form: Callable[[str], bytes]) -> None:
    expected = run_json(small_study.path)
    text = (small_study.path / "data" / "annotations.csv").read_text()
    small_study.file("data/annotations.csv", form(text))
    outcome = run_json(small_study.path, project="other")
    assert outcome["annotations"] == expected["annotations"]
    assert outcome["unmatched"] == expected["unmatched"]


@pytest.mark.django_db
def test_latin_1_is_read_and_said(small_study: StudyFolder) -> None:
    text = (small_study.path / "data" / "annotations.csv").read_text().replace("anno2", "Zoë")
    small_study.file("data/annotations.csv", text.encode("latin-1"))
    outcome = run_json(small_study.path)
    assert outcome["annotations"]["added"] == 3
    (warning,) = outcome["annotations"]["warnings"]
    assert warning["row"] == 3
    assert warning["reason"] == (
        "annotations.csv is not UTF-8; it was read as Latin-1 (Windows-1252): check names with accents"
    )
    assert Membership.objects.filter(code="Zoë").exists()


@pytest.mark.django_db
def test_bad_rows_and_bad_pictures_beside_good_ones(small_study: StudyFolder) -> None:
    small_study.image("sdXL/couple_hugging/sdXL_hug_04.png", WHOLE[: len(WHOLE) // 2])
    small_study.image("sdXL/couple_hugging/sdXL_hug_05.png", huge_png(30_000))
    row = sheet_row("sdxl_couple hugging_01", cells={"missing.limbs": "1/4c"})
    path = small_study.sheet(
        row,
        row,
        sheet_row("sdxl_couple hugging_02", "anno2", {"missing.limbs": "1/4c"}),
        sheet_row("sdxl_couple hugging_02", "anno2", {"missing.limbs": "2/4c"}),
        sheet_row("sdxl_couple hugging_09"),
    )
    path.write_text(path.read_text() + "short,row\n")
    outcome = run_json(small_study.path)
    assert [(file["file"].rpartition("/")[2], file["reason"]) for file in outcome["images"]["rejected"]] == [
        ("sdXL_hug_04.png", "broken: Truncated File Read"),
        ("sdXL_hug_05.png", "900,000,000 pixels; the limit is 18,000,000"),
    ]
    assert outcome["annotations"]["added"] == 1
    differ = "“anno2” has contradictory rows for this image (4, 5): keep one of them"
    assert [(row["row"], row["reason"]) for row in outcome["unmatched"]["rows"]] == [
        (3, "a duplicate of row 2"),
        (4, differ),
        (5, differ),
        (6, "there is no image 9 of “sdxl”, “couple hugging”"),
        (7, "the row has 2 cells, the header 30"),
    ]


@pytest.mark.thorough
def test_the_process_ends_with_1_and_no_traceback(tmp_path: Path) -> None:
    environment = os.environ | {"VAR_DIR": str(tmp_path), "MEDIA_ROOT": str(tmp_path / "media")}
    done = subprocess.run(
        [sys.executable, "manage.py", "import_study", str(tmp_path / "none"), "--project", "study", "--json"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"CommandError: There is no folder {tmp_path / 'none'}.\n"
