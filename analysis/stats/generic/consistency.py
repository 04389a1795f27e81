"""Consistency of two stages by component and by person."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.stats.frames import Bools, Floats, Ints
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from scoring.protocol import Variable

BOTH: Final = ResultColumn("both", "In both", "count", "marked in stage 1 and in stage 2")
FIRST_ONLY: Final = ResultColumn("first_only", "In 1 only", "count", "marked in stage 1 and not in stage 2")
SECOND_ONLY: Final = ResultColumn("second_only", "In 2 only", "count", "marked in stage 2 and not in stage 1")
NEITHER: Final = ResultColumn("neither", "In neither", "count", "marked in neither stage")
KEPT: Final = ResultColumn("kept", "Kept", "share", "marked in both, of those marked in stage 1")
COUNTS: Final = (BOTH, FIRST_ONLY, SECOND_ONLY, NEITHER, KEPT)


def consistency(first: ValuesFrame, second: ValuesFrame) -> list[Json]:
    """Return the tables by component and by person, for two stages as values of one protocol.

    A component is marked if its value is not 0; in a stage, if at least one annotator marked it. Only images
    annotated in both stages count, and for a person only those they annotated in both.
    """
    return [_by_component(first, second), _by_person(first, second)]


def _by_component(first: ValuesFrame, second: ValuesFrame) -> Json:
    rows, totals = [], np.zeros(4, dtype=np.int64)
    for variable in first.componentwise:
        marks = marked_in_both(first, second, variable)
        for place, component in enumerate(variable.components):
            counts = _crossed(*(mark[:, place] for mark in marks))
            totals += counts
            rows.append([variable.title, component, *_shares_of(counts)])
    return table(
        "consistency",
        "Stage 1 marks confirmed by stage 2",
        "Each component of each image annotated in both stages; marked by at least one annotator of a stage.",
        (ResultColumn("variable", "Measure"), ResultColumn("component", "Component"), *COUNTS),
        [*rows, ["All", "all", *_shares_of(totals)]],
    )


def marked_in_both(first: ValuesFrame, second: ValuesFrame, variable: Variable) -> tuple[Bools, Bools]:
    """Return (m, c) for each stage: whether any annotator marked a component, over the m shared images."""
    images = shared_ids(first, second)
    return _marked(first, images, first.values[variable.name]), _marked(
        second, images, second.values[variable.name]
    )


def shared_ids(first: ValuesFrame, second: ValuesFrame) -> Ints:
    """Return (m,): the ids of images that both stages judged, ascending."""
    return np.intersect1d(ids_of(first), ids_of(second))


def ids_of(frame: ValuesFrame) -> Ints:
    """Return (n,): the id of each row's image."""
    return frame.annotations["image"].to_numpy().astype(np.int64)


def _marked(frame: ValuesFrame, images: Ints, values: Floats) -> Bools:
    ids = ids_of(frame)
    rows = np.flatnonzero(np.isin(ids, images))
    is_marked = np.zeros((len(images), values.shape[1]), dtype=np.bool_)
    np.logical_or.at(is_marked, np.searchsorted(images, ids[rows]), values[rows] != 0)
    return is_marked


def _by_person(first: ValuesFrame, second: ValuesFrame) -> Json:
    own = _own_pairs(first, second)
    counts: dict[str, Ints] = {}
    for variable in first.componentwise:
        marked_first = first.values[variable.name][own["first"].to_numpy()] != 0
        other = second.values[variable.name][own["second"].to_numpy()] != 0
        for person, places in own.groupby("annotator", sort=True).indices.items():
            crossed = _crossed(marked_first[places], other[places])
            counts[str(person)] = counts.get(str(person), np.zeros(4, dtype=np.int64)) + crossed
    images = own["annotator"].value_counts()
    return table(
        "consistency_people",
        "By person",
        "Each person's annotations of images that they annotated in both stages; others are not listed.",
        (ResultColumn("annotator", "Annotator"), ResultColumn("images", "Images", "count"), *COUNTS),
        ([person, int(images[person]), *_shares_of(counted)] for person, counted in counts.items()),
    )


