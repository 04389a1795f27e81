"""Qualification batches: images with references, by seed, without feedback before the end.

Nothing made in them counts: the assignments have the purpose `qualification`, which no score, report, export
or progress contains. Only the people's standings follow from them (`annotator.people.standings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from django.utils import timezone

from annotator.batches.assignments import (
    InvalidBatch,
    assign_in_order,
    check_settings,
    create_batch,
    record_release,
    refuse_faces,
)
from annotator.batches.planning.randomness import Stream
from annotator.database.transactions import write_transaction
from annotator.models import Assignment, Attempt, Batch, Membership, Project, Qualification, User
from annotator.people.standings import begin_training
from annotator.training.feedback import compare
from annotator.training.references import active_references
from annotator.training.training_batches import active_members, reference_images
from scoring.qualification_rules import RuleTerm, check_rule
from scoring.service import get_protocol

MOST_IMAGES: Final = 100
MOST_ATTEMPTS: Final = 10
USUAL_ATTEMPTS: Final = 2

_PURPOSE: Final = Assignment.Purpose.QUALIFICATION
_NUMBER: Final = re.compile(r"-?\d{1,4}(\.\d{1,6})?|-?\.\d{1,6}", re.ASCII)


def qualifications_among(batches: Iterable[Batch]) -> set[int]:
    """Return which of these batches are qualifications; one query."""
    held = Qualification.objects.filter(batch__in=[batch.pk for batch in batches])
    return set(held.values_list("batch", flat=True))


def default_rule(protocol: str) -> dict[str, str]:
    """Return the thresholds that a protocol proposes, as decimal text by term."""
    terms = get_protocol(protocol).rule_terms
    return {term.name: f"{float(term.default):g}" for term in terms if term.default is not None}


def rule_of(qualification: Qualification) -> dict[str, Fraction]:
    """Return the thresholds of a qualification as exact fractions."""
    return {name: Fraction(text) for name, text in qualification.rule.items()}


def release_qualification(
    *,
    project: Project,
    name: str,
    protocol: str,
    references: Sequence[int],
    people: Sequence[Membership],
    rule: Mapping[str, str],
    images: int,
    seed: int,
    actor: User,
    attempts: int = USUAL_ATTEMPTS,
) -> Batch:
    """Store a qualification batch with everybody's first attempt, and return it.

    `references` are ids of references in use, from which the seed draws the `images` of an attempt; `rule`
    maps terms of the protocol to thresholds as decimal text. Raises InvalidBatch, for example if somebody
    has been shown the answers of so many images that too few remain.
    """
    check_settings(name, protocol)
    told = get_protocol(protocol)
    if told.compare is None:
        raise InvalidBatch(
            f"Annotations under “{told.title}” cannot be compared with references, so nobody can qualify.",
            "not-comparable",
        )
    asked = read_rule(told.rule_terms, rule)
    for value, most, title in (
        (images, MOST_IMAGES, "images per attempt"),
        (attempts, MOST_ATTEMPTS, "attempts"),
    ):
        if not 1 <= value <= most:
            raise InvalidBatch(f"Enter 1 to {most} {title}, not {value:,}.", "number")
    with write_transaction():
        Project.locked(project.pk)
        pool = reference_images(project, protocol, references)
        _check_pool(project, protocol, pool, images, told.rule_terms, asked)
        members = active_members(project, people)
        refuse_faces(project, protocol, pool, [member.pk for member in members])
        drawn = Stream(seed, "pool").shuffled(pool)
        batch = create_batch(
            project=project,
            name=name,
            protocol=protocol,
            per_image=len(members),
            seed=seed,
            score_shown=Batch.ScoreShown.NEVER,
        )
        made = Qualification.objects.create(
            batch=batch, rule=asked, pool=drawn, images=images, attempts=attempts
        )
        _begin_first(made, members)
        begin_training(members, protocol, actor)
        owed = {member.code: images for member in members}
        facts = {"images": len(pool), "purpose": "qualification", "rule": asked, "attempts": attempts}
        record_release(batch, owed, actor, facts)
    return batch


def read_rule(terms: Sequence[RuleTerm], said: Mapping[str, str]) -> dict[str, str]:
    """Return the thresholds as decimal text, without empty ones; raises InvalidBatch if impossible."""
    titles = {term.name: term.title for term in terms}
    wanted: dict[str, str] = {}
    for name, typed in said.items():
        text = typed.strip().replace(",", ".")
        if text and not _NUMBER.fullmatch(text):
            raise InvalidBatch(
                f"{titles.get(name, name)}: “{text[:40]}” is not a number. Enter one such as 0.7.", "rule"
            )
        if text:
            wanted[name] = text
    try:
        check_rule(terms, {name: Fraction(text) for name, text in wanted.items()})
    except ValueError as refused:
        raise InvalidBatch(str(refused), "rule") from refused
    return wanted


def draw(qualification: Qualification, member: Membership) -> tuple[dict[int, int], int]:
    """Return the images of a member's next attempt with the versions of their references, and how many fit.

    Images that the member has, or had, for another purpose are left out: training has shown their answers,
    and work would be judged from memory. Images of earlier attempts come last, in the order of the seed.
    """
    batch = qualification.batch
    known = dict(
        active_references(batch.project, batch.protocol)
        .filter(image__in=qualification.pool)
        .values_list("image", "version")
    )
    held = Assignment.objects.filter(annotator=member, image__in=list(known)).order_by()
    elsewhere = set(held.exclude(purpose=_PURPOSE).values_list("image", flat=True))
    before = set(held.filter(purpose=_PURPOSE).values_list("image", flat=True))
    fit = [image for image in qualification.pool if image in known and image not in elsewhere]
    ordered = [*(image for image in fit if image not in before), *(image for image in fit if image in before)]
    return {image: known[image] for image in ordered[: qualification.images]}, len(fit)


def store_attempt(
    qualification: Qualification, member: Membership, number: int, chosen: Mapping[int, int]
) -> Attempt:
    """Store an attempt with its assignments, in an order by the seed that differs from person to person."""
    batch = qualification.batch
    order = Stream(batch.seed or 0, "order", member.code, str(number)).shuffled(list(chosen))
    placed = Assignment.objects.filter(batch=batch, annotator=member, position__isnull=False).count()
    assign_in_order(batch, [member], order, _PURPOSE, after=placed, pass_no=number - 1)
    return Attempt.objects.create(
        qualification=qualification,
        annotator=member,
        number=number,
        references={str(image): version for image, version in chosen.items()},
        began_at=timezone.now(),
    )


def _begin_first(qualification: Qualification, members: Sequence[Membership]) -> None:
    drawn = [(member, *draw(qualification, member)) for member in members]
    short = {member.code: fit for member, chosen, fit in drawn if len(chosen) < qualification.images}
    if short:
        named = ", ".join(f"{code} ({fit})" for code, fit in sorted(short.items()))
        raise InvalidBatch(
            f"An attempt needs {qualification.images} images that the annotator has neither annotated nor "
            f"seen in training. Choose more images, or other annotators. Left: {named}.",
            "seen",
        )
    for member, chosen, _ in drawn:
        store_attempt(qualification, member, 1, chosen)


def _check_pool(
    project: Project,
    protocol: str,
    pool: Sequence[int],
    images: int,
    terms: Sequence[RuleTerm],
    rule: Mapping[str, str],
) -> None:
    if images > len(pool):
        raise InvalidBatch(
            f"An attempt needs {images} images, but only {len(pool)} with a reference are chosen. "
            "Choose more images, or ask for fewer.",
            "too-few",
        )
    shares = [term.title for term in terms if term.share and term.name in rule]
    held = active_references(project, protocol).filter(image__in=pool)
    if shares and not any(compare(protocol, one.payload, one.payload).components for one in held):
        raise InvalidBatch(
            f"None of these references marks an error, so “{shares[0]}” cannot be measured. "
            "Choose images with errors.",
            "nothing-to-find",
        )
