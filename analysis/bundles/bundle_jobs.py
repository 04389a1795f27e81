"""Bundle jobs: requested, written to the storage, and kept as long as other exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.urls import reverse

from analysis.bundles.source import BUNDLED, BundleRequest, BundleSource
from analysis.exports.files import FOLDER, store
from analysis.exports.requests import in_days
from analysis.figures.drawing_process import NotDrawn
from analysis.reports.status import reports_awaited
from annotator.database.transactions import write_transaction
from annotator.models import Event, Job, Project, User
from annotator.work.jobs import JobRefused, Steps, request_job
from annotator.work.kinds import runs

MAKE: Final = "make_bundle"
ATTEMPTS: Final = 3
REPORTS_END: Final = 60
"""The percentage of a job's progress at which reports are up to date, and files are written."""


def request_bundle(
    *, project: Project, request: BundleRequest, actor: User | None, request_key: UUID | None = None
) -> Job:
    """Request a bundle and record an Event; a repeated idempotency key returns the first job."""
    with write_transaction():
        data = {"request": request.as_json(), "words": request.in_words()}
        job = request_job(
            project=project, kind=MAKE, data=data, actor=actor, request_key=request_key, about="request"
        )
        if not Event.objects.filter(project=project, verb=BUNDLED, data__job=job.pk).exists():
            record_bundle(project=project, request=request, actor=actor, data={"job": job.pk})
    return job


def record_bundle(
    *, project: Project, request: BundleRequest, actor: User | None, data: Mapping[str, Any]
) -> None:
    """Record an Event for exporting the whole project."""
    event = {**request.as_json(), **data}
    Event.objects.create(project=project, actor=actor, verb=BUNDLED, data=event)


@runs(MAKE, title="Publication bundle", awaits=reports_awaited, section="exports")
def run_making(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a job with the data `request`: write the file, return its name and size."""
    name = f"{FOLDER}/{job.project_id}/{job.pk}.zip"
    request = BundleRequest.from_json(job.data["request"])
    size, lost = write_bundle(job.project, request, steps, lambda pieces: store(name, pieces))
    missing = f" Missing in storage, included as hashes only: {lost:,}." if lost else ""
    return {
        "url": reverse("bundle_file", args=[job.project.slug, job.pk]),
        "go_on": "Download bundle",
        "words": f"The bundle is ready.{missing} The file is kept for {in_days()}.",
        "file": name,
        "bytes": size,
        "lost": lost,
    }


def write_bundle(
    project: Project,
    request: BundleRequest,
    steps: Callable[[int, int], None],
    keep: Callable[[Iterable[bytes]], int],
) -> tuple[int, int]:
    """Write a bundle of the current project.

    Return its size and the number of missing image files. `keep` stores the pieces of a file completely or
    not at all. Retry if the project changes in the meantime, so that the tables are consistent. Raise
    JobRefused if the bundle cannot be made.
    """
    from analysis.bundles.contents import Bundle
    from analysis.bundles.reports import bring_up_to_date

    percent = 0

    def told(start: int, end: int, done: int, total: int) -> None:
        nonlocal percent
        percent = start + (end - start) * done // max(total, 1)
        steps(percent, 100)

    for _ in range(ATTEMPTS):
        with _in_plain_words():
            project.exact_weights  # noqa: B018  raises for weights that cannot be used
            if request.reports:
                bring_up_to_date(project, partial(told, 0, REPORTS_END))
            start = REPORTS_END if request.reports else 0
            source = BundleSource(project, request, lambda: steps(percent, 100))
            before = source.fingerprint()
            with suppress(_Changed):
                size = keep(_unchanged(Bundle(source, partial(told, start, 100)), source, before))
                return size, len(source.lost)
    raise JobRefused(
        "Annotations arrived while the bundle was being created. Close the batches or try again later."
    )


class _Changed(Exception):
    """The project changed while it was read."""


def _unchanged(pieces: Iterable[bytes], source: BundleSource, before: tuple[Any, ...]) -> Iterator[bytes]:
    """Yield the pieces; raise _Changed after the last one if the project has changed."""
    yield from pieces
    if source.fingerprint() != before:
        raise _Changed


@contextmanager
def _in_plain_words() -> Iterator[None]:
    """Convert errors of bundle making to JobRefused."""
    try:
        yield
    except (ValueError, NotDrawn) as refused:
        raise JobRefused(f"The bundle cannot be created: {str(refused).rstrip('.')}.") from refused
    except OSError as error:
        raise JobRefused(f"The file could not be written: {error.strerror or error}.") from error
