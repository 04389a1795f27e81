"""Attempts at a qualification: when one ends, what it says, how it is shown, and when the next may begin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.utils import timezone

from annotator.database.transactions import write_transaction
from annotator.inputs.refusal import Refusal
from annotator.models import (
    Annotation,
    Assignment,
    Attempt,
    Batch,
    Event,
    Membership,
    Project,
    Reference,
    Standing,
    User,
)
from annotator.people.standings import lapse, move
from annotator.protocols.registry import page_of
from annotator.training.feedback import compare
from annotator.training.qualification_batches import draw, rule_of, store_attempt
from scoring.comparison import Compared
from scoring.qualification_rules import ENOUGH_IMAGES, JudgedImage, RuleTerm, TermResult, results_of
from scoring.service import get_protocol

ATTEMPT_BEGUN: Final = "attempt_begun"
ATTEMPT_ENDED: Final = "attempt_ended"


class AttemptRefused(Refusal, ValueError):
    """Another attempt that cannot begin; the message names the cause."""


def attempts_of(member: Membership) -> QuerySet[Attempt]:
    """Return a member's attempts in open and closed batches, the latest first."""
    made = Attempt.objects.filter(annotator=member)
    return made.select_related("qualification__batch").order_by("-pk")


def assignments_of(attempt: Attempt) -> QuerySet[Assignment]:
    """Return the assignments of an attempt."""
    return Assignment.objects.filter(
        batch=attempt.qualification.batch_id,
        annotator=attempt.annotator_id,
        purpose=Assignment.Purpose.QUALIFICATION,
        pass_no=attempt.number - 1,
    )


def conclude(batch: Batch, member: Membership) -> Attempt | None:
    """End a member's attempt if all its images are submitted; return it, or None if nothing ended now.

    The result is computed from the references that the attempt began with, and decides the standing. Changes
    of its annotations either come before, or are refused (`annotator.annotations.locking`). A skipped image
    keeps the attempt from ending: it can be resumed.
    """
    running = Attempt.objects.filter(qualification__batch=batch, annotator=member, ended_at=None)
    current = running.select_related("qualification").first()
    if current is None or not _is_complete(current):
        return None
    with write_transaction():
        Project.locked(member.project_id)
        # Waits for changes of annotations under way, which hold this row too.
        held = Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
        attempt = running.select_related("qualification__batch__project").first()
        if attempt is None or not _is_complete(attempt):
            return None
        judged = _judged(attempt)
        if not judged:
            return None
        results = results_of(
            get_protocol(held.protocol).rule_terms,
            rule_of(attempt.qualification),
            [image for _, image in judged],
        )
        _end(attempt, results, judged)
        evidence = [annotation.pk for annotation, _ in judged]
        _record(ATTEMPT_ENDED, attempt, member.user, passed=attempt.passed, images=len(judged))
        _settle(attempt, member, evidence, [annotation.guideline or "" for annotation, _ in judged])
    return attempt


def begin_next(batch: Batch, member: Membership, actor: User | None) -> Attempt:
    """Begin a member's next attempt, on other images if there are enough; raises AttemptRefused."""
    with write_transaction():
        Project.locked(member.project_id)
        Batch.objects.select_for_update(no_key=True).get(pk=batch.pk)
        made = Attempt.objects.filter(qualification__batch=batch, annotator=member)
        last = made.select_related("qualification__batch__project").order_by("-number").first()
        if last is None or not last.may_follow:
            raise AttemptRefused("No further attempt can begin now.", "no-more")
        chosen, fit = draw(last.qualification, member)
        if len(chosen) < last.qualification.images:
            raise AttemptRefused(
                f"An attempt needs {last.qualification.images} images; {fit} are left for you. "
                "Ask a lead of the project.",
                "too-few",
            )
        attempt = store_attempt(last.qualification, member, last.number + 1, chosen)
        _record(ATTEMPT_BEGUN, attempt, actor, images=len(chosen))
    return attempt


def _is_complete(attempt: Attempt) -> bool:
    return not assignments_of(attempt).exclude(status=Assignment.Status.DONE).exists()


