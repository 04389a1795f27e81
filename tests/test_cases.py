"""Small files from real work, each with a condition that such tools often fail on, give their right values.

The others have their tests beside the code: what lme4 finds in `tests/analysis/stats/test_mixed_models.py`,
keys in `tests/js/labelling/keys.test.js`, short windows in `tests/browser/labelling/test_sizes.py`.
"""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from annotator.images.decoding import decode_contents
from annotator.images.display import open_display_jpeg
from annotator.models import Annotation, FaceDecision, Image, Project
from annotator.people.inviting_many import LinesRefused, invite_many, read_invite_lines
from tests.factories import make_image, make_member, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]

CASES = Path(__file__).parent / "cases"
GENERATORS, PROMPTS = ("sdxl", "dall-e3"), ("waving", "sitting")


def study(
    count: int,
    stem: str = "",
    generators: tuple[str, ...] = GENERATORS,
    prompts: tuple[str, ...] = PROMPTS,
    *,
    numbered: bool = True,
) -> Project:
    """A project with `count` images of each generator and prompt, named by prompt or `stem`, and number."""
    project = make_project("case")
    for generator in generators:
        for prompt in prompts:
            for number in range(1, count + 1):
                make_image(
                    project,
                    generator=generator,
                    prompt=prompt,
                    number=number if numbered else None,
                    source_name=f"images/{generator}/{prompt}/{stem or prompt}_{number:02d}.png",
                    width=96,
                    height=64,
                )
    return project


def run(command: str, *arguments: str) -> str:
    output = StringIO()
    call_command(command, *arguments, stdout=output)
    return output.getvalue()


def checked(name: str, protocol: str) -> dict[str, Any]:
    """What a file of annotations would store."""
    arguments = ("--project", "case", "--protocol", protocol, "--lint-only")
    outcome: dict[str, Any] = json.loads(run("import_answers", str(CASES / name), *arguments))
    return outcome


def imported(name: str, protocol: str, *options: str) -> None:
    run("import_answers", str(CASES / name), "--project", "case", "--protocol", protocol, *options)


def exported(layout: str, tmp_path: Path) -> list[dict[str, str]]:
    path = tmp_path / f"{layout}.csv"
    run("export", "--project", "case", "--layout", layout, "--output", str(path))
    return list(csv.DictReader(StringIO(path.read_text(encoding="utf-8"))))


def test_03_a_correlation_that_is_infinite_does_not_take_the_report_away() -> None:
    study(10)
    imported("03-icc-ceiling.csv", "realism")
    printed = run("report", "agreement", "--project", "case")
    assert "Realism: alpha is 0.77 [0.5, 0.9] over 40 images." in printed
    assert "Realism: ICC(1,1), one rating is 0.93 [0.88, 0.95] over 40 images." in printed


def test_04_a_path_names_one_image() -> None:
    study(6, "img")
    outcome = checked("04-ratings-by-path.csv", "realism")
    assert outcome["rows"] == {"usable": 24, "refused": []}


def test_05_a_path_of_another_folder_names_none() -> None:
    study(12, "k", ("sdxl",), ("waving",))
    rows = checked("05-ratings-other-folder.csv", "realism")["rows"]
    assert rows["usable"] == 1
    assert [(note["row"], note["column"], note["text"], note["reason"]) for note in rows["refused"]] == [
        (
            row,
            "file",
            f"midjourney/waving/k_0{number}.png",
            f"there is no image “midjourney/waving/k_0{number}.png”; images/sdxl/waving/k_0{number}.png has "
            "the same name: correct the path",
        )
        for row, number in ((2, 1), (3, 2))
    ]


def test_06_images_of_one_name_have_ids_of_their_own(tmp_path: Path) -> None:
    """Label Studio's own file is refused with what is expected; the same names in a table are 24 images."""
    project = study(6, "img", numbered=False)
    with pytest.raises(CommandError, match="is JSON, as other tools export it"):
        checked("06-same-names-in-folders.json", "anatomy")
    path = tmp_path / "ratings.csv"
    names = project.images.values_list("source_name", flat=True)
    path.write_text("\n".join(["annotator,file,rating", *(f"r1,{name},5" for name in names)]))
    run("import_answers", str(path), "--project", "case", "--protocol", "realism")
    rows = exported("ratings", tmp_path)
    ids = {row["Image Id"] for row in rows}
    assert (len(rows), len(ids)) == (24, 24)
    assert "sdxl_waving_img_01" in ids
    arguments = ("--project", "case", "--protocol", "realism")
    again = json.loads(run("import_answers", str(tmp_path / "ratings.csv"), *arguments))["annotations"]
    assert (again["added"], again["existing"]) == (0, 24)


def test_07_a_manifest_names_files_in_any_unicode_form() -> None:
    outcome = json.loads(
        run("import_images", str(CASES / "07-manifest-unicode-form.zip"), "--project", "case")
    )
    assert (outcome["files"], outcome["problem_count"]) == ({"stored": 4, "table": 1, "archive": 1}, 0)
    rows = Image.objects.values_list("generator", "prompt", "number")
    assert sorted(rows) == [
        ("DALL-E 3", "a person hände", 1),
        ("DALL-E 3", "a person waving", 2),
        ("SDXL", "a person hände", 1),
        ("SDXL", "a person waving", 2),
    ]


def test_08_cells_that_a_spreadsheet_leaves_out_are_empty() -> None:
    study(6)
    outcome = checked("08-excel-no-trailing-commas.csv", "realism")
    assert outcome["rows"] == {"usable": 18, "refused": []}


