"""Remove annotators from a batch and add others: propose a change, and apply it only as proposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final
from uuid import UUID

from django.db.models import Q

from annotator.batches.assignments import by_code, refuse_unqualified
from annotator.batches.checks import KNOWN
from annotator.batches.planning import (
    ALGORITHM,
    ChangeDesign,
    Held,
    Placement,
    PlanAnnotator,
    PlanChange,
    PlanImage,
    propose_change,
)
from annotator.batches.planning.change.design import with_newcomers
from annotator.batches.planning.design import NO_CHECKS
from annotator.batches.planning.interleaving import ANCHOR, REPEAT, WORK
from annotator.batches.reassigning import reassign
from annotator.batches.stored_plans import Released, annotators_of, released_of
from annotator.database.transactions import write_transaction
from annotator.faces.gate import drawn_by
from annotator.inputs.plain_text import checked_reason
from annotator.inputs.refusal import Refusal
from annotator.models import Assignment, Batch, Event, Image, Membership, Plan, Project, User
from annotator.models.counting import is_work, mark_random
from annotator.people.places import with_invitations
from annotator.protocols.registry import barring

TRIES: Final = 5
"""Proposals computed for one change while others save in the batch."""


class ChangeRefused(Refusal, ValueError):
    """The annotators of this batch cannot be changed; the message names the reason."""


class ProposalChanged(ValueError):
    """The proposal is out of date; `change` is the new one."""

    def __init__(self, change: PlanChange) -> None:
        super().__init__("The batch has changed since this preview. Check the new preview.")
        self.change = change


def people_of_batch(batch: Batch) -> list[Membership]:
    """Return the active annotators of a batch: those of its last plan, or all with assignments."""
    codes = {one.code for one in annotators_of(batch)}
    people = batch.project.memberships.filter(code__in=codes, is_active=True).order_by("code")
    return list(with_invitations(people))


def propose_people_change(
    *, batch: Batch, leaving: Sequence[Membership] = (), joining: Sequence[Membership] = ()
) -> PlanChange:
    """Return the assignments to withdraw and to add, from the current rows; stores nothing.

    Deactivated annotators leave as well. Raises ChangeRefused, InvalidBatch, InvalidDesign.
    """
    check_open(batch)
    return propose_change(_design(batch, released_of(batch), leaving, joining))


def outcome_of(change: PlanChange) -> str:
    """Return a digest of the outcome of a proposal."""
    moved: list[Held | Placement] = [*change.withdraw, *change.add]
    lines = sorted(f"{one.image}\t{one.annotator}\t{one.purpose}" for one in moved)
    return sha256("\n".join([str(len(change.withdraw)), *lines]).encode()).hexdigest()


def apply_people_change(
    *,
    batch: Batch,
    leaving: Sequence[Membership] = (),
    joining: Sequence[Membership] = (),
    outcome: str,
    reason: str,
    actor: User | None,
    request_key: UUID | None = None,
) -> Plan:
    """Apply the proposal with this `outcome_of` and return its plan; all or nothing.

    Drafts stay with the withdrawn assignments. A repeated `request_key` returns the first plan.
    Raises ProposalChanged, InvalidReason, ChangeRefused, InvalidBatch, InvalidDesign.
    """
    why, released = checked_reason(reason), released_of(batch)
    for _ in range(TRIES):
        # Before the locks, which then last only as long as a comparison.
        change = propose_change(_design(batch, released, leaving, joining))
        if outcome_of(change) != outcome:
            break
        with write_transaction():
            # From here on, nobody marks a face, is trained or gets another batch in this project.
            Project.locked(batch.project_id)
            # From here on, every change of an annotation in the batch waits or is visible.
            held = Batch.objects.select_for_update(of=("self",)).select_related("project").get(pk=batch.pk)
            if done := _done_before(held, request_key):
                return done
            check_open(held)
            if _design(held, released, leaving, joining) != change.design:
                continue  # somebody has saved meanwhile
            return _store(held, change, why, actor, request_key, leaving, joining)
    # The same page may have been sent twice, and its change been stored while this one was computed.
    if done := _done_before(batch, request_key):
        return done
    raise ProposalChanged(change)


def _store(
    batch: Batch,
    change: PlanChange,
    reason: str,
    actor: User | None,
    request_key: UUID | None,
    leaving: Sequence[Membership],
    joining: Sequence[Membership],
) -> Plan:
    reassign(batch, [(one.image, one.annotator, one.purpose) for one in change.withdraw], change.add)
    mark_random(batch)
    plan = Plan.objects.create(
        batch=batch,
        kind=Plan.Kind.CHANGE,
        algorithm=ALGORITHM,
        annotators=[[one.code, one.capacity] for one in change.design.annotators],
        reason=reason,
        request_key=request_key,
    )
    data = {
        "batch": batch.pk,
        "name": batch.name,
        "plan": plan.pk,
        "left": sorted(person.code for person in leaving),
        "joined": sorted(person.code for person in joining),
        "withdrawn": len(change.withdraw),
        "added": len(change.add),
        "reason": reason,
    }
    Event.objects.create(project_id=batch.project_id, actor=actor, verb="people_changed", data=data)
    return plan


def _done_before(batch: Batch, request_key: UUID | None) -> Plan | None:
    if request_key is None:
        return None
    plan = Plan.objects.filter(request_key=request_key).first()
    if plan is not None and (plan.batch_id, plan.kind) != (batch.pk, Plan.Kind.CHANGE):
        raise ChangeRefused("This form was already used. Reload the page.", "key-reused")
    return plan


def check_open(batch: Batch) -> None:
    """Raise ChangeRefused unless the batch is open."""
    status = Batch.objects.values_list("status", flat=True).get(pk=batch.pk)
    if status == Batch.Status.CLOSED:
        raise ChangeRefused(f"“{batch.name}” is closed. Reopen it to change its annotators.", "closed")


def _design(
    batch: Batch, first: Released | None, leaving: Sequence[Membership], joining: Sequence[Membership]
) -> ChangeDesign:
    """Return the input of the change, read from the database."""
    planned = {one.code: one.capacity for one in annotators_of(batch)}
    codes = (planned.keys() | {person.code for person in joining}) - {person.code for person in leaving}
    stay = list(batch.project.memberships.filter(code__in=codes, is_active=True).order_by("code"))
    _refuse_who_saw_faces(batch, joining)
    if batch.needs_standing:
        refuse_unqualified(batch.project, batch.protocol, [person.pk for person in joining])
    held = _held(batch, WORK)
    # Nobody holds an image that was deleted, even if the same content was imported again.
    current = Counter(one.image for one in held)
    release, owed = first or (None, current)
    if release is None:
        placed = Assignment.objects.filter(is_work(), batch=batch, position__isnull=False)
        rows = Image.objects.filter(pk__in=placed.values("image")).order_by("sha256")
        images = tuple(PlanImage(*row) for row in rows.values_list("sha256", "generator", "prompt"))
    else:
        images = tuple(one for one in release.images if one.key in current)
    checks = release.checks if release else NO_CHECKS
    there = Assignment.objects.filter(batch=batch, purpose=ANCHOR).order_by()
    anchors = set(there.values_list("image__sha256", flat=True)) if checks.anchors else set()
    return ChangeDesign(
        images=images,
        annotators=tuple(PlanAnnotator(one.code, planned.get(one.code)) for one in stay),
        held=held,
        per_image={image: owed[image] for image in current},
        seed=batch.seed if batch.seed is not None else 1,
        earlier=with_newcomers(release, [one.code for one in stay]) if release else None,
        checks=replace(checks, anchors=tuple(one for one in checks.anchors if one.key in anchors)),
        checked=_held(batch, ANCHOR, REPEAT) if checks else (),
        barred=_barred(batch, stay) - {(one.image, one.annotator) for one in held},
    )


def _barred(batch: Batch, people: Sequence[Membership]) -> frozenset[tuple[str, str]]:
    """Return the images and annotators that no change may bring together.

    As at the release, nobody judges as work what they know from training, a norming session or as an anchor,
    and nothing becomes an anchor for somebody who has had it for another purpose. In a second stage nobody
    gets an image that they have as work under its protocol.
    """
    here = Assignment.objects.filter(batch=batch).order_by()
    had = Assignment.objects.filter(annotator__in=people).order_by()
    is_anchor = Q(purpose=Assignment.Purpose.ANCHOR)
    known = had.filter(purpose__in=KNOWN, image__in=here.filter(is_work()).values("image"))
    used = had.filter(~is_anchor, image__in=here.filter(is_anchor).values("image"))
    pairs = frozenset(
        pair for rows in (known, used) for pair in rows.values_list("image__sha256", "annotator__code")
    )
    if batch.follows_id is None:
        return pairs
    elsewhere = had.filter(is_work(), batch__protocol__in=barring(batch.protocol), position__isnull=False)
    elsewhere = elsewhere.exclude(batch=batch).filter(image__in=here.filter(is_work()).values("image"))
    return pairs.union(elsewhere.values_list("image__sha256", "annotator__code"))


def _refuse_who_saw_faces(batch: Batch, joining: Sequence[Membership]) -> None:
    """Raise ChangeRefused for a batch with blurred faces if one of these has marked a face in it."""
    if not (batch.is_blurred and joining):
        return
    images = set(Assignment.objects.filter(batch=batch).order_by().values_list("image", flat=True))
    if drawn := drawn_by([person.pk for person in joining], images):
        raise ChangeRefused(
            "Anyone who has marked the faces of an image has seen them and must not rate it. Choose "
            f"somebody else. Images of this batch whose faces they marked: {by_code(drawn)}.",
            "faces-drawn",
        )


def _held(batch: Batch, *purposes: str) -> tuple[Held, ...]:
    """Return the current assignments; skipped images are finished, any started annotation is a draft."""
    placed = Assignment.objects.filter(batch=batch, position__isnull=False, purpose__in=purposes)
    rows = placed.order_by("annotator", "position").values_list(
        "image__sha256", "annotator__code", "position", "status", "annotation", "purpose"
    )
    return tuple(
        Held(image, code, position, "done" if status != "open" else "draft" if begun else "open", purpose)
        for image, code, position, status, begun, purpose in rows.iterator(chunk_size=5000)
    )
