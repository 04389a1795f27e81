"""Propose a change of annotators: keep finished work, move as little as possible, restore coverage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from annotator.batches.planning.assigning.bounds import at_most_one_from, margins_of
from annotator.batches.planning.assigning.exchanges import Exchanges
from annotator.batches.planning.assigning.frame import Frame, frame_of
from annotator.batches.planning.assigning.repair import Repair
from annotator.batches.planning.assigning.targets import Owed, Targets, held_before, level, targets_of
from annotator.batches.planning.balance_rows import Balance
from annotator.batches.planning.change.checks import with_checks
from annotator.batches.planning.change.coverage import check_coverage, refuse_limits
from annotator.batches.planning.change.design import ChangeDesign, PlanChange, check_change
from annotator.batches.planning.change.moves import Moves
from annotator.batches.planning.design import PlanAnnotator
from annotator.batches.planning.document import Placement
from annotator.batches.planning.margins import at_most_one, balance_of
from annotator.batches.planning.ordering import ordered
from annotator.batches.planning.randomness import Stream

FEWEST_EXCHANGES = 2_000
EXCHANGES_PER_MOVE = 100
MOST_EXCHANGES = 200_000


@dataclass(frozen=True)
class StartingPoint:
    """The start of a change by index: first the annotators who stay, then those who have left."""

    frame: Frame
    codes: list[str]
    stay: int
    done: list[list[int]]
    """Finished images of each annotator."""
    moving: list[list[int]]
    """Unfinished images of each annotator, unstarted ones first."""
    drafts: set[tuple[int, int]]
    """(image, annotator) of drafts."""
    missing: list[int]
    """Images, once for each missing annotator."""
    barred: dict[int, set[int]]
    """annotator -> images that they must not be assigned."""


def propose_change(design: ChangeDesign) -> PlanChange:
    """Return which assignments to withdraw and which to add so that every image has its annotators again.

    Finished work is never touched. Unfinished work of annotators who leave is reassigned; beyond that, only
    as many assignments move as even totals need, unstarted ones before drafts. If a margin would stay more
    than one from its even share, unstarted assignments are exchanged as well: `Change.extra` of them.
    Raises InvalidDesign; ChangeImpossible if the annotators who stay cannot cover the images.
    """
    check_change(design)
    check_coverage(design)
    start = _standing(design)
    annotators_of = _kept(start)
    counts = [_new_count(start, annotators_of, image) for image in range(len(annotators_of))]
    shares = _shares(design, start, sum(counts))
    for image in start.missing:
        counts[image] += 1
    targets = targets_of(design.annotators, design.earlier, start.frame, shares, _owed(start.frame, counts))
    plan = Exchanges(
        start.frame.strata,
        annotators_of,
        len(start.codes),
        margins_of(start.frame, targets, len(start.codes)),
    )
    plan.barred = start.barred
    _move(design, start, plan, shares)
    _settle_new(design, start, plan)
    needed = len(_unfinished(start) - _pairs(annotators_of))
    _settle_unstarted(design, start, targets, annotators_of)
    return _change(design, start, targets, annotators_of, needed)


def _pairs(annotators_of: list[list[int]]) -> set[tuple[int, int]]:
    return {(image, one) for image, people in enumerate(annotators_of) for one in people}


def _unfinished(start: StartingPoint) -> set[tuple[int, int]]:
    return {(image, one) for one, images in enumerate(start.moving) for image in images}


def _standing(design: ChangeDesign) -> StartingPoint:
    frame = frame_of(design.images)
    at = {image.key: index for index, image in enumerate(frame.images)}
    staying = [one.code for one in design.annotators]
    codes = [*staying, *sorted({held.annotator for held in design.held} - set(staying))]
    person = {code: index for index, code in enumerate(codes)}
    done: list[list[int]] = [[] for _ in codes]
    drafts: list[list[int]] = [[] for _ in codes]
    unstarted: list[list[int]] = [[] for _ in codes]
    kind = {"done": done, "draft": drafts, "open": unstarted}
    have: Counter[int] = Counter()
    for held in sorted(design.held, key=lambda one: (one.image, one.annotator)):
        kind[held.state][person[held.annotator]].append(at[held.image])
        if held.state == "done" or person[held.annotator] < len(staying):
            have[at[held.image]] += 1
    missing = [
        index
        for index, image in enumerate(frame.images)
        for _ in range(design.per_image.get(image.key, 1) - have[index])
    ]
    moving = [new + begun for new, begun in zip(unstarted, drafts, strict=True)]
    begun = {(image, one) for one, images in enumerate(drafts) for image in images}
    barred: dict[int, set[int]] = {}
    for key, code in design.barred:
        if key in at and code in person:
            barred.setdefault(person[code], set()).add(at[key])
    return StartingPoint(frame, codes, len(staying), done, moving, begun, missing, barred)


def _kept(start: StartingPoint) -> list[list[int]]:
    """Return the annotators each image keeps: those who finished it, and those who stay."""
    annotators_of: list[list[int]] = [[] for _ in start.frame.images]
    for one, images in enumerate(start.done):
        for image in images + (start.moving[one] if one < start.stay else []):
            annotators_of[image].append(one)
    return annotators_of


def _new_count(start: StartingPoint, annotators_of: list[list[int]], image: int) -> int:
    return sum(1 for one in annotators_of[image] if one < start.stay)


def _shares(design: ChangeDesign, start: StartingPoint, kept: int) -> list[Fraction]:
    """Return the target totals of the annotators who stay: never less than they have finished."""
    finished = [len(start.done[one]) for one in range(start.stay)]
    before = held_before(design.annotators, design.earlier)
    limits = [
        _limit(one, len(start.frame.images) - len(start.barred.get(at, ())), done)
        for at, (one, done) in enumerate(zip(design.annotators, finished, strict=True))
    ]
    amount = kept + len(start.missing) - sum(finished)
    if sum(limits) < amount:
        raise refuse_limits(design, amount - sum(limits))
    base = [old + done for old, done in zip(before, finished, strict=True)]
    return [done + more for done, more in zip(finished, level(base, limits, amount), strict=True)]


def _limit(one: PlanAnnotator, images: int, done: int) -> int:
    most = images if one.capacity is None else min(one.capacity, images)
    return max(0, most - done)


def _owed(frame: Frame, counts: list[int]) -> Owed:
    found = Owed(Counter(), Counter(), Counter())
    for (generator, prompt), count in zip(frame.strata, counts, strict=True):
        found.generator[generator] += count
        found.prompt[prompt] += count
        found.meetings[generator] += comb(count, 2)
    return found


def _move(design: ChangeDesign, start: StartingPoint, plan: Exchanges, shares: list[Fraction]) -> None:
    stream = Stream(design.seed, "change")
    have = [len(start.done[one]) + len(start.moving[one]) for one in range(start.stay)]
    wanted = _whole_totals(shares, have, stream)
    room = [max(0, want - has) for want, has in zip(wanted, have, strict=True)]
    moves = Moves(plan, room, stream)
    stuck = [image for image in stream.shuffled(start.missing) if not moves.cover(image)]
    _force(design, start, moves, stuck)
    surplus = [
        max(0, has + len(moves.added.get(one, ())) - want)
        for one, (has, want) in enumerate(zip(have, wanted, strict=True))
    ]
    for draft in (False, True):
        movable = [
            [image for image in start.moving[one] if ((image, one) in start.drafts) == draft]
            for one in range(start.stay)
        ]
        moves.level(movable, surplus)


def _whole_totals(shares: Sequence[Fraction], have: Sequence[int], stream: Stream) -> list[int]:
    """Return whole totals next to the shares; the largest current totals are rounded up to move least."""
    floors = [share.numerator // share.denominator for share in shares]
    order = [one for one, share in enumerate(shares) if share.denominator > 1]
    stream.shuffle(order)
    order.sort(key=lambda one: floors[one] - have[one])
    for one in order[: int(sum(shares)) - sum(floors)]:
        floors[one] += 1
    return floors


def _force(design: ChangeDesign, start: StartingPoint, moves: Moves, stuck: list[int]) -> None:
    """Assign images that only annotators at their even total can take: coverage precedes balance."""
    images = len(start.frame.images)
    for image in stuck:
        able = [
            one
            for one in range(start.stay)
            if moves.plan.may_take(image, one)
            and (
                len(start.done[one]) + len(start.moving[one]) + len(moves.added.get(one, ()))
                < (
                    images
                    if design.annotators[one].capacity is None
                    else design.annotators[one].capacity or 0
                )
            )
        ]
        if not able:
            # Without limits somebody is able: the coverage is checked.
            raise refuse_limits(design, len(stuck))
        moves.room[able[0]] += 1
        moves.cover(image)


def _settle_new(design: ChangeDesign, start: StartingPoint, plan: Exchanges) -> None:
    """Exchange new assignments among each other, which moves nothing more."""
    kept = _held(start)
    movable = sorted({image for image, _ in _pairs(plan.annotators_of) - kept})
    if movable:
        plan.fixed = kept
        most = FEWEST_EXCHANGES + EXCHANGES_PER_MOVE * len(movable)
        Repair(plan, movable, Stream(design.seed, "repair")).run(min(MOST_EXCHANGES, most))


def _settle_unstarted(
    design: ChangeDesign, start: StartingPoint, targets: Targets, annotators_of: list[list[int]]
) -> None:
    """Exchange unstarted assignments if a margin is still more than one from its even share."""
    people = len(start.codes)
    plan = Exchanges(
        start.frame.strata, annotators_of, people, margins_of(start.frame, targets, people, at_most_one_from)
    )
    plan.fixed = {(image, one) for one, images in enumerate(start.done) for image in images} | start.drafts
    plan.barred = start.barred
    movable = sorted({image for image, _ in _pairs(annotators_of) - plan.fixed})
    if movable:
        most = FEWEST_EXCHANGES + EXCHANGES_PER_MOVE * len(movable)
        Repair(plan, movable, Stream(design.seed, "unstarted"), strict=True).run(min(MOST_EXCHANGES, most))
        # No single exchange helps any more: a shortage of a generator or prompt is worth a detour.
        if plan.margins.generator.wrong() or plan.margins.prompt.wrong():
            Repair(plan, movable, Stream(design.seed, "detour")).run(min(MOST_EXCHANGES, most))


def _held(start: StartingPoint) -> set[tuple[int, int]]:
    return _unfinished(start) | {(image, one) for one, images in enumerate(start.done) for image in images}


def _change(
    design: ChangeDesign, start: StartingPoint, targets: Targets, annotators_of: list[list[int]], needed: int
) -> PlanChange:
    frame, codes = start.frame, start.codes
    held, then = _held(start), _pairs(annotators_of)
    withdraw = tuple(sorted((frame.images[image].key, codes[one]) for image, one in held - then))
    add = with_checks(design, withdraw, _placements(design, start, annotators_of, held & then))
    overlaps = _overlaps(design, frame)
    return PlanChange(
        design,
        withdraw,
        add,
        len(held & then),
        len(withdraw) - needed,
        _before(design, start, overlaps),
        balance_of(codes, frame, targets, overlaps, annotators_of, _reason(design), at_most_one),
    )


def _reason(design: ChangeDesign) -> str:
    known = ", and annotators get no images that they know" if design.barred else ""
    return f"Finished work is kept{known}. A more even plan may exist."


def _overlaps(design: ChangeDesign, frame: Frame) -> list[int]:
    return [
        sum(1 for image in images if design.per_image.get(frame.images[image].key, 1) > 1)
        for images in frame.members
    ]


def _placements(
    design: ChangeDesign, start: StartingPoint, annotators_of: list[list[int]], kept: set[tuple[int, int]]
) -> tuple[Placement, ...]:
    """Return placements after each annotator's last one, in random order as in a plan."""
    fresh: list[list[int]] = [[] for _ in range(start.stay)]
    stays: Counter[int] = Counter(one for _, one in kept)
    for image, people in enumerate(annotators_of):
        for one in people:
            if (image, one) not in kept:
                fresh[one].append(image)
    prompts = [prompt for _, prompt in start.frame.strata]
    return tuple(
        Placement(
            start.frame.images[image].key,
            start.codes[one],
            stays[one] + place,
            design.per_image.get(start.frame.images[image].key, 1) > 1,
        )
        for one, images in enumerate(fresh)
        for place, image in enumerate(
            ordered(images, prompts.__getitem__, Stream(design.seed, "order", start.codes[one])), start=1
        )
    )


def _before(design: ChangeDesign, start: StartingPoint, overlaps: list[int]) -> Balance:
    """Return the current balance of all annotators with assignments."""
    annotators_of: list[list[int]] = [[] for _ in start.frame.images]
    holders = [one for one in range(len(start.codes)) if start.done[one] or start.moving[one]]
    for place, one in enumerate(holders):
        for image in start.done[one] + start.moving[one]:
            annotators_of[image].append(place)
    counts = [len(people) for people in annotators_of]
    people = [PlanAnnotator(start.codes[one]) for one in holders]
    even = [Fraction(sum(counts), max(1, len(people)))] * len(people)
    targets = targets_of(people, design.earlier, start.frame, even, _owed(start.frame, counts))
    return balance_of(
        [one.code for one in people],
        start.frame,
        targets,
        overlaps,
        annotators_of,
        "Before the change.",
        at_most_one,
    )
