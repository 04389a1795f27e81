"""Annotations made elsewhere, by command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from analysis.exports.anatomy.layouts import SHEET
from analysis.exports.files import Export
from analysis.exports.formats import FORMATS
from annotator.models import Annotation, Event, Membership, Project
from tests.annotator.exchange.conftest import sheet_row, sheet_text
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db

LIMBS, HANDS = "1. Missing Error-1.2 Limbs", "2. Extra Error-2.4 Hands"


def run(path: Path, *options: str, project: str = "study") -> str:
    out = StringIO()
    call_command("import_answers", str(path), "--project", project, *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def with_images(slug: str = "study") -> Project:
    project = make_project(slug)
    for number in (1, 2, 3):
        make_image(project, generator="sdxl", prompt="hug", number=number)
    return project


def file(tmp_path: Path, *rows: dict[str, str]) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text(sheet_text(list(rows)))
    return path


def slips(tmp_path: Path) -> Path:
    return file(
        tmp_path,
        sheet_row("sdxl_hug_01", "anno1", {"missing.limbs": "14c", "extra.hands": "1/5,1/5b"}),
        sheet_row("sdxl_hug_02", "anno1"),
        sheet_row("sdxl_hug_09", "anno1"),
    )


def said(code: str = "anno1") -> Mapping[int | None, Any]:
    rows = Annotation.objects.filter(assignment__annotator__code=code)
    return {
        number: [
            (mark["type"], mark["part"], mark["severity"], mark["affected"]) for mark in payload["marks"]
        ]
        for number, payload in rows.values_list("assignment__image__number", "payload")
    }


def test_codes_like_names_are_warned_of(tmp_path: Path) -> None:
    with_images()
    rows = [sheet_row("sdxl_hug_01", "maria"), sheet_row("sdxl_hug_02", "anno1")]
    out = run(file(tmp_path, *rows), "--lint-only")
    assert [line.split(".")[0] for line in out.splitlines() if "looks like" in line] == [
        "warning: maria looks like a name"
    ]


def test_lint_lists_everything_and_stores_nothing(tmp_path: Path) -> None:
    with_images()
    out = run(slips(tmp_path), "--lint-only")
    assert "Rows: 2 usable, 1 rejected." in out
    assert "New annotators: anno1" in out
    assert "rejected: row 4, Pic Num. “sdxl_hug_09”: there is no image 9 of “sdxl”, “hug”" in out
    assert "“14c”: no total: expected affected/total and a severity, such as 1/4b\n" in out
    found = json.loads(run(slips(tmp_path), "--lint-only", "--json"))
    assert [(each["row"], each["text"]) for each in found["findings"]] == [(2, "14c"), (2, "1/5")]
    assert not Annotation.objects.exists()
    assert not Membership.objects.filter(code="anno1").exists()


def test_unreadable_terms_stay_as_they_are(tmp_path: Path) -> None:
    with_images()
    assert "Annotations: 2 added, 0 existing." in run(slips(tmp_path))
    assert said() == {1: [("extra", "hands", "b", 1)], 2: []}
    source = Annotation.objects.get(assignment__image__number=1).source
    assert source is not None
    assert source["cells"][LIMBS] == "14c"
    assert Event.objects.get(verb="answers_imported").data == {
        "file": "answers.csv",
        "annotations": 2,
    }


def test_a_file_of_another_project_is_told_apart(tmp_path: Path) -> None:
    with_images()
    with pytest.raises(CommandError, match=r"matches no image of .*: not one of its 1 rows"):
        run(file(tmp_path, sheet_row("flux_cat_01")))
    with pytest.raises(CommandError, match="There is no file"):
        run(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_what_goes_out_comes_in(tmp_path: Path, kind: str) -> None:
    first, second = with_images("first"), with_images("second")
    cells = {"missing.limbs": "2/4C, 1/4b", "extra.hands": "1/5,3/7a", "missing.face": "2/2a"}
    rows = [
        sheet_row("sdxl_hug_01", "anno1", cells),
        sheet_row("sdxl_hug_03", "=b", {"extra.face": "1/1c"}),
        sheet_row("sdxl_hug_02", "anno1"),
    ]
    run(file(tmp_path, *rows), project="first")

    out = tmp_path / f"out.{kind}"
    out.write_bytes(b"".join(Export(first, SHEET, FORMATS[kind])))
    assert "Annotations: 3 added" in run(out, project="second")
    assert b"".join(Export(second, SHEET)) == b"".join(Export(first, SHEET))
