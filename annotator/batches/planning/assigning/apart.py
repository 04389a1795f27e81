"""Annotators and images that must not come together: who is given what is exchanged until none does.

The sets of annotators that a plan gives to its images stay, so everybody keeps their number of images and the
pairs who meet. A maximum matching of images and sets (H. W. Kuhn, "The Hungarian method for the assignment
problem", Naval Research Logistics Quarterly 2 (1955) 83-97) starts from the plan and prefers exchanges within
a generator and prompt, which change no margin, then within a generator.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    at = {image.key: place for place, image in enumerate(frame.images)}
    person_at = {person.code: place for place, person in enumerate(design.annotators)}
    barred: dict[int, set[int]] = {}
    for key, code in design.barred:
        # An anchor was an image of the design once, and is nobody's work.
        if key in at and code in person_at:
            barred.setdefault(person_at[code], set()).add(at[key])
    matching = _Matching(frame.strata, [tuple(people) for people in annotators_of], barred)
    clashing = [image for image, people in enumerate(annotators_of) if matching.bars(image, people)]
    for place in clashing:
        matching.taken_by[place] = -1
    for reaches in _SCOPES:
        clashing = [image for image in clashing if not matching.placed(image, reaches)]
    if clashing:
        raise InvalidDesign(
            {
                "annotators": [
                    f"{len(clashing):,} of the {len(frame.images):,} images cannot be given to anybody new: "
                    "these annotators have them already, or have marked or rated them before. Choose other "
                    "annotators, or fewer images."
                ]
            }
        )
    for place, image in enumerate(matching.taken_by):
        annotators_of[image] = list(matching.sets[place])
    return barred


class _Matching:
    """Sets of annotators, numbered as the images that had them at first; `taken_by` is -1 for those free."""

    def __init__(
        self, strata: Sequence[Stratum], sets: Sequence[tuple[int, ...]], barred: Mapping[int, set[int]]
    ) -> None:
        self.strata, self.sets, self.barred = strata, sets, barred
        self.taken_by = list(range(len(sets)))

    def bars(self, image: int, people: Iterable[int]) -> bool:
        """Return whether one of these must not have an image."""
        return any(image in self.barred.get(one, ()) for one in people)

    def placed(self, image: int, reaches: Callable[[Stratum, Stratum], bool]) -> bool:
        """Give an image a set along the shortest path of exchanges; return False if there is none.

        An overlap image stays one.
        """
        came_from: dict[int, tuple[int, int]] = {}
        waiting = deque([(image, -1)])
        near = [at for at, stratum in enumerate(self.strata) if reaches(self.strata[image], stratum)]
        while waiting:
            current, before = waiting.popleft()
            for place in near:
                people = self.sets[place]
                if place in came_from or len(people) != len(self.sets[current]) or self.bars(current, people):
                    continue
                came_from[place] = (current, before)
                if self.taken_by[place] >= 0:
                    waiting.append((self.taken_by[place], place))
                    continue
                while place >= 0:
                    self.taken_by[place], place = came_from[place]
                return True
        return False
