"""Propose a change of annotators: what is begun stays, and what is not is dealt again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from annotator.batches.planning.assigning.bounds import Margins, at_most_one_from
from annotator.batches.planning.assigning.exchanges import Exchanges
from annotator.batches.planning.assigning.frame import Frame, frame_of
from annotator.batches.planning.assigning.repair import Repair
from annotator.batches.planning.assigning.targets import held_before, level, targets_of
from annotator.batches.planning.balance import at_most_one, balance_of
from annotator.batches.planning.change.checks import checks_withdrawn, with_checks
from annotator.batches.planning.change.dealing import Dealing
from annotator.batches.planning.change.design import ChangeDesign, PlanChange, check_change, refuse
from annotator.batches.planning.document import Placement
from annotator.batches.planning.ordering import ordered
from annotator.batches.planning.randomness import Stream

FEWEST_EXCHANGES: Final = 2_000
EXCHANGES_PER_IMAGE: Final = 100
MOST_EXCHANGES: Final = 200_000


def propose_change(design: ChangeDesign) -> PlanChange:
    """Return which assignments to withdraw and which to add so that every image has its annotators again.

    Finished work stays, as do the drafts of those who stay. What those who leave have not finished goes to
    others, with as many unstarted images of those who stay as even totals need; then unstarted images are
    exchanged until no margin is more than one from its even share, if the search reaches it.
    Raises InvalidDesign, with the number of annotations that nobody can take over.
    """
    check_change(design)
    frame, stay = frame_of(design.images), len(design.annotators)
    staying = [one.code for one in design.annotators]
    codes = [*staying, *sorted({held.annotator for held in design.held} - set(staying))]
    image_at = {image.key: index for index, image in enumerate(frame.images)}
    person_at = {code: index for index, code in enumerate(codes)}
    rows = {
        (image_at[held.image], person_at[held.annotator]): held
        for held in sorted(design.held, key=lambda one: (one.image, one.annotator))
    }
    annotators_of: list[list[int]] = [[] for _ in frame.images]
    free: list[list[int]] = [[] for _ in staying]
    for (image, one), held in rows.items():
        if one < stay or held.state == "done":
            annotators_of[image].append(one)
        if one < stay and held.state == "open":
            free[one].append(image)
    due = [design.per_image[image.key] for image in frame.images]
    missing = [at for at, people in enumerate(annotators_of) for _ in range(due[at] - len(people))]
    # What the leavers have finished counts for nobody's share.
    owed = [sum(one < stay for one in people) for people in annotators_of]
    for image in missing:
        owed[image] += 1
    held_by = Counter(one for people in annotators_of for one in people)
    load = [held_by[one] for one in range(stay)]
    barred: dict[int, set[int]] = {one: set() for one in range(stay)}
    for key, code in design.barred:
        if key in image_at and person_at.get(code, stay) < stay:
            barred[person_at[code]].add(image_at[key])

    unknown = [len(due) - len(known) for known in barred.values()]
    shares, limits = _shares(design, load, free, unknown, sum(owed))
    owed_at = ((stratum, count, 1) for stratum, count in zip(frame.strata, owed, strict=True))
    targets = targets_of(design.annotators, design.earlier, frame, shares, owed_at)
    margins = Margins(frame, targets, len(codes), at_most_one_from)
    fixed = {key for key, held in rows.items() if held.state != "open"}
    plan = Exchanges(frame.strata, annotators_of, margins, barred, fixed)
    stream = Stream(design.seed, "change")
    free = [stream.shuffled(images) for images in free]
    dealing = Dealing(plan, load, _whole(shares, load, stream), limits, free, stream)
    uncovered = [image for image in stream.shuffled(missing) if not dealing.cover(image)]
    if short := len(uncovered) or dealing.level():
        raise refuse(design, short)
    _repair(plan, sorted({image for images in free for image in images}), design.seed)

    now = {(image, one) for image, people in enumerate(annotators_of) for one in people}
    gone = [held for key, held in rows.items() if key not in now]
    add = _placements(design, frame, now - rows.keys(), Counter(one for _, one in now & rows.keys()))
    withdraw = (*gone, *checks_withdrawn(design, gone))
    overlaps = [sum(due[image] > 1 for image in images) for images in frame.members]
    balance = balance_of(staying, frame, targets, overlaps, annotators_of, at_most_one)
    return PlanChange(design, withdraw, with_checks(design, withdraw, add), balance)


def _shares(
    design: ChangeDesign,
    load: Sequence[int],
    free: Sequence[Sequence[int]],
    unknown: Sequence[int],
    amount: int,
) -> tuple[list[Fraction], list[int]]:
    """Return the target totals and the largest ones of those who stay or join; never less than is begun."""
    begun = [total - len(images) for total, images in zip(load, free, strict=True)]
    limits = [
        max(least, most if one.capacity is None else min(most, one.capacity))
        for one, least, most in zip(design.annotators, begun, unknown, strict=True)
    ]
    before = held_before(design.annotators, design.earlier)
    base = [old + least for old, least in zip(before, begun, strict=True)]
    room = [most - least for most, least in zip(limits, begun, strict=True)]
    more = level(base, room, amount - sum(begun))
    return [least + share for least, share in zip(begun, more, strict=True)], limits


def _whole(shares: Sequence[Fraction], load: Sequence[int], stream: Stream) -> list[int]:
    """Return whole totals next to the shares; the largest current totals are rounded up to move least."""
    totals = [share.numerator // share.denominator for share in shares]
    order = stream.shuffled([one for one, share in enumerate(shares) if share.denominator > 1])
    order.sort(key=lambda one: totals[one] - load[one])
    for one in order[: int(sum(shares)) - sum(totals)]:
        totals[one] += 1
    return totals


def _repair(plan: Exchanges, movable: Sequence[int], seed: int) -> None:
    """Exchange unstarted assignments while a margin is more than one from its even share."""
    most = min(MOST_EXCHANGES, FEWEST_EXCHANGES + EXCHANGES_PER_IMAGE * len(movable))
    if movable:
        Repair(plan, movable, Stream(seed, "unstarted"), strict=True).run(most)
    # No single exchange helps any more: a shortage of a generator or prompt is worth a detour.
    if movable and any(key < plan.margins.pair_from for key in plan.margins.wrong()):
        Repair(plan, movable, Stream(seed, "detour")).run(most)


def _placements(
    design: ChangeDesign, frame: Frame, new: set[tuple[int, int]], kept: Counter[int]
) -> list[Placement]:
    """Return the new work behind what each annotator keeps, in random order as in a plan."""
    prompts = [prompt for _, prompt in frame.strata]
    queues: list[list[int]] = [[] for _ in design.annotators]
    for image, one in sorted(new):
        queues[one].append(image)
    found = []
    for one, (person, queue) in enumerate(zip(design.annotators, queues, strict=True)):
        stream = Stream(design.seed, "order", person.code)
        for place, image in enumerate(ordered(queue, prompts.__getitem__, stream), start=kept[one] + 1):
            key = frame.images[image].key
            found.append(Placement(key, person.code, place, design.per_image[key] > 1))
    return found
