"""Who may adjudicate an image: leads, and reviewers with the right in a batch.

A lead gives reviewers the right in the settings of a batch. It covers the images of the batch that were never
assigned to that reviewer, in any batch, and rests while the member has another role. Where an image is
decided by its annotations, as of defects, nobody but leads sees those before their batch is closed, and not
even a lead decides on annotations of their own.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from django.db.models import Exists, OuterRef, Q, QuerySet

from annotator.database.transactions import write_transaction
from annotator.inputs.refusal import Refusal
from annotator.models import Assignment, Batch, Event, Image, Membership, Project, User
from annotator.models.counting import is_work
from annotator.people.members import acting_lead
from scoring.service import get_protocol

_CLOSED: Final = Batch.Status.CLOSED


class RightRefused(Refusal, ValueError):
    """The right cannot be given; the message says why and what to do."""


@dataclass(frozen=True)
class RightToAdjudicate:
    """Who adjudicates; `codes_hidden`: only with letters in place of annotators' codes."""

    member: Membership
    codes_hidden: bool = False

    @property
    def is_lead(self) -> bool:
        """Whether the member leads the project."""
        return self.member.role == Membership.Role.LEAD


def right_to_adjudicate(member: Membership, image: Image, protocol: str) -> RightToAdjudicate | None:
    """Return a member's right to adjudicate an image under a protocol; None without it.

    One query, at most one for leads. The member must be active.
    """
    if member.role == Membership.Role.LEAD:
        return None if judged_by(member, image, protocol) else RightToAdjudicate(member)
    hidden = list(_rights(member, protocol).filter(_covers(image.pk)).values_list("codes_hidden", flat=True))
    if not hidden or not _open_to(member, protocol, Image.objects.filter(pk=image.pk)).exists():
        return None
    # Where two batches give the right, the stricter setting applies.
    return RightToAdjudicate(member, any(hidden))


def judged_by(member: Membership, image: Image, protocol: str) -> bool:
    """Return whether an image is decided by annotations, one of which is, or will be, this member's."""
    if not get_protocol(protocol).decide:
        return False
    own = Assignment.objects.filter(_held(), image=image, annotator=member, batch__protocol=protocol)
    return own.exists()


def images_to_adjudicate(member: Membership, protocol: str) -> set[int] | None:
    """Return the images that a member may adjudicate under a protocol; None: all, for a lead."""
    if member.role == Membership.Role.LEAD:
        return None
    batches = list(_rights(member, protocol).values_list("pk", flat=True))
    if not batches:
        return set()
    held = Assignment.objects.filter(_held(), batch__in=batches, image=OuterRef("pk"))
    images = Image.objects.filter(Exists(held), project=member.project_id)
    return set(_open_to(member, protocol, images).order_by().values_list("pk", flat=True))


def _open_to(member: Membership, protocol: str, images: QuerySet[Image]) -> QuerySet[Image]:
    """Return the images that were never assigned to a member, and of which no vote is still secret."""
    held = Assignment.objects.filter(image=OuterRef("pk"))
    found = images.exclude(Exists(held.filter(annotator=member)))
    if not get_protocol(protocol).decide:
        return found
    return found.exclude(Exists(held.filter(_held(), ~Q(batch__status=_CLOSED), batch__protocol=protocol)))


def sees_codes(member: Membership, protocol: str) -> bool:
    """Return whether no right of a member hides the annotators' codes; one query, none for leads."""
    if member.role == Membership.Role.LEAD:
        return True
    return not _rights(member, protocol).filter(codes_hidden=True).exists()


def acting_adjudicator(image: Image, protocol: str, actor: User) -> Membership | None:
    """Return the membership of somebody who may adjudicate an image, reloaded; None for anybody else."""
    there = Membership.objects.select_related("project").filter(project__goes_at=None, is_active=True)
    member = there.filter(project=image.project_id, user=actor, user__is_active=True).first()
    return member if member and right_to_adjudicate(member, image, protocol) else None


def choose_adjudicators(*, batch: Batch, chosen: Collection[Membership], actor: User) -> None:
    """Let these reviewers adjudicate in a batch, and nobody else but the leads; what was adjudicated stays.

    A right that rests stays as it is if its member is among them. Raises RightRefused.
    """
    with write_transaction():
        # One change after the other, and before or after that of a role.
        Project.locked(batch.project_id)
        acting_lead(batch.project_id, actor)
        before = set(batch.adjudicators.all())
        reviewers = batch.project.memberships.filter(role=Membership.Role.REVIEWER, is_active=True)
        for member in set(chosen) - before - set(reviewers):
            raise RightRefused(
                f"{member.code} is not an active reviewer of this project. Make them a reviewer on the "
                "page People first; leads can adjudicate without this right.",
                "no-reviewer",
            )
        if set(chosen) != before:
            batch.adjudicators.set(chosen)
            was, now = ({"adjudicators": sorted(each.code for each in rows)} for rows in (before, chosen))
            data = {"batch": batch.pk, "replaced": was, "settings": now}
            Event.objects.create(
                project_id=batch.project_id, actor=actor, verb="batch_settings_changed", data=data
            )


def _rights(member: Membership, protocol: str) -> QuerySet[Batch]:
    """Return the batches in which a member may adjudicate, by the right that a lead has given."""
    reviews = Membership.Role.REVIEWER
    return Batch.objects.filter(adjudicators=member, adjudicators__role=reviews, protocol=protocol)


def _covers(image: int) -> Exists:
    return Exists(Assignment.objects.filter(_held(), batch=OuterRef("pk"), image=image))


def _held() -> Q:
    """Return the filter for assignments that make an image part of a batch."""
    return is_work() & ~Q(status=Assignment.Status.WITHDRAWN)
