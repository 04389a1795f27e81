"""Annotations of defects as a table, with what its variables do not say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from analysis.stats.generic.values import ValuesFrame
from annotator.protocols.defect.decisions import Decided
from scoring.defect.masks import Mask


class Said(NamedTuple):
    """One answer about one given thing: whose it is, of which image, about what and by which criterion."""

    image: int
    annotator: str
    thing: str
    about: str
    criterion: str
    value: int


def grouped(said: Iterable[Said], *names: str) -> dict[Any, list[Said]]:
    """Return answers by one of their parts, or by several."""
    found: dict[Any, list[Said]] = defaultdict(list)
    for each in said:
        found[attrgetter(*names)(each)].append(each)
    return found


@dataclass(frozen=True)
class DefectFrame(ValuesFrame):
    """Annotations of one stage.

    Of marks: `regions` are what any mask covers by annotation id, `details` image, body part and severity of
    each defect that has them, `cells` by image the body parts in which the 25 cells mark an error.

    Of other stages: what was `decided` on each image, of marks and rated descriptions by the verdicts; what
    was `said` of given things, and images whose decision is `outdated`: id, generator, prompt, number and
    why. `control` is, by accepted image that was marked all the same, whether anybody marked a defect.
    `added` is, by image, how much larger the united region is than the largest one of an annotator: 0.2 for
    a fifth more. `called` is whether a model calls an image defective, by model and image.
    """

    regions: Mapping[int, Mask] = field(default_factory=dict)
    details: Sequence[tuple[int, str, str]] = ()
    cells: Mapping[int, Collection[str]] = field(default_factory=dict)
    decided: Mapping[int, Decided] = field(default_factory=dict)
    said: Sequence[Said] = ()
    outdated: Sequence[tuple[int, str, str, int | None, str]] = ()
    control: Mapping[int, bool] = field(default_factory=dict)
    added: Mapping[int, float] = field(default_factory=dict)
    called: Mapping[str, Mapping[int, bool]] = field(default_factory=dict)
