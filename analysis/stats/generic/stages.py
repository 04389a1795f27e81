"""Two stages on the same images: consistency and separation of generators."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from analysis.stats.frames import Bools, Floats, Ints
from analysis.stats.generic.agreement import ALPHA, IMAGES, LEVEL, VARIABLE, shared_rows
from analysis.stats.generic.alphas import alpha_of, level_of
from analysis.stats.generic.consistency import consistency, grades, ids_of, shared_ids
from analysis.stats.generic.separation import rate, separation
from analysis.stats.generic.tables import Json, ResultColumn, figure, finding, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.steps import Sections, Steps

SECTIONS: Final = 5
NOT_DRAWN: Final = 2
"""The row of the images table with the number not drawn."""


@dataclass(frozen=True)
class Stages:
    """The annotations of two stages, each under its own protocol.

    `alike` are the same annotations as values of one protocol, if one converts to the other. The others are
    image ids: `waiting` are assigned in the second stage but not annotated yet, `targeted` were chosen
    because of earlier annotations, `combed` would have been left out without marks. `unmarked_as_zero`:
    images left out in this way have the value 0 in the second stage.
    """

    first: ValuesFrame
    second: ValuesFrame
    alike: tuple[ValuesFrame, ValuesFrame] | None
    waiting: frozenset[int] = frozenset()
    targeted: frozenset[int] = frozenset()
    combed: frozenset[int] = frozenset()
    unmarked_as_zero: bool = False


def stages(found: Stages, steps: Steps | None = None) -> dict[str, Any]:
    """Return the two-stage report: `tables`, `findings` and `figures` as plain values, unrounded."""
    section = Sections(steps, SECTIONS)
    # Annotations without an optional headline have nothing to compare.
    found = replace(found, first=found.first.with_headline, second=found.second.with_headline)
    images = section(_Images(found))
    tables = [_counts(images), _control(images)]
    kept = section(consistency(*found.alike) if found.alike else [])
    graded = section(grades(found.first, found.second))
    compared = section([_separation(images), _means(images)])
    reliability = section(_reliability(found, images))
    findings = [finding("separates", "separation", 0)]
    findings += [finding("kept", "consistency", len(kept[0]["rows"]) - 1)] if kept else []
    findings += [finding("missed", "control", 0)]
    if found.unmarked_as_zero and len(images.left_out) and len(images.not_drawn):
        findings.append(finding("outweighed", "images", NOT_DRAWN))
    return {
        "tables": [*compared, reliability, *kept, *([graded] if graded else []), *tables],
        "findings": findings,
        "settings": {"unmarked_as_zero": found.unmarked_as_zero},
        "figures": [figure("intervals", "reliability", "Agreement", label="variable", value="alpha")],
    }


class _Images:
    """Images of both stages: the mean headline in each, and which images count.

    `both` and `entered` are (m,) ascending ids: annotated in both stages; and these plus, if they count as 0,
    the unmarked images that the second stage left out.
    """

    def __init__(self, found: Stages) -> None:
        self.stages = found
        self.ids_first, self.first, self.marked = _headlines(found.first)
        self.ids_second, self.second, self.marked_second = _headlines(found.second)
        self.both = shared_ids(found.first, found.second)
        judged_once = ~np.isin(self.ids_first, self.both)
        waiting = np.isin(self.ids_first, list(found.waiting))
        left_out = judged_once & ~waiting & ~self.marked & np.isin(self.ids_first, list(found.combed))
        self.left_out = self.ids_first[left_out]
        self.not_drawn = self.ids_first[judged_once & ~waiting & ~left_out]
        self.waiting = self.ids_first[judged_once & waiting]
        self.second_only = self.ids_second[~np.isin(self.ids_second, self.both)]
        entered = [self.both, self.left_out] if found.unmarked_as_zero else [self.both]
        self.entered = np.sort(np.concatenate(entered))

    @property
    def generators(self) -> tuple[Ints, list[str]]:
        """Return (m,) codes of the generators of `entered`, and their names."""
        frame = self.stages.first
        rows = np.searchsorted(ids_of(frame), self.entered)
        codes, there = np.unique(frame.codes("generator")[rows], return_inverse=True)
        return there, [frame.labels("generator")[code] for code in codes.tolist()]

    @property
    def values(self) -> tuple[Floats, Floats]:
        """Return (m,) values of `entered` in either stage."""
        second = np.zeros(len(self.entered))
        judged = np.isin(self.entered, self.both)
        second[judged] = self.second[np.searchsorted(self.ids_second, self.both)]
        return self.first[np.searchsorted(self.ids_first, self.entered)], second


def _headlines(frame: ValuesFrame) -> tuple[Ints, Floats, Bools]:
    """Return each image's id, mean headline, and whether any annotation is not 0."""
    codes, ids = frame.image_codes, np.unique(ids_of(frame))
    means = np.bincount(codes, frame.headline, minlength=len(ids)) / np.bincount(codes, minlength=len(ids))
    return ids, means, np.bincount(codes, frame.headline != 0, minlength=len(ids)) > 0


