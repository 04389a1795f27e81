"""Staging: a hidden project without members that holds a bundle's rows until all are stored and transferred.

Storing 100,000 images takes longer than a database lock or a worker may last. Workers therefore store them
piece by piece where no page leads, then transfer them to the real project in one short transaction, or delete
them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Self
from uuid import uuid4

from django.core.files.storage import default_storage
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from analysis.bundles.restoring import faces
from analysis.bundles.restoring.archive import BundleRefused, counted
from analysis.bundles.restoring.manifest import Manifest
from analysis.bundles.source import in_chunks
from analysis.models import ImageMetric, Report
from annotator.annotations.summaries import summarise_invalid
from annotator.batches.assignments import picture_under
from annotator.database.transactions import write_transaction
from annotator.models import (
    Adjudication,
    Annotation,
    Announcement,
    Assignment,
    Batch,
    DataSet,
    Event,
    FaceDecision,
    Image,
    Job,
    Membership,
    NormedImage,
    NormingComment,
    NormingSession,
    Project,
    Question,
    Reference,
    Reply,
    Screening,
    User,
)
from annotator.models.data_sets import invalid_from_in
from annotator.people.places import waiting_accounts
from annotator.uploads.status import UNDER_WAY
from annotator.work.leases import JobCancelled
from scoring.protocol import INVALID_FROM

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
                standing_days=manifest.standing_days,
                goes_at=timezone.now() + FORGOTTEN,
            )
            if manifest.data_set:
                DataSet.objects.create(project=made, settings=dict(manifest.data_set))
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
    picture = picture_under(row["protocol"])
    batch = Batch.objects.create(project=project, **{**row, "follows": None, "picture": picture})
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
    _remove_rows(NormingComment.objects.filter(normed__session__project=pk))
    _remove_rows(NormedImage.objects.filter(session__project=pk))
    _remove_rows(NormingSession.objects.filter(project=pk))
    _remove_rows(Adjudication.objects.filter(image__project=pk))
    _remove_rows(Reference.objects.filter(image__project=pk))
    _remove_rows(FaceDecision.objects.filter(image__project=pk))
    _remove_rows(Screening.objects.filter(image__project=pk))
    _remove_rows(ImageMetric.objects.filter(project=pk))
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


Actor = User | None
RESTORED: Final = "restored"
"""The verb of the Event of a restored project."""


def require_empty(project: Project) -> None:
    """Raise BundleRefused for a project with any content that a bundle has."""
    held = {
        "image": project.images.count(),
        "deleted image": Image.everything.filter(project=project, goes_at__isnull=False).count(),
        "batch": project.batches.count(),
        "guideline": project.guidelines.count(),
        "report": Report.objects.filter(project=project, status=Report.Status.DONE).count(),
    }
    if any(held.values()):
        words = ", ".join(counted(count, name) for name, count in held.items() if count)
        raise BundleRefused(
            f"The project {project.slug} is not empty: it has {words}. Import the bundle into a new project."
        )


def hand_over(
    staging: Staging,
    project: Project,
    actor: Actor,
    event: dict[str, Any],
    then: Callable[[], None],
    me: str = "",
) -> list[str]:
    """Transfer all rows to the project in one transaction; return remarks on what had to change.

    `event` is the data of the Event; `then` runs in the same transaction. With `me`, the actor continues as
    the bundle's member with this code, in the role they have in the project.

    Raise BundleRefused if the project is no longer empty, JobCancelled if another worker has taken over.
    """
    with staging.writing():
        made = staging.project
        held = Project.objects.select_for_update().get(pk=project.pk)
        require_empty(held)
        mine = _leave_own_code(held, made, actor, me)
        changed = _make_room(held, set(made.memberships.values_list("code", flat=True)))
        members = list(made.memberships.filter(is_active=True).order_by("pk"))
        others = [member for member in members if mine is None or member.code != me]
        Membership.objects.filter(pk__in=[member.pk for member in members]).update(project=held)
        accounts = waiting_accounts(held, [member.code for member in others])
        for member, account in zip(others, accounts, strict=True):
            Membership.objects.filter(pk=member.pk).update(user=account)
        if mine is not None:
            held.memberships.filter(code=me).update(user=actor, role=mine.role)
            changed.append(f"You are {me} in this project.")
        made.memberships.filter(is_active=False).update(project=held, user=None)
        made.images.filter(display_error="").update(display_state=Image.DisplayState.PENDING)
        faces.put_in_force(made)
        made.images.update(project=held)
        made.summaries.update(project=held)
        made.batches.update(project=held)
        made.questions.update(project=held)
        made.norming_sessions.update(project=held)
        ImageMetric.objects.filter(project=made).update(project=held)
        if DataSet.objects.filter(project=made).exists():
            DataSet.objects.filter(project=held).delete()
            DataSet.objects.filter(project=made).update(project=held)
        elif (kept := invalid_from_in(held.pk)) != INVALID_FROM:
            # The project keeps its own number, on which scores depend.
            protocols = set(held.batches.order_by().values_list("protocol", flat=True))
            summarise_invalid(held.pk, protocols, min(kept, INVALID_FROM))
        Report.objects.filter(project=made, status=Report.Status.DONE).update(project=held)
        made.guidelines.update(project=held)
        Project.objects.filter(pk=held.pk).update(
            weights=made.weights,
            guideline_versions=made.guideline_versions,
            standing_days=made.standing_days,
        )
        data = event | {"remarks": [*event["remarks"], *changed]}
        Event.objects.create(project=held, actor=actor, verb=RESTORED, data=data)
        Project.objects.filter(pk=made.pk).delete()
        then()
    return changed


def _leave_own_code(project: Project, made: Project, actor: Actor, me: str) -> Membership | None:
    """Remove and return the actor's membership if they are `me` in the bundle; the project is empty."""
    if not me or actor is None or not made.memberships.filter(code=me, is_active=True).exists():
        return None
    own = project.memberships.filter(user=actor, is_active=True).first()
    if own is None or own.assignments.exists() or own.adjudications.exists():
        return None
    Membership.objects.filter(pk=own.pk).delete()
    return own


def _make_room(project: Project, codes: set[str]) -> list[str]:
    """Change the codes of existing members that clash with codes in the bundle."""
    changed = []
    taken = codes | set(project.memberships.values_list("code", flat=True))
    for member in project.memberships.filter(code__in=codes):
        number = next(n for n in range(2, len(taken) + 3) if f"{member.code[:70]}-{n}" not in taken)
        code = f"{member.code[:70]}-{number}"
        taken.add(code)
        Membership.objects.filter(pk=member.pk).update(code=code)
        changed.append(f"An annotator of the bundle has the code {member.code}, so yours is now {code}.")
    return changed
