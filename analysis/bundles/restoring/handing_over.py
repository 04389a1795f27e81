"""Transfer all restored rows to the project in one short transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from analysis.bundles.restoring.archive import BundleRefused, counted
from analysis.bundles.restoring.staging import Staging
from analysis.models import Report
from annotator.exchange.annotators import waiting_account
from annotator.models import Event, Image, Membership, Project, User

Actor = User | None
RESTORED: Final = "restored"
"""The verb of the Event of a restored project."""


def require_empty(project: Project) -> None:
    """Raise BundleRefused for a project with any content that a bundle has."""
    held = {
        "image": project.images.count(),
        "deleted image": Image.everything.filter(project=project, goes_at__isnull=False).count(),
        "batch": project.batches.count(),
        "report": Report.objects.filter(project=project, status=Report.Status.DONE).count(),
    }
    if any(held.values()):
        words = ", ".join(counted(count, name) for name, count in held.items() if count)
        raise BundleRefused(
            f"The project {project.slug} is not empty: it has {words}. Import the bundle into a new project."
        )


def hand_over(
    staging: Staging, project: Project, actor: Actor, event: dict[str, Any], then: Callable[[], None]
) -> list[str]:
    """Transfer all rows to the project in one transaction; return remarks on what had to change.

    `event` is the data of the Event; `then` runs in the same transaction. Raise BundleRefused if the project
    is no longer empty, JobCancelled if another worker has taken over.
    """
    with staging.writing():
        made = staging.project
        held = Project.objects.select_for_update().get(pk=project.pk)
        require_empty(held)
        changed = _make_room(held, set(made.memberships.values_list("code", flat=True)))
        for member in made.memberships.order_by("pk"):
            account = waiting_account(held, member.code) if member.is_active else None
            Membership.objects.filter(pk=member.pk).update(project=held, user=account)
        made.images.filter(display_error="").update(display_state=Image.DisplayState.PENDING)
        made.images.update(project=held)
        made.batches.update(project=held)
        made.questions.update(project=held)
        Report.objects.filter(project=made, status=Report.Status.DONE).update(project=held)
        Project.objects.filter(pk=held.pk).update(weights=made.weights)
        data = event | {"remarks": [*event["remarks"], *changed]}
        Event.objects.create(project=held, actor=actor, verb=RESTORED, data=data)
        Project.objects.filter(pk=made.pk).delete()
        then()
    return changed


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