def _counts(images: _Images) -> Json:
    zero = "counted as 0 in stage 2" if images.stages.unmarked_as_zero else "not counted"
    return table(
        "images",
        "Images",
        "Images annotated in each stage, and those compared.",
        (ResultColumn("images", "Images"), ResultColumn("count", "Number", "count")),
        [
            ["annotated in both stages", len(images.both)],
            [f"left out of stage 2 for lack of marks in stage 1: {zero}", len(images.left_out)],
            ["not drawn for stage 2: not counted", len(images.not_drawn)],
            ["assigned in stage 2 but not annotated yet: not counted", len(images.waiting)],
            ["annotated in stage 2 only: not counted", len(images.second_only)],
        ],
    )


def _control(images: _Images) -> Json:
    blank = np.intersect1d(images.ids_first[~images.marked], images.both)
    marked = int(images.marked_second[np.searchsorted(images.ids_second, blank)].sum())
    return table(
        "control",
        "Missed in stage 1",
        "Images without marks in stage 1 that stage 2 annotated nevertheless, and how many of them have an "
        "error.",
        (
            ResultColumn("which", "Images"),
            ResultColumn(
                "judged", "Annotated in 2", "count", "without marks in stage 1, annotated in stage 2"
            ),
            ResultColumn("found", "With an error", "count", "of these, with an error in stage 2"),
            ResultColumn("rate", "Miss rate", "estimate", "their share, with its exact 95% interval"),
            ResultColumn("left_out", "Left out", "count", "not annotated in stage 2 for lack of marks"),
        ),
        [["without marks in stage 1", len(blank), marked, rate(marked, len(blank)), len(images.left_out)]],
    )


def _separation(images: _Images) -> Json:
    first, second = images.stages.first.protocol.headline, images.stages.second.protocol.headline
    codes, _ = images.generators
    n_annotators = len({*images.stages.first.labels("annotator"), *images.stages.second.labels("annotator")})
    estimates = separation(*images.values, codes, n_annotators)
    zeros = ", and those left out as 0" if images.stages.unmarked_as_zero else ""
    over = f"images annotated in both stages{zeros}"
    return table(
        "separation",
        "Separation of generators by stage",
        "η², the share of the variance between images that lies between generators, for each stage on the "
        "same images, with 95% intervals from resampling whole images.",
        (
            ResultColumn("over", "Over"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("first", f"1: {first.title.lower()}", "estimate", "η² of stage 1"),
            ResultColumn("second", f"2: {second.title.lower()}", "estimate", "η² of stage 2"),
            ResultColumn("difference", "2 − 1", "estimate", "η² of stage 2 minus that of stage 1"),
        ),
        [[over, len(images.entered), *estimates]],
    )


def _means(images: _Images) -> Json:
    codes, names = images.generators
    values = images.values
    n = np.bincount(codes, minlength=len(names))
    first, second = (
        np.bincount(codes, values_of_stage, minlength=len(names)) / n for values_of_stage in values
    )
    titles = [frame.protocol.headline.title for frame in (images.stages.first, images.stages.second)]
    return table(
        "stage_means",
        "Generators by stage",
        "Means over the same images; several annotations of an image are averaged.",
        (
            ResultColumn("generator", "Generator"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("first", f"1: {titles[0].lower()}", "number"),
            ResultColumn("second", f"2: {titles[1].lower()}", "number"),
        ),
        ([name, int(n[i]), float(first[i]), float(second[i])] for i, name in enumerate(names)),
    )


def _reliability(found: Stages, images: _Images) -> Json:
    """Return alpha of each headline over images of both stages, without targeted ones."""
    random = np.setdiff1d(images.both, np.array(sorted(found.targeted), dtype=np.int64))
    rows = []
    for number, frame in enumerate((found.first, found.second), start=1):
        variable = frame.protocol.headline
        chosen, unit = shared_rows(frame, np.flatnonzero(np.isin(ids_of(frame), random)))
        n_annotators = len(np.unique(frame.codes("annotator")[chosen]))
        alpha = alpha_of(frame.values[variable.name][chosen], unit, variable, n_annotators)
        rows.append([f"{number}: {variable.title.lower()}", level_of(variable), alpha, alpha["n_units"]])
    left_out = len(images.both) - len(random)
    chosen_for = "images that stage 2 selected because of earlier annotations are left out"
    rest = f" {left_out:,} {chosen_for}." if left_out else ""
    return table(
        "reliability",
        "Agreement by stage",
        f"Over images annotated in both stages and doubly annotated in the stage.{rest}",
        (VARIABLE, LEVEL, ALPHA, IMAGES),
        rows,
    )
