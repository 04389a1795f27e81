"""Annotations made elsewhere, by command."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command

from annotator.models import Annotation, Membership, Project
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
