"""Standings: who may be given work that needs a qualification, and how that changes.

Changes of one project are serialised by its row, and each is an Event with the state it replaced. Nothing
here takes work away from anybody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from django.db.models import Exists, OuterRef
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import checked_reason
from annotator.models import Event, Membership, Project, Standing, User
from annotator.models.standings import PERMITTING
from annotator.people.members import acting_lead

STANDING_CHANGED: Final = "standing_changed"


def standings_of(protocol: str, members: Iterable[Membership]) -> dict[int, Standing]:
    """Return the standing of each member by id; a new row, not stored, where there is none. One query."""
    people = {member.pk: member for member in members}
    held = Standing.objects.filter(membership__in=people, protocol=protocol).select_related("changed_by")
    stored = {row.membership_id: row for row in held}
    return {pk: stored.get(pk) or _none(member, protocol) for pk, member in people.items()}


def qualified_for(project: Project) -> dict[int, list[str]]:
    """Return the protocols, by slug, under which members may be given work that needs a qualification."""
    found: dict[int, list[str]] = {}
    rows = Standing.objects.filter(membership__project=project, state__in=PERMITTING)
    for member, protocol in rows.order_by("protocol").values_list("membership", "protocol"):
        found.setdefault(member, []).append(protocol)
    return found


def lacking(project: Project, protocol: str, members: Collection[int]) -> list[Membership]:
    """Return which of these members, by id, may not be given work that needs a qualification, by code."""
    held = Standing.objects.filter(membership=OuterRef("pk"), protocol=protocol, state__in=PERMITTING)
    return list(project.memberships.filter(~Exists(held), pk__in=list(members)).order_by("code"))


def move(
    member: Membership,
    protocol: str,
    state: Standing.State,
    *,
    actor: User | None,
    by: Membership | None = None,
    evidence: Sequence[int] = (),
    reason: str = "",
    guideline: str | None = None,
) -> Standing:
    """Give a member another standing, with an Event; inside a transaction that has locked the project.

    `guideline` is the version it rests on, by default the one in force.
    """
    before = Standing.objects.filter(membership=member, protocol=protocol).first()
    versions = Project.objects.values_list("guideline_versions", flat=True).get(pk=member.project_id)
    now = timezone.now()
    if guideline is None:
        guideline = versions.get(protocol, "")
    values = {
        "state": state,
        "guideline": guideline,
        "evidence": list(evidence),
        "reason": reason,
        "changed_by": by,
        # A clock that was set back puts no change before the one it replaces.
        "changed_at": now if before is None else max(now, before.changed_at),
    }
    row, _ = Standing.objects.update_or_create(membership=member, protocol=protocol, defaults=values)
    data = {
        "code": member.code,
        "protocol": protocol,
        "state": str(state),
        "guideline": guideline,
        "evidence": list(evidence),
        **({"reason": reason} if reason else {}),
        "replaced": {
            "state": str(before.state),
            "guideline": before.guideline,
            "evidence": before.evidence,
            "reason": before.reason,
        }
        if before
        else {"state": Standing.State.NONE.value},
    }
    Event.objects.create(project_id=member.project_id, actor=actor, verb=STANDING_CHANGED, data=data)
    return row


def begin_training(members: Sequence[Membership], protocol: str, actor: User | None) -> None:
    """Note who begins to train: members without a standing; inside a transaction that locked the project."""
    known = Standing.objects.filter(membership__in=members, protocol=protocol).exclude(state="none")
    begun = set(known.values_list("membership", flat=True))
    for member in members:
        if member.pk not in begun:
            move(member, protocol, Standing.State.TRAINING, actor=actor)


def waive(
    *, project: Project, protocol: str, members: Collection[int], reason: str, actor: User | None
) -> int:
    """Exempt members, by id, from the qualification; return how many did not have it.

    Members who are already qualified or exempt stay so: if two leads exempt somebody at once, only one does.
    Raises InvalidReason.
    """
    why = checked_reason(" ".join(reason.split()))
    with write_transaction():
        Project.locked(project.pk)
        lead = acting_lead(project.pk, actor)
        found = lacking(project, protocol, members)
        for member in found:
            move(member, protocol, Standing.State.WAIVED, actor=actor, by=lead, reason=why)
    return len(found)


def lapse(project: Project, protocol: str) -> None:
    """Lapse the standings that rest on an earlier major version of the guideline than the one in force.

    Inside a transaction that has locked the project. Open work stays with a member whose standing lapses.
    """
    number = Project.objects.values_list("guideline_versions", flat=True).get(pk=project.pk).get(protocol)
    held = Standing.objects.filter(
        membership__project=project, protocol=protocol, state__in=PERMITTING
    ).select_related("membership")
    for row in held.order_by("pk"):
        # Qualified before the first version: under what became version 1.
        if number and _major(row.guideline or "1.0") < _major(number):
            reason = f"Guideline {number} is a new major version."
            lapsed = Standing.State.LAPSED
            move(row.membership, protocol, lapsed, actor=None, evidence=row.evidence, reason=reason)


def _major(number: str) -> int:
    return int(number.partition(".")[0])


def _none(member: Membership, protocol: str) -> Standing:
    return Standing(membership=member, protocol=protocol, changed_at=member.created_at)
