"""Kinds of rows about images, with jobs that check a file and, once a lead confirms, store it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.urls import reverse

from annotator.exchange.face_rows import FACES
from annotator.exchange.formats.names import printable
from annotator.exchange.image_rows import CheckedRows, RowsKind
from annotator.exchange.import_jobs import (
    kept_file,
    listed,
    refusals_of_files,
    request_reading,
    request_storing,
)
from annotator.inputs.refusal import Refusal
from annotator.models import Job, Project, User
from annotator.work.jobs import JobRefused, Steps
from annotator.work.kinds import register

_KINDS: dict[str, RowsKind[Any]] = {}


def add_rows_kind(kind: RowsKind[Any]) -> None:
    """Register a kind and its jobs, in `AppConfig.ready`."""
    _KINDS[kind.slug] = kind
    checking, storing = partial(_run_checking, kind), partial(_run_storing, kind)
    title = kind.title
    register(kind.reading, checking, title=f"Check of {title}", reads_files=True, section=kind.section)
    register(kind.storing, storing, title=f"Import of {title}", reads_files=True, section=kind.section)


def register_kinds() -> None:
    """Register the rectangles around faces; other packages add their own kinds."""
    add_rows_kind(FACES)


def rows_kind(slug: str) -> RowsKind[Any]:
    """Return the kind of this slug; raises KeyError."""
    return _KINDS[slug]


def request_checking(
    kind: RowsKind[Any],
    *,
    project: Project,
    name: str,
    contents: bytes,
    actor: User | None,
    request_key: UUID | None,
) -> Job:
    """Keep a file and request a job that checks it; raises as `request_reading`."""
    return request_reading(
        project=project, name=name, contents=contents, actor=actor, request_key=request_key, kind=kind.reading
    )


def request_rows_storing(
    kind: RowsKind[Any], *, reading: Job, actor: User | None, request_key: UUID | None
) -> Job:
    """Request a job that stores a checked file. Raises QuotaRefused."""
    return request_storing(
        reading=reading,
        actor=actor,
        request_key=request_key,
        kind=kind.storing,
        page=reading_address(kind, reading),
    )


def reading_address(kind: RowsKind[Any], reading: Job) -> str:
    """Return the address of the page that shows a checked file."""
    return reverse("rows_reading", args=[reading.project.slug, kind.slug, reading.pk])


def _run_checking(kind: RowsKind[Any], job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `file` and `name`; its result is what the file would store."""
    checked = _checked(kind, job)
    steps(1, 1)
    count = len(checked.refused)
    return {
        "url": reading_address(kind, job),
        "words": f"Images: {checked.counts['Images']:,}. Unusable rows: {count:,}. Nothing is stored until "
        "you confirm.",
        "rows": {
            "file": checked.name,
            "counts": [list(entry) for entry in checked.counts.items()],
            "refused": listed(checked.refused),
            "refused_count": count,
            "shown": checked.shown,
        },
    }


def _run_storing(kind: RowsKind[Any], job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data of a check: store the file completely, or nothing."""
    checked = _checked(kind, job)
    steps(1, 2)
    try:
        words = kind.store(checked, job.project, job.requested_by)
    except Refusal as refused:
        raise JobRefused(printable(str(refused)), refused.code) from refused
    return {"url": reverse(kind.page, args=[job.project.slug]), "words": words}


def _checked(kind: RowsKind[Any], job: Job) -> CheckedRows[Any]:
    with kept_file(job) as path, refusals_of_files():
        return kind.check(path, job.project)
