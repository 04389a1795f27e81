"""Taking people out of a batch and putting others in: proposed first, applied only as proposed."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final
from uuid import UUID

from annotator.batches.closing import checked_reason
from annotator.batches.plan_checks import deleted_among, document_of
from annotator.batches.planning import (
    Change,
    ChangeDesign,
    Design,
    Earlier,
    Held,
    Placement,
    PlanAnnotator,
    PlanImage,
    propose_change,
    read_document,
)
from annotator.batches.planning.certificate import annotators_first
from annotator.batches.planning.change.design import State
from annotator.batches.planning.change.newcomers import with_newcomers
from annotator.batches.reassigning import reassign
from annotator.database.transactions import write_transaction
from annotator.inputs.refusal import Refusal
from annotator.models import Assignment, Batch, Event, Image, Membership, Plan, User
from annotator.models.counting import is_work, mark_random
from annotator.work.steps import Steps

_ATTEMPTS: Final = 3
_PIECE: Final = 65_536

Released = tuple[Design, tuple[Placement, ...]]


class ChangeRefused(Refusal, ValueError):
    """People of this batch cannot be changed; the message says why."""


class ProposalChanged(ValueError):
    """Something else would be done by now than what was looked at; `change` is the new proposal."""

    def __init__(self, change: Change) -> None:
        super().__init__("The batch has changed since this proposal was made. Look at the new one.")
        self.change = change


def people_of_batch(batch: Batch) -> list[Membership]:
    """Return the active people who go on in a batch: those of its last plan, or all who hold something."""
    codes = {one.code for one in _planned_people(batch)}
    return list(batch.project.memberships.filter(code__in=codes, is_active=True).order_by("code"))


def propose_people_change(
    *,
    batch: Batch,
    leaving: Sequence[Membership] = (),
    joining: Sequence[Membership] = (),
    capacities: Mapping[str, int] | None = None,
) -> Change:
    """Return what would be withdrawn and added, from what the database holds now; nothing is stored.

    Whoever is not active any more leaves with the others. `capacities` are the most images of the batch by
    code; without one, somebody keeps the one of the last plan. Raises ChangeRefused, InvalidDesign.
    """
    check_open(batch)
    return propose_change(_design(batch, _released(batch), leaving, joining, capacities or {}))


def outcome_of(change: Change) -> str:
    """Return what stands for the outcome of a proposal, however it came about."""
    lines = [*map("\t".join, change.withdraw), *(f"{one.image}\t{one.annotator}" for one in change.add)]
    return sha256("\n".join([str(len(change.withdraw)), *sorted(lines)]).encode()).hexdigest()


def apply_people_change(
    *,
    batch: Batch,
    leaving: Sequence[Membership] = (),
    joining: Sequence[Membership] = (),
    capacities: Mapping[str, int] | None = None,
    outcome: str,
    reason: str,
    actor: User | None,
    request_key: UUID | None = None,
    steps: Steps | None = None,
) -> Plan:
    """Carry out the proposal that `outcome_of` stands for and return its plan; all of it or nothing.

    What was begun stays with the withdrawn assignment. The same `request_key` again returns the first
    plan. A worker's `steps` can still stop it before anything is written. Raises ProposalChanged,
    InvalidReason, ChangeRefused, InvalidDesign.
    """
    why, limits, released = checked_reason(reason), capacities or {}, _released(batch)
    for _ in range(_ATTEMPTS):
        if done := _done_before(batch, request_key):
            return done
        check_open(batch)
        change = propose_change(_design(batch, released, leaving, joining, limits))
        if outcome_of(change) != outcome:
            # The same request may have been carried out while this one was looking.
            if done := _done_before(batch, request_key):
                return done
            raise ProposalChanged(change)
        # Packed here: everybody else's changes wait for the transaction.
        document = zlib.compress(change.document())
        if steps is not None:
            steps(1, 2)
        with write_transaction():
            # Every change of an answer in the batch waits from here on, or has been made.
            held = Batch.objects.select_for_update(of=("self",)).select_related("project").get(pk=batch.pk)
            if done := _done_before(held, request_key):
                return done
            check_open(held)
            if _design(held, released, leaving, joining, limits) == change.design:
                return _store(held, change, document, why, actor, request_key, leaving, joining)
    raise ProposalChanged(change)


def _store(
    batch: Batch,
    change: Change,
    document: bytes,
    reason: str,
    actor: User | None,
    request_key: UUID | None,
    leaving: Sequence[Membership],
    joining: Sequence[Membership],
) -> Plan:
    reassign(batch, change.withdraw, change.add)
    mark_random(batch)
    plan = Plan.objects.create(
        batch=batch,
        kind=Plan.Kind.CHANGE,
        seed=change.design.seed,
        algorithm=change.algorithm,
        certificate=change.certificate,
        document=document,
        reason=reason,
        made_by=actor,
        request_key=request_key,
    )
    data = {
        "batch": batch.pk,
        "name": batch.name,
        "plan": plan.pk,
        "certificate": change.certificate,
        "left": sorted(person.code for person in leaving),
        "joined": sorted(person.code for person in joining),
        "withdrawn": len(change.withdraw),
        "added": len(change.add),
        "kept": change.keep,
        "reason": reason,
    }
    Event.objects.create(project_id=batch.project_id, actor=actor, verb="people_changed", data=data)
    return plan


def _done_before(batch: Batch, request_key: UUID | None) -> Plan | None:
    if request_key is None:
        return None
    plan = Plan.objects.filter(request_key=request_key).first()
    if plan is not None and (plan.batch_id, plan.kind) != (batch.pk, Plan.Kind.CHANGE):
        raise ChangeRefused("This request was used for something else. Open the page anew.", "key-reused")
    return plan


def check_open(batch: Batch) -> None:
    """Raise ChangeRefused where the people of a batch cannot be changed as it stands."""
    status = Batch.objects.values_list("status", flat=True).get(pk=batch.pk)
    if status == Batch.Status.CLOSED:
        raise ChangeRefused(f"“{batch.name}” is closed: open it before its people change.", "closed")
    if status == Batch.Status.PREPARING:
        raise ChangeRefused(f"“{batch.name}” is still being prepared.", "preparing")


def _design(
    batch: Batch,
    first: Released | None,
    leaving: Sequence[Membership],
    joining: Sequence[Membership],
    capacities: Mapping[str, int],
) -> ChangeDesign:
    """Return the input of the change, read from the database."""
    planned = {one.code: one.capacity for one in _planned_people(batch)}
    gone = {person.code for person in leaving}
    codes = (planned.keys() | {person.code for person in joining}) - gone
    active = batch.project.memberships.filter(code__in=codes, is_active=True)
    stay = list(active.order_by("code"))
    missing = deleted_among(batch.project_id)
    owed = Counter(placement.image for placement in first[1]) if first else _owed_now(batch)
    images = first[0].images if first else _images_now(batch)
    return ChangeDesign(
        images=tuple(image for image in images if image.key not in missing),
        annotators=tuple(
            PlanAnnotator(one.code, capacities.get(one.code, planned.get(one.code))) for one in stay
        ),
        leaving=frozenset((planned.keys() | gone) - {one.code for one in stay}),
        held=_held(batch),
        coders_of={image: coders for image, coders in owed.items() if image not in missing},
        seed=batch.seed if batch.seed is not None else 1,
        earlier=_made_up_for(first[0], [one.code for one in stay]) if first else None,
    )


def _made_up_for(release: Design, codes: Sequence[str]) -> Earlier | None:
    """Return what the release made up for; who has joined since stands in the middle of it."""
    if release.earlier is None:
        return None
    known = [one.code for one in release.annotators]
    return with_newcomers(release.earlier, known, [code for code in codes if code not in known])


def _planned_people(batch: Batch) -> Sequence[PlanAnnotator]:
    """Return the people of a batch's last plan; without one, all who hold something in it."""
    last = batch.plans.order_by("-pk").first()
    if last is None:
        held = Membership.objects.filter(
            is_work("assignments__"), assignments__batch=batch, assignments__position__isnull=False
        )
        return [PlanAnnotator(code) for code in held.distinct().values_list("code", flat=True)]
    return annotators_first(_unpacked(bytes(last.document)))


