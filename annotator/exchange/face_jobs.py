"""Jobs that check files of rectangles around faces and, once a lead confirms, store them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.urls import reverse

from annotator.exchange.face_files import CheckedFaces, check_faces, store_faces
from annotator.exchange.formats.names import printable
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.import_jobs import (
    FACES,
    LISTED,
    kept_file,
    refusals_of_files,
    request_reading,
    request_storing,
)
from annotator.faces.decisions import FacesRefused
from annotator.models import Image, Job, Project, User
from annotator.work.jobs import JobRefused, Steps
from annotator.work.kinds import register

STORE_FACES: Final = "store_faces"
PREVIEWED: Final = 24
"""Images that a check shows with their rectangles."""


def register_kinds() -> None:
    """Register the jobs that check and store rectangles."""
    register(FACES, run_checking, title="Check of faces", reads_files=True)
    register(STORE_FACES, run_storing, title="Import of faces", reads_files=True)


def request_checking(
    *, project: Project, name: str, contents: bytes, actor: User | None, request_key: UUID | None
) -> Job:
    """Keep a file of rectangles and request a job that checks it; raises as `request_reading`."""
    return request_reading(
        project=project, name=name, contents=contents, actor=actor, request_key=request_key, kind=FACES
    )


def request_face_storing(*, reading: Job, actor: User | None, request_key: UUID | None) -> Job:
    """Request a job that stores a checked file. Raises QuotaRefused."""
    return request_storing(
        reading=reading, actor=actor, request_key=request_key, kind=STORE_FACES, page="faces_reading"
    )


def run_checking(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `file` and `name`; its result is what the file decides, and a preview."""
    found = _checked(job)
    steps(1, 1)
    said = found.as_json()
    refused = said.pop("refused")
    return {
        "url": reverse("faces_reading", args=[job.project.slug, job.pk]),
        "words": f"Images: {said['images']:,}; rectangles: {said['rectangles']:,}; unusable rows: "
        f"{len(refused):,}. Nothing is stored until you confirm.",
        "faces": {
            **said,
            "refused": refused[:LISTED],
            "refused_count": len(refused),
            "shown": _preview(found),
        },
    }


def run_storing(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data of a check: store the file completely, or nothing."""
    found = _checked(job)
    steps(1, 2)
    try:
        changed = store_faces(found, project=job.project, actor=job.requested_by)
    except (StudyRefused, FacesRefused) as refused:
        raise JobRefused(printable(str(refused)), refused.code) from refused
    return {
        "url": reverse("faces", args=[job.project.slug]),
        "words": f"Images changed: {changed:,}. Still without a decision: {found.left:,}.",
    }


def _checked(job: Job) -> CheckedFaces:
    with kept_file(job) as path, refusals_of_files():
        return check_faces(path, project=job.project)


def _preview(found: CheckedFaces) -> list[list[Any]]:
    """Return the public ids of the first images with their rectangles, those with faces first."""
    chosen = sorted(found.faces, key=lambda pk: (not found.faces[pk], pk))[:PREVIEWED]
    names = dict(Image.objects.filter(pk__in=chosen).values_list("pk", "public_id"))
    return [[str(names[pk]), found.faces[pk]] for pk in chosen if pk in names]
