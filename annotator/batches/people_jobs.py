"""Facts of a proposed change of annotators, and the jobs that propose and apply one in a large batch."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from django.urls import reverse

from annotator.batches.closing import InvalidReason
from annotator.batches.people_changes import (
    ChangeRefused,
    ProposalChanged,
    apply_people_change,
    outcome_of,
    propose_people_change,
)
from annotator.batches.planning import AS_PLANNED, Allowance, InvalidDesign, PlanChange
from annotator.batches.planning.change.checks import checks_withdrawn
from annotator.batches.planning.interleaving import WORK
from annotator.batches.releases import NeededStanding, NotQualified
from annotator.models import Batch, Job, Membership, User
from annotator.work.jobs import JobRefused, Steps, request_job
from annotator.work.kinds import register


def proposal_of(
    *,
    batch: Batch,
    leaving: Sequence[Membership] = (),
    joining: Sequence[Membership] = (),
    allow: Allowance = AS_PLANNED,
) -> dict[str, Any]:
    """Propose a change and return its facts; raises ChangeRefused, InvalidDesign."""
    return facts_of(propose_people_change(batch=batch, leaving=leaving, joining=joining, allow=allow))


def facts_of(change: PlanChange) -> dict[str, Any]:
    """Return counts, reassignments, and the balance before and after.

    `flows` are [giver, taker, images], "" for unassigned; `shares` are [code, before, away, new, after].
    """
    begun = {(one.image, one.annotator) for one in change.design.held if one.state == "draft"}
    checks = checks_withdrawn(change.design, change.withdraw)
    return {
        "keep": change.keep + len(change.design.checked) - len(checks),
        "away": len(change.withdraw) + len(checks),
        "drafts": sum(row in begun for row in change.withdraw) + sum(one.state == "draft" for one in checks),
        "new": len(change.add),
        "flows": _flows(change),
        "shares": _shares(change),
        "before": change.before.as_json(),
        "after": change.after.as_json(),
        "earlier": change.design.earlier is not None,
        "outcome": outcome_of(change),
    }


def _flows(change: PlanChange) -> list[list[Any]]:
    """Pair givers with takers for each image; unpaired ones get an empty name."""
    givers: dict[str, list[str]] = defaultdict(list)
    for image, code in change.withdraw:
        givers[image].append(code)
    counted: Counter[tuple[str, str]] = Counter()
    for placement in change.add:
        if placement.purpose != WORK:
            continue
        waiting = givers[placement.image]
        counted[waiting.pop(0) if waiting else "", placement.annotator] += 1
    counted.update((code, "") for left in givers.values() for code in left)
    return [[giver, taker, images] for (giver, taker), images in sorted(counted.items())]


def _shares(change: PlanChange) -> list[list[Any]]:
    held = Counter(one.annotator for one in (*change.design.held, *change.design.checked))
    away = Counter(code for _, code in change.withdraw)
    away.update(one.annotator for one in checks_withdrawn(change.design, change.withdraw))
    new = Counter(placement.annotator for placement in change.add)
    codes = sorted(held.keys() | new.keys() | {one.code for one in change.design.annotators})
    return [[code, held[code], away[code], new[code], held[code] - away[code] + new[code]] for code in codes]


PROPOSE: Final = "propose_people"
CHANGE: Final = "change_people"


def request_people_job(
    *,
    kind: str,
    batch: Batch,
    leaving: Sequence[Membership],
    joining: Sequence[Membership],
    reason: str,
    actor: User,
    allow: Allowance = AS_PLANNED,
    standing: NeededStanding | None = None,
    **more: Any,
) -> Job:
    """Request a job: PROPOSE, or CHANGE with its `outcome`, whom it exempts and an idempotency key."""
    data = {
        "batch": batch.pk,
        "leaving": [person.pk for person in leaving],
        "joining": [person.pk for person in joining],
        "reason": reason,
        "allow": asdict(allow),
        "outcome": more.pop("outcome", ""),
        "waived": list(standing.waived) if standing else [],
        "waiver": standing.reason if standing else "",
        "back": [reverse("batch_people", args=[batch.pk]), "Back to annotators"],
    }
    return request_job(project=batch.project, kind=kind, data=data, actor=actor, **more)


def run_proposal(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a PROPOSE job; its result holds the facts for the page."""
    batch = _batch(job)
    try:
        facts = proposal_of(
            batch=batch,
            leaving=_people(job, "leaving"),
            joining=_people(job, "joining"),
            allow=allowance_of(job),
        )
    except (ChangeRefused, InvalidDesign) as refused:
        raise JobRefused(str(refused)) from refused
    steps(1, 1)
    return {
        "url": reverse("batch_people_proposal", args=[batch.pk, job.pk]),
        "words": f"New assignments: {facts['new']:,}. Nothing is stored until you confirm.",
        "proposal": facts,
    }


def run_change(job: Job, steps: Steps) -> Mapping[str, Any]:
    """Run a CHANGE job; its idempotency key makes retries safe."""
    batch = _batch(job)
    try:
        apply_people_change(
            batch=batch,
            leaving=_people(job, "leaving"),
            joining=_people(job, "joining"),
            allow=allowance_of(job),
            outcome=job.data["outcome"],
            reason=job.data["reason"],
            actor=job.requested_by,
            request_key=job.request_key,
            standing=NeededStanding(job.data["waived"], job.data["waiver"]),
            steps=steps,
        )
    except ProposalChanged as changed:
        raise JobRefused(
            "The batch has changed since the preview. Nothing was stored. Preview the change again."
        ) from changed
    except (InvalidReason, ChangeRefused, InvalidDesign, NotQualified) as refused:
        raise JobRefused(str(refused)) from refused
    return {
        "url": reverse("batch", args=[batch.pk]),
        "words": f"Annotators of “{batch.name}” changed.",
    }


def register_kinds() -> None:
    """Register the jobs that propose and apply changes of annotators."""
    register(PROPOSE, run_proposal, title="Preview of an annotator change")
    register(CHANGE, run_change, title="Annotator change")


def _batch(job: Job) -> Batch:
    batch = Batch.objects.filter(pk=job.data["batch"], project=job.project_id).first()
    if batch is None:
        raise JobRefused("The batch no longer exists.")
    return batch


def allowance_of(job: Job) -> Allowance:
    """Return what the lead allowed the change of a job."""
    return Allowance(**job.data["allow"])


def _people(job: Job, name: str) -> list[Membership]:
    return list(Membership.objects.filter(project=job.project_id, pk__in=job.data[name]).order_by("code"))
