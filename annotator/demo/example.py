"""The example study: the drawn figures in a project of one's own, loaded by a worker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.urls import reverse

from annotator.exchange.doubles import AT_RANDOM
from annotator.exchange.import_jobs import refusals_of_files
from annotator.models import Job, Project, User
from annotator.projects.creation import ProjectRefused, create_project
from annotator.work.jobs import Steps, request_job
from annotator.work.kinds import register

LOAD_EXAMPLE: Final = "load_example"
NAME: Final = "Example study"
ADDRESS: Final = "example"
CODE: Final = "lead"


def request_example(*, actor: User, request_key: UUID) -> Job:
    """Create a project led by `actor` and request the job that fills it; the same key returns the first job.

    Check `may_create_projects` first.
    """
    project = _created(actor, request_key)
    return request_job(project=project, kind=LOAD_EXAMPLE, data={}, actor=actor, request_key=request_key)


def _created(actor: User, request_key: UUID) -> Project:
    try:
        return create_project(name=NAME, slug=ADDRESS, code=CODE, actor=actor, request_key=request_key)
    except ProjectRefused:  # the address is taken
        own = f"{ADDRESS}-{request_key.hex[:8]}"
        return create_project(name=NAME, slug=own, code=CODE, actor=actor, request_key=request_key)


def load_example(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Import the drawn study; a repeated run resumes."""
    from annotator.demo.projects import DATA
    from annotator.exchange import import_study

    with refusals_of_files():
        report = import_study(
            DATA, project=job.project, doubles=AT_RANDOM, actor=job.requested_by, progress=steps
        )
    images = report.images_added + report.images_existing
    annotations = report.annotations_added + report.annotations_existing
    return {
        "url": reverse("project", args=[job.project.slug]),
        "go_on": "Open the example study",
        "words": f"Loaded {images} images and {annotations} annotations.",
    }


def register_kind() -> None:
    """Register the job that loads the example study."""
    register(LOAD_EXAMPLE, load_example, title="Example study")
