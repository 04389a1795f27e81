"""`manage.py figures`."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotator.management.arguments import UnknownProject
from annotator.models import Project
from tests.factories import make_batch

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("figures", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.thorough
def test_every_figure_as_three_files_and_a_caption(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "figures"
    said = run("--project", "study", "--out", str(folder))
    assert "generators-intervals: SVG, PNG, CSV\n" in said
    slugs = {line.split(":")[0] for line in said.splitlines() if line.endswith("SVG, PNG, CSV")}
    wanted = {f"{slug}.{ending}" for slug in slugs for ending in ("svg", "png", "csv")}
    assert {path.name for path in folder.iterdir()} == wanted | {"captions.txt"}
    assert (folder / "generators-intervals.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (folder / "generators-intervals.png").read_bytes().startswith(b"\x89PNG")
    table = (folder / "error_types-shares.csv").read_text(encoding="utf-8").splitlines()
    assert table[0] == "Error type,Mild,Moderate,Severe"
    assert table[2] == "Extra,0.0,0.0625,0.1875"
    assert "pair-alphas: not drawn, too few: 3 images\n" in said
    captions = (folder / "captions.txt").read_text(encoding="utf-8")
    assert "generators-intervals: Generators\n" in captions


def test_figures_of_another_protocol(project: Project, tmp_path: Path) -> None:
    # Its annotations can be shown as presence.
    said = run("--project", "study", "--protocol", "presence", "--out", str(tmp_path))
    assert "components-heat: SVG, PNG, CSV\n" in said
    assert "cells-map" not in said


def test_a_project_of_several_protocols_needs_one(project: Project, tmp_path: Path) -> None:
    make_batch(project, name="how real", protocol="realism")
    with pytest.raises(CommandError, match="--protocol"):
        run("--project", "study", "--out", str(tmp_path))


def test_a_file_in_the_way(project: Project, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(CommandError, match="is not a writable folder"):
        run("--project", "study", "--out", str(tmp_path / "taken"))


def test_an_unknown_project(tmp_path: Path) -> None:
    with pytest.raises(UnknownProject):
        run("--project", "nowhere", "--out", str(tmp_path))
