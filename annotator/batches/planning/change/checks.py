"""Anchors and repeats across a change of annotators.

Those of annotators who stay are kept, except repeats whose original moves to somebody else. Newcomers get the
anchors they may have, and new images bring their share of repeats; both come after what the annotator already
has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from annotator.batches.planning.change.design import ChangeDesign, Held
from annotator.batches.planning.document import Placement
from annotator.batches.planning.interleaving import REPEAT, WORK, anchors_for, interleaved
from annotator.batches.planning.randomness import Stream


def checks_withdrawn(design: ChangeDesign, withdraw: Collection[Held]) -> list[Held]:
    """Return the unfinished anchors and repeats that go with the withdrawn work."""
    stay = {one.code for one in design.annotators}
    gone = {(one.image, one.annotator) for one in withdraw}
    return [
        one
        for one in design.checked
        if one.state != "done"
        and (one.annotator not in stay or (one.purpose == REPEAT and (one.image, one.annotator) in gone))
    ]


def with_checks(
    design: ChangeDesign, withdraw: Collection[Held], add: Sequence[Placement]
) -> tuple[Placement, ...]:
    """Return the added work with the anchors and repeats that come with it."""
    if not design.checks:
        return tuple(add)
    gone = set(withdraw)
    kept: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for one in sorted((*design.held, *design.checked), key=lambda one: one.position or 0):
        if one not in gone:
            kept[one.annotator].append((one.image, one.purpose))
    before = {one.annotator for one in design.held}
    prompt = {one.key: one.prompt for one in (*design.images, *design.checks.anchors)}
    mean = sum(design.per_image.values()) // len(design.annotators)
    found: list[Placement] = []
    for person in design.annotators:
        work = {one.image: one for one in add if one.annotator == person.code}
        if not work:
            continue
        own, anchors = kept[person.code], design.checks.anchors
        due = 0 if person.code in before else anchors_for(len(anchors), len(work), mean)
        new = [one.key for one in anchors if (one.key, person.code) not in design.barred][:due]
        images = len(work) + sum(purpose == WORK for _, purpose in own)
        wanted = design.checks.repeats_of(images) - sum(purpose == REPEAT for _, purpose in own)
        stream = Stream(design.seed, "checks", person.code)
        slots = interleaved(list(work), new, max(0, wanted), prompt.get, stream, own)
        found += [
            Placement(image, person.code, place, purpose == WORK and work[image].overlap, purpose)
            for place, (image, purpose) in enumerate(slots, start=len(own) + 1)
        ]
    return tuple(found)
