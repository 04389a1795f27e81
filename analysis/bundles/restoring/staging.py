"""Where a bundle's rows stand until all of them are there: a project that nobody belongs to.

Storing 100,000 pictures takes longer than a database may be locked, and longer than a worker may work. So
they are stored piece by piece where no page leads, by one worker after the other, and handed over to the real
project in one short transaction, or taken away again.
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

from analysis.bundles.reading import in_chunks
from analysis.bundles.restoring.manifest import Manifest
from annotator.database.transactions import write_transaction
from annotator.models import Adjudication, Annotation, Assignment, Batch, Image, Job, Membership, Project
from annotator.uploads.status import UNDER_WAY
from annotator.work.steps import JobCancelled

CHUNK: Final = 500
NO_JOB: Final = 0
"""Stands for the job of a command, which has none."""
# No address can hold a colon: no project of anybody's has such a slug.
RESTORING: Final = "restoring:"
LEFT: Final = f"{RESTORING}left:"
FORGOTTEN: Final = timedelta(days=7)
"""After so long without a worker even what no job knows of is taken away."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Staging:
    """The right to store rows there. Its slug is the fence: whoever takes it over gives it another one."""

    pk: int
    slug: str

    @classmethod
    def begin(cls, project: Project, job: int, manifest: Manifest) -> Self:
        """Make one for a job, with people, batches and weights, after removing what dead ones left."""
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
        """Go on with what a job has begun, from here on alone; None where there is nothing."""
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
        """The project, read anew."""
        return Project.objects.get(pk=self.pk)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that nobody else stores into; raises JobCancelled where another goes on by now."""
        with write_transaction():
            mine = Project.objects.select_for_update(no_key=True).filter(pk=self.pk, slug=self.slug)
            if not mine.values_list("pk", flat=True)[:1]:
                raise JobCancelled(f"{self.slug} is no longer ours.")
            yield

    def discard(self) -> None:
        """Take it away with its pictures, unless another has gone on with it."""
        with write_transaction():
            mine = Project.objects.filter(pk=self.pk, slug=self.slug)
            # From here on nobody goes on with it: a sweep removes what this process does not come to.
            taken = mine.update(slug=LEFT + uuid4().hex[:8])
        if taken:
            _try_to_remove(self.pk)


def _batch(project: Project, row: Mapping[str, Any]) -> Batch:
    """Store a batch as it was; which one it follows is stored once all of them are there."""
    batch = Batch.objects.create(project=project, **{**row, "follows": None})
    Batch.objects.filter(pk=batch.pk).update(created_at=row["created_at"])
    return batch


def sweep(project: Project | None = None) -> int:
    """Take away what no worker will go on with, of a project or of all; return how many there were."""
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
    """Take away what a job has begun."""
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
        log.warning("What was being restored stays for now: %s.", error.strerror or error)


def _remove(pk: int) -> None:
    """Remove the rows and pictures of one that nobody goes on with, piece by piece."""
    images = Image.everything.filter(project=pk)
    _remove_rows(Adjudication.objects.filter(image__project=pk))
    _remove_rows(Annotation.objects.filter(assignment__batch__project=pk))
    _remove_rows(Assignment.objects.filter(batch__project=pk))
    for (name,) in in_chunks(images.order_by("pk"), "file"):
        remove_picture(name, pk)
    _remove_rows(images)
    with write_transaction():
        Project.objects.filter(pk=pk).delete()


def remove_picture(name: str, staging: int | None = None) -> None:
    """Remove a picture that no row refers to, those of one staging aside."""
    if not Image.everything.filter(file=name).exclude(project=staging).exists():
        default_storage.delete(name)


def _remove_rows(rows: QuerySet[Any]) -> None:
    model: type[Model] = rows.model
    while numbers := list(rows.order_by().values_list("pk", flat=True)[:CHUNK]):
        with write_transaction():
            found = model._base_manager.filter(pk__in=numbers)
            # Nothing refers to these rows any more; no row needs to be loaded to find that out.
            found._raw_delete(found.db)