def test_09_a_photo_with_a_second_picture_is_its_first() -> None:
    decoded = decode_contents((CASES / "09-camera-photo-two-frames.jpg").read_bytes(), max_pixels=10**6)
    assert (decoded.width, decoded.height, decoded.format) == (96, 64, "JPEG")


def test_10_a_picture_with_a_huge_text_is_shown_without_it(tmp_path: Path) -> None:
    path = CASES / "10-png-workflow-text.png"
    arguments = ("--project", "case", "--generator", "sdxl", "--prompt", "waving")
    outcome = json.loads(run("import_images", str(path), *arguments))
    assert outcome["files"] == {"stored": 1}
    with open_display_jpeg(Image.objects.get()) as copy:
        assert b"workflow" not in copy.read()


def test_11_choices_of_another_tool_are_never_no_error() -> None:
    study(6, "img")
    with pytest.raises(CommandError, match="is JSON, as other tools export it"):
        imported("11-label-studio-choices.json", "anatomy")
    assert not Annotation.objects.exists()


def test_12_no_size_is_planned_from_an_interval_that_is_refused() -> None:
    study(10, "", ("model-a", "model-b"))
    imported("12-rare-errors.csv", "anatomy")
    printed = run("report", "agreement", "--project", "case")
    assert "0.00" in printed
    assert "An interval of" not in printed
    printed = run("report", "agreement", "--project", "case", "--protocol", "presence")
    assert "Error present: raw agreement is 1.00 [0.99, 1.00]" in printed
    assert "Error present: AC1 is 1.00 [0.99, 1.00]" in printed


def test_13_rectangles_are_cut_to_their_image() -> None:
    project = study(6)
    arguments = ("--project", "case", "--lint-only")
    outcome = json.loads(run("import_faces", str(CASES / "13-faces-beyond-edge.csv"), *arguments))
    counts = outcome["counts"]
    assert outcome["refused"] == []
    assert (counts["Images"], counts["Rectangles"], counts["Cut to the image"]) == (3, 3, 2)
    assert counts["Without a face"] == 0
    run("import_faces", str(CASES / "13-faces-beyond-edge.csv"), "--project", "case")
    second = project.images.get(source_name="images/sdxl/waving/waving_02.png")
    assert FaceDecision.objects.get(image=second).rectangles == [[80, 50, 16, 14]]


@pytest.mark.parametrize("name", ["14-sep-line.csv", "15-blank-first-row.csv"])
def test_14_15_what_stands_above_the_heading_is_skipped(name: str) -> None:
    study(6)
    assert checked(name, "anatomy")["rows"] == {"usable": 3, "refused": []}


def test_16_the_apostrophe_of_an_export_is_removed_once(tmp_path: Path) -> None:
    study(6)
    imported("16-note-apostrophe.csv", "realism")
    payloads = Annotation.objects.order_by("pk").values_list("payload", flat=True)
    assert [payload["note"] for payload in payloads] == ["=good hands", "-5"]
    rows = exported("ratings", tmp_path)
    assert [row["note"] for row in rows] == ["'=good hands", "'-5"]
    arguments = ("--project", "case", "--protocol", "realism")
    again = json.loads(run("import_answers", str(tmp_path / "ratings.csv"), *arguments))
    assert (again["annotations"]["added"], again["annotations"]["existing"]) == (0, 2)
    assert again["unmatched"]["rows"] == []


def test_17_an_annotator_that_a_spreadsheet_made_a_number() -> None:
    make_member(study(6), code="007")
    outcome = checked("17-annotator-leading-zero.xlsx", "realism")
    assert outcome["rows"] == {"usable": 1, "refused": []}
    assert outcome["new_annotators"] == []


def test_18_names_that_programs_give_are_no_generators() -> None:
    path = CASES / "18-generator-download-names.zip"
    with pytest.raises(CommandError, match=r"No image could be stored.*--generator, --pattern or --manifest"):
        run("import_images", str(path), "--project", "case", "--dry-run")
    pattern = "user1_{prompt}_{*}-{*}-{*}-{*}-{*}_{number}"
    named = ("--project", "case", "--generator", "Midjourney", "--pattern", pattern)
    arguments = (*named, "--dry-run")
    outcome = json.loads(run("import_images", str(path), *arguments))
    assert outcome["files"]["unclear"] == 4
    assert [(image["prompt"], image["number"]) for image in outcome["examples"]] == [
        ("a woman holding hands with a child", 0),
        ("a woman holding hands with a child", 1),
        ("two men shaking hands", 0),
    ]


def test_21_lines_of_an_invitation_as_they_are_pasted() -> None:
    pasted = (CASES / "21-invitation-lines.txt").read_text(encoding="utf-8")
    lines, _ = read_invite_lines(pasted)
    assert [(line.code, line.email) for line in lines[:2]] == [
        ("p01", "p01@example.org"),
        ("p02", "p02@example.org"),
    ]
    with pytest.raises(LinesRefused) as refused:
        invite_many(project=make_project(), text=pasted, request_key=uuid4(), actor=None)
    assert [(line.number, line.code) for line in refused.value.refusals] == [(3, "email-code")]


def test_22_what_a_mac_leaves_behind_is_ignored() -> None:
    path = CASES / "22-mac-folder-icon.zip"
    outcome = json.loads(run("import_images", str(path), "--project", "case", "--dry-run"))
    assert outcome["files"] == {"ready": 1, "archive": 1, "ignored": 2}
    assert outcome["problem_count"] == 0
