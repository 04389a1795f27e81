"""Compute a plan: integer tables first, then the images that fill them."""

from __future__ import annotations

from dataclasses import dataclass

from annotator.batches.planning.balance import Balance
from annotator.batches.planning.certificate import ALGORITHM, Placement, digest, plan_document
from annotator.batches.planning.design import Design, check
from annotator.batches.planning.margins import balance_of
from annotator.batches.planning.ordering import ordered
from annotator.batches.planning.randomness import Stream
from annotator.batches.planning.reasons import PlanReasons
from annotator.batches.planning.search.allocation import allocate, overlap_table
from annotator.batches.planning.search.bounds import margins_of
from annotator.batches.planning.search.exchanges import Exchanges
from annotator.batches.planning.search.frame import Frame, frame_of
from annotator.batches.planning.search.pairing import Meetings, Totals, fit, pair_cell
from annotator.batches.planning.search.repair import Repair
from annotator.batches.planning.search.targets import Targets, owed_by, plan_shares, targets_of

FEWEST_EXCHANGES = 10_000
EXCHANGES_PER_ANNOTATION = 40
MOST_EXCHANGES = 300_000
"""Limit of the search after the construction, for two coders; with more, each exchange costs more."""


@dataclass(frozen=True)
class Plan:
    """The assignments with their order, their balance and the certificate."""

    design: Design
    placements: tuple[Placement, ...]
    balance: Balance
    algorithm: str
    certificate: str

    def document(self) -> bytes:
        """Return the canonical text that the certificate is a digest of."""
        return plan_document(self.design, self.placements)


def make_plan(design: Design) -> Plan:
    """Return the plan of a design; the same design and seed give the same plan on every machine.

    Raises InvalidDesign.
    """
    check(design)
    frame = frame_of(design.images)
    overlaps = overlap_table(frame.cells, frame.sizes, design.overlap_count, Stream(design.seed, "overlap"))
    owed = owed_by(design, frame, overlaps)
    targets = targets_of(design.annotators, design.earlier, frame, plan_shares(design), owed)
    coders = _coders(design, frame, targets, overlaps)
    placements = _placements(design, frame, coders)
    balance = balance_of(
        [one.code for one in design.annotators],
        frame,
        targets,
        overlaps,
        coders,
        PlanReasons(design, frame, targets, overlaps).why,
    )
    return Plan(design, placements, balance, ALGORITHM, digest(plan_document(design, placements)))


def _coders(design: Design, frame: Frame, targets: Targets, overlaps: list[int]) -> list[list[int]]:
    """Return the annotators of each image."""
    owed = [size + (design.coders - 1) * shared for size, shared in zip(frame.sizes, overlaps, strict=True)]
    held = allocate(frame.cells, owed, targets.shares, Stream(design.seed, "annotators"))
    meetings = _met_before(design, targets)
    stream = Stream(design.seed, "pairs")
    coders: list[list[int]] = [[] for _ in frame.images]
    off = False
    for cell in stream.shuffled(list(range(len(frame.cells)))):
        off |= fit(
            held[cell],
            frame.sizes[cell],
            overlaps[cell],
            design.coders,
            len(design.annotators),
            stream,
        )
        items = pair_cell(
            held[cell],
            frame.sizes[cell],
            overlaps[cell],
            design.coders,
            frame.cells[cell][0],
            meetings,
            stream,
        )
        images = stream.shuffled(list(frame.members[cell]))
        for image, people in zip(images, items, strict=True):
            coders[image] = people
    if off:
        Totals(coders, targets.shares).settle()
    _improve(design, frame, targets, coders)
    return coders


def _improve(design: Design, frame: Frame, targets: Targets, coders: list[list[int]]) -> None:
    plan = Exchanges(
        frame.strata, coders, len(design.annotators), margins_of(frame, targets, len(design.annotators))
    )
    repair = Repair(plan, range(len(coders)), Stream(design.seed, "repair"))
    most = min(MOST_EXCHANGES, FEWEST_EXCHANGES + EXCHANGES_PER_ANNOTATION * design.annotations)
    # The cost of an exchange grows with the coders of both images.
    repair.run(max(FEWEST_EXCHANGES, most // max(1, design.coders - 1)))


def _met_before(design: Design, targets: Targets) -> Meetings:
    meetings = Meetings(len(design.annotators))
    for (one, other, generator), count in targets.held_pair_generator.items():
        table = meetings.of(generator)
        table[one][other] += count
        table[other][one] += count
    for (one, other), count in targets.held_pair.items():
        meetings.all[one][other] += count
        meetings.all[other][one] += count
    return meetings


def _placements(design: Design, frame: Frame, coders: list[list[int]]) -> tuple[Placement, ...]:
    queues: list[list[int]] = [[] for _ in design.annotators]
    for image, people in enumerate(coders):
        for one in people:
            queues[one].append(image)
    prompt_at = {name: index for index, name in enumerate(frame.prompts)}
    prompts = [prompt_at[image.prompt] for image in frame.images]
    return tuple(
        Placement(frame.images[image].key, person.code, position, len(coders[image]) > 1)
        for person, queue in zip(design.annotators, queues, strict=True)
        for position, image in enumerate(
            ordered(queue, prompts.__getitem__, Stream(design.seed, "order", person.code)), start=1
        )
    )
