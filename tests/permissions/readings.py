"""Read sheets in the world of the permissions' tests."""

from __future__ import annotations

from uuid import uuid4

from annotator.exchange.import_jobs import request_reading, rows_kind
from annotator.models import Image, Job, Project
from annotator.work.jobs import run_job
from scoring.grid.taxonomy import CELLS, SHEET_COLUMNS


def make_reading(project: Project, image: Image) -> Job:
    """Create a finished reading of a valid sheet."""
    sheet = csv_of(image)
    job = request_reading(project=project, name="sheet.csv", contents=sheet, actor=None)
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.DONE, job.error
    return job


def make_face_check(project: Project, image: Image) -> Job:
    """Create a finished check of a file of rectangles with one row."""
    contents = f"sha256,x,y,w,h\n{image.sha256},,,,\n".encode()
    kind = rows_kind("faces")
    job = request_reading(
        project=project, name="faces.csv", contents=contents, actor=None, kind=kind, request_key=uuid4()
    )
    assert run_job(job.pk)
    job.refresh_from_db()
    assert job.status == Job.Status.DONE, job.error
    return job


def csv_of(image: Image) -> bytes:
    """Return a sheet with one row for this image."""
    cells = [""] * len(CELLS)
    row = ["", image.generator, image.prompt, str(image.number), "1/5", *cells[1:], "anno1"]
    return f"{','.join(SHEET_COLUMNS)}\n{','.join(row)}\n".encode()