def _own_pairs(first: ValuesFrame, second: ValuesFrame) -> pd.DataFrame:
    """Return the rows of both frames (`first`, `second`) with the same annotator and image."""
    sides = [
        pd.DataFrame(
            {
                "image": ids_of(frame),
                "annotator": frame.annotations["annotator"].astype(str).to_numpy(),
                name: np.arange(len(frame)),
            }
        )
        for name, frame in (("first", first), ("second", second))
    ]
    return sides[0].merge(sides[1], on=["image", "annotator"])


def _crossed(one: Bools, other: Bools) -> Ints:
    """Return (4,): how often in both, in the first only, in the second only, in neither."""
    return np.array([(one & other).sum(), (one & ~other).sum(), (~one & other).sum(), (~one & ~other).sum()])


def _shares_of(counts: Ints) -> list[Any]:
    both, first_only, *others = counts.tolist()
    return [both, first_only, *others, both / (both + first_only) if both + first_only else None]


def grades(first: ValuesFrame, second: ValuesFrame) -> Json | None:
    """Return the grades that stage 2 gave to marks of stage 1; None if the second protocol has no grades.

    A component of the second protocol grades one of the first if its name extends that one's, as
    `missing.limbs.c` extends `missing.limbs`; the rest is the grade. A component may get several.
    """
    images = shared_ids(first, second)
    rows: list[list[Any]] = []
    names: list[str] = []
    totals: dict[str, int] = {}
    for variable in first.componentwise:
        marks = _marked(first, images, first.values[variable.name])
        for finer in second.componentwise:
            places = _graded(variable, finer)
            if not places:
                continue
            names = names or list(
                dict.fromkeys(grade for grades_of_cell in places.values() for grade in grades_of_cell)
            )
            given = _marked(second, images, second.values[finer.name])
            for place, component in enumerate(variable.components):
                rows.append(
                    [component, *_graded_counts(marks[:, place], given, places[component], names, totals)]
                )
    if not rows:
        return None
    shares = [_share(totals[name], totals["marked"]) for name in names]
    everything = ["All", totals["marked"], _share(totals["none"], totals["marked"]), *shares]
    return table(
        "grades",
        "Stage 2 grades of stage 1 marks",
        "For marks of stage 1 on images annotated in both stages: the share not marked in stage 2, and the "
        "share given each severity. A mark may get several severities.",
        (
            ResultColumn("component", "Component"),
            ResultColumn("marked", "Marked in 1", "count"),
            ResultColumn("none", "Not in 2", "share"),
            *(ResultColumn(f"grade {name}", name, "share") for name in names),
        ),
        [*rows, everything],
    )


def _graded(variable: Variable, finer: Variable) -> dict[str, dict[str, int]]:
    """Return the positions of each component's grades; empty unless every component has some."""
    cells = {
        component: {
            name.removeprefix(f"{component}."): place
            for place, name in enumerate(finer.components)
            if name.startswith(f"{component}.")
        }
        for component in variable.components
    }
    return cells if all(cells.values()) else {}


def _graded_counts(
    marks: Bools, given: Bools, places: dict[str, int], names: list[str], totals: dict[str, int]
) -> list[Any]:
    """Count one component into `totals`; return how often it was marked and the shares."""
    marked = int(marks.sum())
    counts = {name: int((marks & given[:, places[name]]).sum()) if name in places else 0 for name in names}
    counts["none"] = int((marks & ~given[:, list(places.values())].any(axis=1)).sum())
    for name, count in {**counts, "marked": marked}.items():
        totals[name] = totals.get(name, 0) + count
    return [marked, *(_share(counts[name], marked) for name in ("none", *names))]


def _share(count: int, of: int) -> float | None:
    return count / of if of else None
