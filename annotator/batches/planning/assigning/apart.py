"""Annotators and images that must not come together: who is given what is exchanged until none does.

The sets of annotators that a plan gives to its images stay, so everybody keeps their number of images and the
pairs who meet. A maximum matching of images and sets (H. W. Kuhn, "The Hungarian method for the assignment
problem", Naval Research Logistics Quarterly 2 (1955) 83-97) starts from the plan and prefers exchanges within
a generator and prompt, which change no margin, then within a generator.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from annotator.batches.planning.assigning.frame import Frame
from annotator.batches.planning.design import Design, InvalidDesign

Stratum = tuple[int, int]
_SCOPES: Final[tuple[Callable[[Stratum, Stratum], bool], ...]] = (
    lambda one, other: one == other,
    lambda one, other: one[0] == other[0],
    lambda *_: True,
)
"""Whether images of two strata, (generator, prompt), may exchange their annotators: the narrowest first."""


def keep_apart(design: Design, frame: Frame, annotators_of: list[list[int]]) -> dict[int, set[int]]:
    """Exchange the annotators of images until none is given one that is barred; raises InvalidDesign.

    `annotators_of` each image are places in the design. Return each one's barred images.
    """
    barred = _barred(design, frame)
    sets, strata = [tuple(people) for people in annotators_of], frame.strata
    clashing = [image for image in range(len(sets)) if barred[image].intersection(sets[image])]
    taken_by = list(range(len(sets)))
    for place in clashing:
        taken_by[place] = -1
    for reaches in _SCOPES:
        clashing = [
            image for image in clashing if not _placed(image, sets, barred, strata, taken_by, reaches)
        ]
    if clashing:
        raise InvalidDesign(
            {
                "annotators": [
                    f"{len(clashing):,} of the {len(sets):,} images cannot be given to anybody who does not "
                    "have them under this protocol already. Choose more annotators, or fewer images."
                ]
            }
        )
    for place, image in enumerate(taken_by):
        annotators_of[image] = list(sets[place])
    of_annotators: dict[int, set[int]] = {}
    for image, people in enumerate(barred):
        for annotator in people:
            of_annotators.setdefault(annotator, set()).add(image)
    return of_annotators


def _barred(design: Design, frame: Frame) -> list[set[int]]:
    """Return for each image of the frame the places of the annotators who must not have it."""
    at = {image.key: place for place, image in enumerate(frame.images)}
    people = {person.code: place for place, person in enumerate(design.annotators)}
    barred: list[set[int]] = [set() for _ in frame.images]
    for key, code in design.barred:
        # An anchor was an image of the design once, and is nobody's work.
        if key in at and code in people:
            barred[at[key]].add(people[code])
    return barred


def _placed(
    image: int,
    sets: Sequence[tuple[int, ...]],
    barred: Sequence[set[int]],
    strata: Sequence[Stratum],
    taken_by: list[int],
    reaches: Callable[[Stratum, Stratum], bool],
) -> bool:
    """Give an image a set along the shortest path of exchanges; return False if there is none.

    `taken_by` is the image of each set, -1 for those that are free. An overlap image stays one.
    """
    came_from: dict[int, tuple[int, int]] = {}
    waiting = deque([(image, -1)])
    # Sets are numbered as the images that had them at first.
    near = [place for place, stratum in enumerate(strata) if reaches(strata[image], stratum)]
    while waiting:
        current, before = waiting.popleft()
        for place in near:
            if place in came_from or len(sets[place]) != len(sets[current]):
                continue
            if barred[current].intersection(sets[place]):
                continue
            came_from[place] = (current, before)
            if taken_by[place] < 0:
                _exchange(place, came_from, taken_by)
                return True
            waiting.append((taken_by[place], place))
    return False


def _exchange(place: int, came_from: dict[int, tuple[int, int]], taken_by: list[int]) -> None:
    """Give each image on the path to a free place the set that it came to."""
    while place >= 0:
        image, before = came_from[place]
        taken_by[place] = image
        place = before
