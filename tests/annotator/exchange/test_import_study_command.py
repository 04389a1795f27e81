"""The command: what it prints, and what it says to bad input."""

from __future__ import annotations

import json
import struct
import zlib
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from annotator.models import Image
from tests.annotator.exchange.conftest import StudyFolder, picture, sheet_row, sheet_text


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
def test_options_name_the_tables(study: StudyFolder, tmp_path: Path) -> None:
    study.image("loose.png")
    (tmp_path / "m.csv").write_text(
        "file,generator,prompt,number,prompt_group\nloose.png,g,one person,4,alone\n"
    )
    (tmp_path / "a.csv").write_text(sheet_text([sheet_row("g_one person_04")]))
    options = ("--manifest", "m.csv", "--annotations", "a.csv")
    given = [str(tmp_path / option) if option.endswith(".csv") else option for option in options]
    assert run_json(study.path, *given)["annotations"]["added"] == 1
    image = Image.objects.get()
    assert (image.generator, image.prompt, image.prompt_group, image.number) == (
        "g",
        "one person",
        "alone",
        4,
    )


WHOLE = picture(1, size=(300, 300))


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
