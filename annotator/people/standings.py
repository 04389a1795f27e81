"""Standings: who may be given work that needs a qualification, and how that changes.

Changes of one project are serialised by its row, and each is an Event with the state it replaced. Reading a
standing first lapses it if that is due. Nothing here takes work away from anybody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.inputs.refusal import Refusal
from annotator.models import Annotation, Assignment, Batch, Event, Membership, Project, Standing, User
from annotator.models.counting import is_work
from annotator.models.standings import PERMITTING
from annotator.people.members import acting_lead

STANDING_CHANGED: Final = "standing_changed"
LONGEST_REASON: Final = 400


class StandingRefused(Refusal, ValueError):
    """A change of a standing that is not made; the message names the cause."""


def standings_of(project: Project, protocol: str, members: Iterable[Membership]) -> dict[int, Standing]:
    """Return the standing of each member by id, lapsed if due; a new row, not stored, where there is none."""
    people = {member.pk: member for member in members}
    lapse_due(project, protocol)
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
    lapse_due(project, protocol)
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


def waive(*, project: Project, protocol: str, members: Collection[int], reason: str, actor: User) -> int:
    """Exempt members, by id, from the qualification; return how many did not have it.

    Members who are already qualified or exempt stay so: if two leads exempt somebody at once, only one does.
    Raises StandingRefused for a missing or invalid reason, and for anybody but a lead.
    """
    why = " ".join(reason.split())
    if not why or "\0" in why:
        raise StandingRefused(
            "Enter why no qualification is needed. It is saved in the history.", "no-reason"
        )
    if len(why) > LONGEST_REASON:
        raise StandingRefused(
            f"The reason has {len(why)} characters; the limit is {LONGEST_REASON}.", "too-long"
        )
    if turns_text_round(why):
        raise StandingRefused(f"The reason: {TURNED}", "turned")
    with write_transaction():
        Project.locked(project.pk)
        lead = acting_lead(project.pk, actor)
        if lead is None:
            raise StandingRefused("Only a lead of the project can exempt annotators.", "no-lead")
        found = lacking(project, protocol, members)
        for member in found:
            move(member, protocol, Standing.State.WAIVED, actor=actor, by=lead, reason=why)
    return len(found)


def lapse_due(project: Project, protocol: str | None = None, now: datetime | None = None) -> int:
    """Lapse what is due in a project, under one protocol or all; return how many standings lapsed.

    A standing lapses with a new major version of the guideline, or after STANDING_DAYS without work unless
    its member has open work under the protocol. Open work stays with a member whose standing lapses.
    """
    if not _due(project, protocol, now):
        return 0
    with write_transaction():
        Project.locked(project.pk)
        # Read again: it may have been waived or lapsed in the meantime.
        current = Project.objects.get(pk=project.pk)
        due = _due(current, protocol, now)
        for row, reason in due:
            move(
                row.membership,
                row.protocol,
                Standing.State.LAPSED,
                actor=None,
                evidence=row.evidence,
                reason=reason,
            )
    return len(due)


def lapse_everywhere() -> int:
    """Lapse what is due in every project; return how many standings lapsed."""
    held = Standing.objects.filter(state__in=PERMITTING, membership__project__goes_at=None)
    projects = Project.objects.filter(pk__in=held.values("membership__project"))
    return sum(lapse_due(project) for project in projects.order_by("pk"))


def _due(project: Project, protocol: str | None, now: datetime | None) -> list[tuple[Standing, str]]:
    """Return the standings that lapse now, each with the reason; one query."""
    wanted = {"protocol": protocol} if protocol else {}
    held = Standing.objects.filter(membership__project=project, state__in=PERMITTING, **wanted)
    outdated = Q()
    for slug, number in project.guideline_versions.items():
        earlier = [Q(protocol=slug, guideline__startswith=f"{major}.") for major in range(1, _major(number))]
        # Qualified before the first version: under what became version 1.
        before = [Q(protocol=slug, guideline="")] if _major(number) > 1 else []
        for each in [*earlier, *before]:
            outdated |= each
    busy = Assignment.objects.filter(
        is_work(),
        annotator=OuterRef("membership"),
        batch__protocol=OuterRef("protocol"),
        status=Assignment.Status.OPEN,
        batch__status__in=(Batch.Status.OPEN, Batch.Status.PREPARING),
    )
    due = outdated
    if settings.STANDING_DAYS:
        idle = _idle((now or timezone.now()) - timedelta(days=settings.STANDING_DAYS))
        due |= idle & ~Q(Exists(busy))
    if not due:
        return []
    rows = held.filter(due).select_related("membership").order_by("pk")
    return [(row, _why(row, project)) for row in rows]


def _idle(since: datetime) -> Q:
    submitted = Annotation.objects.filter(
        is_work("assignment__"),
        assignment__annotator=OuterRef("membership"),
        assignment__batch__protocol=OuterRef("protocol"),
        submitted_at__gte=since,
    )
    return Q(changed_at__lt=since) & ~Q(Exists(submitted))


def _why(row: Standing, project: Project) -> str:
    number = project.guideline_versions.get(row.protocol, "")
    if number and _major(row.guideline or "1.0") < _major(number):
        return f"Guideline {number} is a new major version."
    return f"No work in {settings.STANDING_DAYS} days."


def _major(number: str) -> int:
    return int(number.partition(".")[0])


def _none(member: Membership, protocol: str) -> Standing:
    return Standing(membership=member, protocol=protocol, changed_at=member.created_at)
