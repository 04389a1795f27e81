"""Compute a plan: integer tables, then the images that fill them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from annotator.batches.planning.assigning.allocation import allocate, overlap_table
from annotator.batches.planning.assigning.apart import keep_apart
from annotator.batches.planning.assigning.bounds import Margins
from annotator.batches.planning.assigning.exchanges import Exchanges
from annotator.batches.planning.assigning.frame import Frame, frame_of
from annotator.batches.planning.assigning.pairing import Meetings, Totals, fit, pair_cell
from annotator.batches.planning.assigning.repair import Repair
from annotator.batches.planning.assigning.targets import Targets, held_before, level, targets_of
from annotator.batches.planning.balance import Balance, balance_of
from annotator.batches.planning.design import Design, check
from annotator.batches.planning.document import Placement, digest, plan_document
from annotator.batches.planning.interleaving import WORK, anchors_for, interleaved
from annotator.batches.planning.ordering import ordered
from annotator.batches.planning.randomness import Stream

FEWEST_EXCHANGES = 10_000
EXCHANGES_PER_ANNOTATION = 40
MOST_EXCHANGES = 300_000
"""Limit of the search after the construction, for two annotators per image; with more, each costs more."""


@dataclass(frozen=True)
class Plan:
    """The assignments with their order, and their balance."""

    design: Design
    placements: tuple[Placement, ...]
    balance: Balance

    def document(self) -> bytes:
        """Return the input and the overlap images as JSON, for `read_document`."""
        return plan_document(self.design, self.placements)

    def digest(self) -> str:
        """Return a digest of input and placements: plans with the same one are the same."""
        return digest(self.design, self.placements)


def make_plan(design: Design) -> Plan:
    """Return the plan of a design; the same design and seed give the same plan on every machine.

    Raises InvalidDesign.
    """
    check(design)
    frame = frame_of(design.images)
    overlaps = overlap_table(frame.cells, frame.sizes, design.overlap_count, Stream(design.seed, "overlap"))
    targets = targets_of(
        design.annotators,
        design.earlier,
        frame,
        _shares(design),
        (
            (cell, *owed)
            for cell, size, shared in zip(frame.cells, frame.sizes, overlaps, strict=True)
            for owed in ((1, size - shared), (design.per_image, shared))
        ),
    )
    annotators_of = _annotators_of(design, frame, targets, overlaps)
    _improve(design, frame, targets, annotators_of, {})
    if design.barred:
        _improve(design, frame, targets, annotators_of, keep_apart(design, frame, annotators_of))
    placements = _placements(design, frame, annotators_of)
    balance = balance_of(
        [one.code for one in design.annotators],
        frame,
        targets,
        overlaps,
        annotators_of,
        checks=Counter((one.annotator, one.purpose) for one in placements) if design.checks else None,
    )
    return Plan(design, placements, balance)


def _shares(design: Design) -> list[Fraction]:
    """Return the shares per annotator, with totals as even as the limits allow."""
    images = len(design.images)
    limits = [images if one.capacity is None else min(one.capacity, images) for one in design.annotators]
    return level(held_before(design.annotators, design.earlier), limits, design.annotations)


def _annotators_of(design: Design, frame: Frame, targets: Targets, overlaps: list[int]) -> list[list[int]]:
    """Return the annotators of each image as constructed, before the search."""
    owed = [
        size + (design.per_image - 1) * shared for size, shared in zip(frame.sizes, overlaps, strict=True)
    ]
    held = allocate(frame.cells, owed, targets.shares, Stream(design.seed, "annotators"))
    meetings = Meetings(len(design.annotators), targets.before)
    stream = Stream(design.seed, "pairs")
    annotators_of: list[list[int]] = [[] for _ in frame.images]
    off = False
    for cell in stream.shuffled(list(range(len(frame.cells)))):
        members, shared = frame.members[cell], overlaps[cell]
        generator, _ = frame.cells[cell]
        off |= fit(held[cell], len(members), shared, design.per_image, len(design.annotators), stream)
        items = pair_cell(held[cell], len(members), shared, design.per_image, generator, meetings, stream)
        for image, people in zip(stream.shuffled(members), items, strict=True):
            annotators_of[image] = people
    if off:
        Totals(annotators_of, targets.shares).settle()
    return annotators_of


def _improve(
    design: Design,
    frame: Frame,
    targets: Targets,
    annotators_of: list[list[int]],
    barred: Mapping[int, Collection[int]],
) -> None:
    plan = Exchanges(frame.strata, annotators_of, Margins(frame, targets, len(design.annotators)), barred)
    repair = Repair(plan, range(len(annotators_of)), Stream(design.seed, "repair"))
    most = min(MOST_EXCHANGES, FEWEST_EXCHANGES + EXCHANGES_PER_ANNOTATION * design.annotations)
    # The cost of an exchange grows with the annotators of both images.
    repair.run(max(FEWEST_EXCHANGES, most // max(1, design.per_image - 1)))


def _placements(design: Design, frame: Frame, annotators_of: list[list[int]]) -> tuple[Placement, ...]:
    queues: list[list[int]] = [[] for _ in design.annotators]
    for image, people in enumerate(annotators_of):
        for one in people:
            queues[one].append(image)
    anchors = design.checks.anchors
    images = [*frame.images, *anchors]
    prompts = [frame.prompts.get(image.prompt, -1) for image in images]
    mean = design.annotations // len(design.annotators)
    placements: list[Placement] = []
    for person, queue in zip(design.annotators, queues, strict=True):
        work = ordered(queue, prompts.__getitem__, Stream(design.seed, "order", person.code))
        first = len(frame.images)
        slots = interleaved(
            work,
            range(first, first + anchors_for(len(anchors), len(work), mean)),
            design.checks.repeats_of(len(work)),
            prompts.__getitem__,
            Stream(design.seed, "checks", person.code),
        )
        placements += [
            Placement(
                images[at].key, person.code, place, purpose == WORK and len(annotators_of[at]) > 1, purpose
            )
            for place, (at, purpose) in enumerate(slots, start=1)
        ]
    return tuple(placements)
