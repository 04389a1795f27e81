"""Files: written whole, kept in a bucket, opened by office programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.http import FileResponse
from django.utils import timezone

from analysis.exports.anatomy.layouts import SHEET
from analysis.exports.files import Export, write_whole
from analysis.exports.formats import FORMATS
from analysis.exports.requests import ExportRequest, request_export
from analysis.tasks import sweep_exports
from annotator.exchange.formats.detection import read_annotations as read_sheet
from annotator.models import Project
from annotator.work.jobs import RUN_JOB, run_job
from annotator.work.sending import MAKE_DISPLAY
from config.env import MediaStore
from scoring.grid.taxonomy import CELL_BY_KEY
from tests.analysis.bundles.making import make_picture
from tests.analysis.factories import make_submitted
from tests.analysis.reading import rows_in
from tests.annotator.job_acts import ended
from tests.factories import ANNOTATOR, LEAD, make_batch, make_image, make_member, make_project
from tests.support.messages import ids_sent_to
from tests.support.object_store import keys_in
from tests.support.object_store import media_store as media_store
from tests.support.object_store import object_server as object_server
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db


def test_an_error_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    def broken() -> Iterator[bytes]:
        yield b"a"
        raise OSError("the disk is full")

    path = tmp_path / "out.csv"
    path.write_bytes(b"old")
    with pytest.raises(OSError, match="the disk is full"):
        write_whole(broken(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, there: bool) -> None:
    (tmp_path / "kept").mkdir()
    target, link = tmp_path / "kept" / "out.csv", tmp_path / "out.csv"
    if there:
        target.write_bytes(b"old")
    link.symlink_to(target)
    assert write_whole([b"a", b"bc"], link) == 3
    assert (link.is_symlink(), target.read_bytes()) == (True, b"abc")
    assert list(target.parent.iterdir()) == [target]


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(pipe.read_bytes)
        assert write_whole([b"a", b"bc"], pipe) == 3
        assert reading.result(timeout=10) == b"abc"
    assert (pipe.is_fifo(), list(tmp_path.iterdir())) == (True, [pipe])


@pytest.fixture(autouse=True)
def unsent(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker hears anything."""
    ids_sent_to(monkeypatch, MAKE_DISPLAY, RUN_JOB)


@pytest.fixture
def project(media_store: MediaStore) -> Project:
    """Three images, each with an answer."""
    made = make_project("study")
    ada = make_member(made, ANNOTATOR, code="ada")
    batch = make_batch(made, per_image=1)
    for _ in range(3):
        make_submitted(ada, image=make_picture(made), batch=batch)
    return made


@pytest.mark.slow  # an S3 server answers in this process
def test_an_export_is_made_fetched_and_removed(
    project: Project, media_store: MediaStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    job = ended(request_export(project=project, request=ExportRequest("scores"), actor=None))
    assert job.result is not None
    assert keys_in(media_store)[job.result["file"]] == job.result["bytes"]
    assert run_job(job.pk) is False  # done once
    lead = signed_in(make_member(project, LEAD))
    answer: Any = lead.get(f"/projects/study/exports/{job.pk}/file/")
    assert isinstance(answer, FileResponse)
    assert len(rows_in(answer)) == 3
    assert answer["Content-Disposition"].startswith('attachment; filename="study-scores')
    assert str(media_store.bucket) not in str(answer.headers)
    assert [path for path in (tmp_path / "var").rglob("*") if path.is_file()] == []
    sweep_exports()
    assert job.result["file"] in keys_in(media_store)
    later = timezone.now() + timedelta(days=8)
    monkeypatch.setattr(timezone, "now", lambda: later)
    sweep_exports()
    assert [key for key in keys_in(media_store) if not key.startswith("originals/")] == []


WRITTEN = {"missing.limbs": "1/4c", "extra.hands": "1/5", "extra.face": "=1+1", "missing.feet": "3/4"}
CELLS_AS_WRITTEN = {CELL_BY_KEY[key].heading: text for key, text in WRITTEN.items()}


@pytest.fixture
def odd_project() -> Project:
    """An annotation with cells that a spreadsheet would like to change."""
    project = make_project("odd")
    source = {"file": "a.csv", "row": 2, "image_id": "1-2", "cells": CELLS_AS_WRITTEN, "problems": []}
    image = make_image(project, generator="1e5", prompt="2/3", number=1)
    member = make_member(project, code="00012")
    make_submitted(member, [("missing.limbs", "1/4c")], image=image, source=source)
    return project


def converted(path: Path, form: str) -> Path:
    """The file as LibreOffice saves it in another format; skips, by name, where there is no LibreOffice."""
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice is not at hand: install libreoffice-calc")
    out = path.parent / "converted"
    profile = f"-env:UserInstallation={(path.parent / 'profile').as_uri()}"
    command = [office, profile, "--headless", "--convert-to", form, "--outdir", str(out), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=240)
    return out / f"{path.stem}.{form}"


@pytest.mark.thorough
def test_files_that_a_spreadsheet_opens_and_saves_are_what_they_were(
    odd_project: Project, tmp_path: Path
) -> None:
    paths = {form: tmp_path / f"sheet.{form}" for form in ("xlsx", "csv")}
    for form, path in paths.items():
        write_whole(Export(odd_project, SHEET, FORMATS[form]), path)
    (row,) = read_sheet(converted(paths["xlsx"], "csv")).rows
    assert row.cells == CELLS_AS_WRITTEN
    assert (row.image_id, row.generator, row.prompt, row.number) == ("1-2", "1e5", "2/3", 1)
    assert row.annotator == "00012"
    # Nothing of a CSV runs.
    heading, values = openpyxl.load_workbook(converted(paths["csv"], "xlsx")).worksheets[0].iter_rows()
    (formula,) = (
        value
        for cell, value in zip(heading, values, strict=True)
        if cell.value == CELL_BY_KEY["extra.face"].heading
    )
    assert (formula.data_type, formula.value) == ("s", "'=1+1")
