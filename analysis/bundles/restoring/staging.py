"""Staging: a hidden project without members that holds a bundle's rows until all are stored.

Storing 100,000 images takes longer than a database lock or a worker may last. Workers therefore store them
piece by piece where no page leads, then transfer them to the real project in one short transaction, or delete
them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Self
from uuid import uuid4

from django.core.files.storage import default_storage
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from analysis.bundles.restoring.manifest import Manifest
from analysis.bundles.source import in_chunks
from annotator.database.transactions import write_transaction
from annotator.models import (
    Adjudication,
    Annotation,
    Announcement,
    Assignment,
    Batch,
    Image,
    Job,
    Membership,
    Project,
    Question,
    Reply,
)
from annotator.uploads.status import UNDER_WAY
from annotator.work.leases import JobCancelled

CHUNK: Final = 500
NO_JOB: Final = 0
"""Represents a command, which has no job."""
# URLs cannot hold a colon, so no real project has such a slug.
RESTORING: Final = "restoring:"
LEFT: Final = f"{RESTORING}left:"
FORGOTTEN: Final = timedelta(days=7)
"""Stagings without a job are deleted after this long without a worker."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Staging:
    """The right to store rows in a staging. The slug is the fence: a worker that takes over changes it."""

    pk: int
    slug: str

    @classmethod
    def begin(cls, project: Project, job: int, manifest: Manifest) -> Self:
        """Create one for a job with people, batches and weights, after deleting abandoned ones."""
        sweep(project)
        if job == NO_JOB:
            for left in Project.objects.filter(slug__startswith=_beginning(project, job)):
                cls(left.pk, left.slug).discard()
        with write_transaction():
            made = Project.objects.create(
                slug=_beginning(project, job) + uuid4().hex[:8],
                name="Being restored",
                weights=dict(manifest.weights),
                goes_at=timezone.now() + FORGOTTEN,
            )
            for row in manifest.people:
                Membership.objects.create(project=made, role=Membership.Role.ANNOTATOR, **row)
            batches = [_batch(made, row) for row in manifest.batches]
            for batch, row in zip(batches, manifest.batches, strict=True):
                if row["follows"] is not None:
                    Batch.objects.filter(pk=batch.pk).update(follows=batches[row["follows"] - 1])
        return cls(made.pk, made.slug)

    @classmethod
    def take(cls, project: Project, job: int) -> Self | None:
        """Take over a job's staging exclusively; return None if there is none."""
        beginning = _beginning(project, job)
        found = Project.objects.filter(slug__startswith=beginning).first() if job != NO_JOB else None
        if found is None:
            return None
        slug, goes_at = beginning + uuid4().hex[:8], timezone.now() + FORGOTTEN
        with write_transaction():
            taken = Project.objects.filter(pk=found.pk, slug=found.slug).update(slug=slug, goes_at=goes_at)
        return cls(found.pk, slug) if taken else None

    @property
    def project(self) -> Project:
        """Return the project, reloaded."""
        return Project.objects.get(pk=self.pk)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Open an exclusive transaction; raise JobCancelled if another worker has taken over."""
        with write_transaction():
            mine = Project.objects.select_for_update(no_key=True).filter(pk=self.pk, slug=self.slug)
            if not mine.values_list("pk", flat=True)[:1]:
                raise JobCancelled(f"{self.slug} has been taken over by another worker.")
            yield

    def discard(self) -> None:
        """Delete it with its files, unless another worker has taken over."""
        with write_transaction():
            mine = Project.objects.filter(pk=self.pk, slug=self.slug)
            # No worker resumes it from here; a sweep deletes what this process leaves.
            taken = mine.update(slug=LEFT + uuid4().hex[:8])
        if taken:
            _try_to_remove(self.pk)


def _batch(project: Project, row: Mapping[str, Any]) -> Batch:
    """Store a batch; the batch it follows is set once all are stored."""
    batch = Batch.objects.create(project=project, **{**row, "follows": None})
    Batch.objects.filter(pk=batch.pk).update(created_at=row["created_at"])
    return batch


def sweep(project: Project | None = None) -> int:
    """Delete abandoned stagings of one project or of all; return how many."""
    place = f"{RESTORING}{project.pk}:" if project else RESTORING
    removed = 0
    for found in Project.objects.filter(Q(slug__startswith=place) | Q(slug__startswith=LEFT)):
        if found.slug.startswith(LEFT):
            _try_to_remove(found.pk)
        elif _is_alive(found):
            continue
        else:
            Staging(found.pk, found.slug).discard()
        removed += 1
    return removed


def discard_of(project: Project, job: int) -> None:
    """Delete a job's staging."""
    for found in Project.objects.filter(slug__startswith=_beginning(project, job)):
        Staging(found.pk, found.slug).discard()


def _beginning(project: Project, job: int) -> str:
    return f"{RESTORING}{project.pk}:{job}:"


def _is_alive(staging: Project) -> bool:
    job = int(staging.slug.split(":")[2])
    if job == NO_JOB:
        return staging.goes_at is not None and staging.goes_at > timezone.now()
    return Job.objects.filter(Q(pk=job) | Q(data__begun=job), status__in=UNDER_WAY).exists()


def _try_to_remove(pk: int) -> None:
    try:
        _remove(pk)
    except OSError as error:
        log.warning("An abandoned restore could not be deleted: %s.", error.strerror or error)


def _remove(pk: int) -> None:
    """Delete the rows and files of an abandoned staging, piece by piece."""
    images = Image.everything.filter(project=pk)
    _remove_rows(Reply.objects.filter(question__project=pk))
    _remove_rows(Question.objects.filter(project=pk))
    _remove_rows(Announcement.objects.filter(batch__project=pk))
    _remove_rows(Adjudication.objects.filter(image__project=pk))
    _remove_rows(Annotation.objects.filter(assignment__batch__project=pk))
    _remove_rows(Assignment.objects.filter(batch__project=pk))
    for (name,) in in_chunks(images.order_by("pk"), "file"):
        remove_file(name, pk)
    _remove_rows(images)
    with write_transaction():
        Project.objects.filter(pk=pk).delete()


def remove_file(name: str, staging: int | None = None) -> None:
    """Delete a file that no row refers to, ignoring rows of one staging."""
    if not Image.everything.filter(file=name).exclude(project=staging).exists():
        default_storage.delete(name)


def _remove_rows(rows: QuerySet[Any]) -> None:
    model: type[Model] = rows.model
    while numbers := list(rows.order_by().values_list("pk", flat=True)[:CHUNK]):
        with write_transaction():
            found = model._base_manager.filter(pk__in=numbers)
            # No rows refer to these, so they can be deleted without loading.
            found._raw_delete(found.db)
