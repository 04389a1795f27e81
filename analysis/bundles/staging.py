"""Where a bundle's rows stand until all of them are there: a project that nobody belongs to.

Storing 100,000 answers takes longer than a database may be locked. So they are stored piece by piece where
no page leads, and handed over to the real project in one short transaction, or taken away again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

from django.core.files.storage import default_storage
from django.db.models import Model, QuerySet

from analysis.bundles.opened import BundleRefused, counted
from analysis.bundles.reading import in_chunks
from analysis.models import Report
from annotator.imports.people import waiting_account
from annotator.models import (
    Adjudication,
    Annotation,
    Assignment,
    Event,
    Image,
    Membership,
    Plan,
    Project,
    User,
)
from annotator.transactions import write_transaction

Actor = User | None
CHUNK: Final = 500
RESTORED: Final = "restored"
"""The verb of the Event of a project that was made of a bundle."""


def require_empty(project: Project) -> None:
    """Raise BundleRefused for a project that holds anything a bundle would bring."""
    held = {
        "image": project.images.count(),
        "batch": project.batches.count(),
        "report": Report.objects.filter(project=project, status=Report.Status.DONE).count(),
    }
    if any(held.values()):
        words = ", ".join(counted(count, name) for name, count in held.items() if count)
        raise BundleRefused(
            f"The project {project.slug} is not empty: it has {words}. A bundle is read into a new project."
        )


@contextmanager
def staging_for(project: Project) -> Iterator[Project]:
    """Give a project to store rows in, after removing what a killed worker left of an earlier one.

    Whatever is left in it at the end was not handed over, and goes, with its pictures.
    """
    slug = f"restoring-{project.pk}-"
    for left in Project.objects.filter(slug__startswith=slug):
        remove_staging(left)
    with write_transaction():
        staging = Project.objects.create(slug=f"{slug}{uuid4().hex[:8]}", name="Being restored")
    try:
        yield staging
    finally:
        if Project.objects.filter(pk=staging.pk).exists():
            remove_staging(staging)


def remove_staging(staging: Project) -> None:
    """Remove a project's rows and pictures, piece by piece; only for one that was never handed over."""
    _remove(Adjudication.objects.filter(image__project=staging))
    _remove(Annotation.objects.filter(assignment__batch__project=staging))
    _remove(Assignment.objects.filter(batch__project=staging))
    for (name,) in in_chunks(staging.images.order_by("pk"), "file"):
        if not Image.objects.filter(file=name).exclude(project=staging).exists():
            default_storage.delete(name)
    _remove(staging.images.all())
    with write_transaction():
        staging.delete()


def hand_over(staging: Project, project: Project, values: dict[str, Any], event: dict[str, Any]) -> list[str]:
    """Give all rows to the project, in one transaction; return in words what had to be changed for it.

    `values` are the project's new settings. Raises BundleRefused where it is not empty any more.
    """
    with write_transaction():
        held = Project.objects.select_for_update().get(pk=project.pk)
        require_empty(held)
        changed = _make_room(held, set(staging.memberships.values_list("code", flat=True)))
        for member in staging.memberships.order_by("pk"):
            account = waiting_account(held, member.code) if member.is_active else None
            Membership.objects.filter(pk=member.pk).update(project=held, user=account)
        staging.images.filter(display_error="").update(display_state=Image.DisplayState.PENDING)
        staging.images.update(project=held)
        staging.batches.update(project=held)
        Report.objects.filter(project=staging, status=Report.Status.DONE).update(project=held)
        Project.objects.filter(pk=held.pk).update(**values)
        actor = event.pop("actor")
        Event.objects.create(project=held, actor=actor, verb=RESTORED, data=event)
        Project.objects.filter(pk=staging.pk).delete()
    return changed


def _make_room(project: Project, codes: set[str]) -> list[str]:
    """Give members who are there already another code where the bundle has answers under theirs."""
    changed = []
    taken = codes | set(project.memberships.values_list("code", flat=True))
    for member in project.memberships.filter(code__in=codes):
        number = next(n for n in range(2, len(taken) + 3) if f"{member.code[:70]}-{n}" not in taken)
        code = f"{member.code[:70]}-{number}"
        taken.add(code)
        Membership.objects.filter(pk=member.pk).update(code=code)
        changed.append(f"The code {member.code} is that of an annotator of the bundle: yours is now {code}.")
    return changed


def _remove(rows: QuerySet[Any]) -> None:
    model: type[Model] = rows.model
    while numbers := list(rows.order_by().values_list("pk", flat=True)[:CHUNK]):
        with write_transaction():
            found = model._default_manager.filter(pk__in=numbers)
            # Nothing refers to these rows any more; no row needs to be loaded to find that out.
            found._raw_delete(found.db)


def store_plan(batch_id: int, values: dict[str, Any], document: bytes) -> None:
    """Store a plan with the time it was made."""
    made = Plan.objects.create(batch_id=batch_id, document=document, **_without(values, "created_at"))
    Plan.objects.filter(pk=made.pk).update(created_at=values["created_at"])


def _without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
