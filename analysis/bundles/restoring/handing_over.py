"""Transfer all restored rows to the project in one short transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from analysis.bundles.restoring.archive import BundleRefused, counted
from analysis.bundles.restoring.staging import Staging
from analysis.models import Report
from annotator.models import Event, Image, Membership, Project, User
from annotator.people.places import waiting_accounts

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
        made.images.update(project=held)
        made.summaries.update(project=held)
        made.batches.update(project=held)
        made.questions.update(project=held)
        Report.objects.filter(project=made, status=Report.Status.DONE).update(project=held)
        made.guidelines.update(project=held)
        Project.objects.filter(pk=held.pk).update(
            weights=made.weights, guideline_versions=made.guideline_versions
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