def _unpacked(document: bytes) -> Iterator[bytes]:
    """Unpack a stored document piece by piece: a page wants its beginning, and it may have megabytes."""
    unpack = zlib.decompressobj()
    waiting = document
    while waiting:
        yield unpack.decompress(waiting, _PIECE)
        waiting = unpack.unconsumed_tail
    yield unpack.flush()


def _released(batch: Batch) -> Released | None:
    """Return what a batch was released with, which never changes; None where it had no plan."""
    release = batch.plans.filter(kind=Plan.Kind.RELEASE).first()
    return None if release is None else read_document(document_of(release))


def _images_now(batch: Batch) -> tuple[PlanImage, ...]:
    rows = (
        Image.objects.filter(is_work("assignments__"), assignments__batch=batch).distinct().order_by("sha256")
    )
    return tuple(PlanImage(*row) for row in rows.values_list("sha256", "generator", "prompt"))


def _owed_now(batch: Batch) -> Counter[str]:
    placed = Assignment.objects.filter(is_work(), batch=batch, position__isnull=False).order_by()
    return Counter(placed.values_list("image__sha256", flat=True))


def _held(batch: Batch) -> tuple[Held, ...]:
    """Return what stands; a skipped image is finished, and a draft is whatever was begun."""
    placed = Assignment.objects.filter(is_work(), batch=batch, position__isnull=False)
    rows = placed.order_by("annotator", "position").values_list(
        "image__sha256", "annotator__code", "position", "status", "annotation"
    )
    return tuple(
        Held(image, code, position, _state(status, begun))
        for image, code, position, status, begun in rows.iterator(chunk_size=5000)
    )


def _state(status: str, begun: int | None) -> State:
    if status != Assignment.Status.OPEN:
        return "done"
    return "open" if begun is None else "draft"
