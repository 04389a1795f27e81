"""The commands `report`, `figures` and `export`."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analysis.models import Report
from analysis.reports.lifecycle import queue_report
from annotator.models import Project
from annotator.work import leases
from tests.factories import make_project

pytestmark = pytest.mark.django_db


def report(*arguments: str) -> str:
    out = StringIO()
    call_command("report", *arguments, stdout=out)
    return out.getvalue()


def test_a_report_that_a_worker_computes_is_waited_for(
    project: Project, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    running = queue_report(project_id=project.pk, kind="agreement")
    claim = leases.claim(Report, running.pk)
    assert claim is not None
    waits: list[float] = []

    def worker_finishes(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            leases.finish(claim, result={"by": "the worker"}, annotations=7)

    monkeypatch.setattr("analysis.management.commands.report.time.sleep", worker_finishes)
    assert json.loads(report("agreement", "--project", "study", "--json")) == {"by": "the worker"}
    assert len(waits) == 3


def test_an_unknown_project_is_named() -> None:
    with pytest.raises(CommandError, match=r"^There is no project 'nope'\. There are none yet\.$"):
        report("agreement", "--project", "nope")
    make_project("here")
    make_project("there")
    with pytest.raises(CommandError, match=r"^There is no project 'nope'\. Known: here, there\.$"):
        report("agreement", "--project", "nope")


@pytest.mark.thorough
def test_every_figure_as_three_files_and_a_caption(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "figures"
    out = StringIO()
    call_command("figures", "--project", "study", "--out", str(folder), stdout=out)
    said = out.getvalue()
    assert "generators-intervals: SVG, PNG, CSV\n" in said
    slugs = {line.split(":")[0] for line in said.splitlines() if line.endswith("SVG, PNG, CSV")}
    wanted = {f"{slug}.{ending}" for slug in slugs for ending in ("svg", "png", "csv")}
    assert {path.name for path in folder.iterdir()} == wanted | {"captions.txt"}
    assert (folder / "generators-intervals.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (folder / "generators-intervals.png").read_bytes().startswith(b"\x89PNG")
    table = (folder / "error_types-shares.csv").read_text(encoding="utf-8").splitlines()
    assert table[0] == "Error type,Mild,Moderate,Severe"
    assert table[2] == "Extra,0.0,0.0625,0.1875"
    assert "pair-alphas: not drawn, too few: 3 of 5 images\n" in said
    captions = (folder / "captions.txt").read_text(encoding="utf-8")
    assert "generators-intervals: Generators\n" in captions


def test_standard_output_holds_the_file_and_nothing_else(
    project: Project, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    for output in (str(tmp_path / "out.csv"), "-"):
        call_command("export", project="study", layout="scores", output=output, stdout=StringIO())
    out, errors = capfdbinary.readouterr()
    assert (out, errors) == ((tmp_path / "out.csv").read_bytes(), b"7 rows\n")