def _judged(attempt: Attempt) -> list[tuple[Annotation, JudgedImage]]:
    """Return the annotations of an attempt, each compared with the reference it began with; two queries."""
    versions = {int(image): version for image, version in attempt.references.items()}
    pinned = Q()
    for image, version in versions.items():
        pinned |= Q(image=image, version=version)
    protocol = attempt.qualification.batch.protocol
    references = {row.image_id: row for row in Reference.objects.filter(pinned, protocol=protocol)}
    rows = assignments_of(attempt).select_related("annotation").order_by("position")
    told = get_protocol(protocol)
    judged = []
    for row in rows:
        reference = references.get(row.image_id)
        if reference is not None:
            own = row.annotation
            one, other = (told.headline_of(ratings) for ratings in (own.ratings or [], reference.ratings))
            difference = None if one is None or other is None else abs(one - other)
            compared = compare(protocol, reference.payload, own.payload)
            judged.append((own, JudgedImage(compared, difference)))
    return judged


def _end(
    attempt: Attempt, results: Sequence[TermResult], judged: Sequence[tuple[Annotation, JudgedImage]]
) -> None:
    # A clock that was set back ends no attempt before it began.
    attempt.ended_at = max(timezone.now(), attempt.began_at)
    attempt.passed = all(result.is_met for result in results)
    attempt.result = {
        "images": len(judged),
        "terms": [_as_json(result) for result in results],
        "components": _by_component([image.compared for _, image in judged]),
    }
    attempt.save(update_fields=["ended_at", "passed", "result"])


def _as_json(one: TermResult) -> dict[str, Any]:
    value, interval = one.measured.value, one.measured.interval
    return {
        "term": one.term.name,
        "required": str(one.required),
        "value": None if value is None else str(value),
        "interval": None if interval is None else list(interval),
        "met": one.is_met,
    }


def _by_component(several: Sequence[Compared]) -> list[list[Any]]:
    """Return `[component, hits, missed, alone]` for each component that was marked."""
    counts: dict[str, Counter[str]] = {}
    for compared in several:
        for component in compared.components:
            counts.setdefault(component.component, Counter())[component.verdict] += 1
    return [[key, count["hit"], count["missed"], count["alone"]] for key, count in sorted(counts.items())]


def _settle(attempt: Attempt, member: Membership, evidence: list[int], guidelines: list[str]) -> None:
    """Let the result decide the standing; a failure takes nothing from the qualified or exempt."""
    protocol, actor = attempt.qualification.batch.protocol, member.user
    if attempt.passed:
        earliest = min(guidelines, key=_as_numbers)
        move(
            member,
            protocol,
            Standing.State.QUALIFIED,
            actor=actor,
            evidence=evidence,
            guideline=earliest,
        )
        lapse(member.project, protocol)
        return
    held = Standing.objects.filter(membership=member, protocol=protocol).first()
    if held is None or held.state in {Standing.State.NONE, Standing.State.TRAINING}:
        move(member, protocol, Standing.State.TRAINING, actor=actor, evidence=evidence)


def _as_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")) if version else (0,)


def _record(verb: str, attempt: Attempt, actor: User | None, **more: object) -> None:
    batch = attempt.qualification.batch
    data = {
        "batch": batch.pk,
        "name": batch.name,
        "code": attempt.annotator.code,
        "number": attempt.number,
        **more,
    }
    Event.objects.create(project_id=batch.project_id, actor=actor, verb=verb, data=data)


FEWEST_FOR_CELLS: Final = 5
"""With fewer images, the numbers of single cells would reveal the references."""


def shown_result(attempt: Attempt) -> dict[str, Any] | None:
    """Return the result of an attempt, None while it runs; `rows` is empty for too few images.

    `terms` are the requirements with what was reached, in the protocol's order.

    A cell says how often it was `found`, `of` how many, and how often it was marked `alone`, without cause.
    """
    if attempt.ended_at is None:
        return None
    protocol, images = attempt.qualification.batch.protocol, attempt.result["images"]
    form = page_of(protocol).adjudicating([], stored=get_protocol(protocol).empty())
    cells = {
        key: {"found": hits, "of": hits + missed, "alone": alone}
        for key, hits, missed, alone in attempt.result["components"]
    }
    rows = [(title, [cells.get(key) for key in keys]) for title, keys in form.rows]
    known = {term.name: term for term in get_protocol(protocol).rule_terms}
    return {
        "images": images,
        # So few that passing means little.
        "is_thin": images < ENOUGH_IMAGES,
        "terms": [{**result, "term": known[result["term"]]} for result in attempt.result["terms"]],
        "heads": form.heads,
        "rows": rows if images >= FEWEST_FOR_CELLS else [],
    }


def shown_rule(protocol: str, rule: dict[str, str]) -> list[tuple[RuleTerm, str]]:
    """Return the terms of a rule with their thresholds, in the protocol's order."""
    return [(term, rule[term.name]) for term in get_protocol(protocol).rule_terms if term.name in rule]
