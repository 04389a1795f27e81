"""Agreement of marks: the generic tables, then how well the regions of two annotators overlap.

The region of an annotation is the union of its masks. Single defects are not matched between annotators: one
threshold would decide every number.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import pandas as pd

from analysis.protocols.defect.frames import DefectFrame
from analysis.stats.estimates import Estimate, Range, cut, refused
from analysis.stats.fewest_images import too_few
from analysis.stats.frames import Floats
from analysis.stats.generic.agreement import Plan, agreement_of_values
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.means import T_INTERVAL, grouped, mean_estimates
from analysis.stats.pairs import SharedImages
from scoring.defect.marks import PARTS
from scoring.defect.masks import shared_area
from scoring.grid.taxonomy import BODY_PARTS, SEVERITIES, SEVERITY_TITLES

FEWEST: Final = 8
"""Images below which a mean overlap is not given."""
IOU_WORDS: Final = "area both marked, of the area either marked: mean over images with its 95% t interval"
DICE_WORDS: Final = "twice the area both marked, of the sum of their areas: mean over images, likewise"


def overlaps(frame: DefectFrame, shared: SharedImages) -> Json:
    """Return by pair of annotators how well the regions of their shared images overlap."""
    numbers = frame.annotations["annotation"].tolist()
    rows = []
    for names, where in zip(shared.names, shared.slices, strict=True):
        sides = ([frame.regions[numbers[at]] for at in side[where]] for side in (shared.first, shared.second))
        found = [
            (one.area, other.area, shared_area(one, other) if one.area and other.area else 0)
            for one, other in zip(*sides, strict=True)
        ]
        areas = np.array(found, dtype=np.float64).reshape(-1, 3)
        marked = areas[(areas[:, 0] > 0) | (areas[:, 1] > 0)]
        one, other, both = marked.T
        alone = int(((one == 0) | (other == 0)).sum())
        iou, dice = both / (one + other - both), 2 * both / (one + other)
        rows.append([list(names), mean_of(iou), mean_of(dice), len(marked), alone, len(areas) - len(marked)])
    return table(
        "overlaps",
        "Overlap of regions",
        "The region of an annotation is the union of its masks. An image that only one of two annotators "
        "marked has an overlap of 0; an image that neither marked has none.",
        (
            ResultColumn("annotators", "Annotators"),
            ResultColumn("iou", "IoU", "estimate", IOU_WORDS),
            ResultColumn("dice", "Dice", "estimate", DICE_WORDS),
            ResultColumn("marked", "Images marked", "count", "images that at least one marked", "images"),
            ResultColumn("alone", "By one only", "count", "of these, images that only one marked", "images"),
            ResultColumn("neither", "By neither", "count", "images that neither marked", "images"),
        ),
        rows,
    )


def by_part(frame: DefectFrame) -> Json:
    """Return the defects by body part and severity, beside the images on which the 25 cells mark the part."""
    rows = []
    for part, title in PARTS.items():
        own = [(image, severity) for image, of, severity in frame.details if of == part]
        here = {image for image, _ in own}
        there = {image for image, parts in frame.cells.items() if part in parts}
        counts = [sum(severity == letter for _, severity in own) for letter in SEVERITIES]
        beside = (len(there), len(here & there)) if part in BODY_PARTS and frame.cells else (None, None)
        rows.append([title, *counts, len(here), *beside])
    return table(
        "parts",
        "Beside the 25 cells",
        "Defects by body part and severity. Where the same images were annotated under the 25 cells, on how "
        "many of them a cell of the body part is marked, too.",
        (
            ResultColumn("part", "Body part"),
            *(
                ResultColumn(letter, title.capitalize(), "count", f"{title} defects", severity=letter)
                for letter, title in SEVERITY_TITLES.items()
            ),
            ResultColumn("images", "Images", "count", "images with such a defect", "images"),
            ResultColumn(
                "cells", "By cells", "count", "images on which a cell of the part is marked", "images"
            ),
            ResultColumn("both", "By both", "count", "images that are both", "images"),
        ),
        rows if frame.details else [],
    )


def without_defect(frame: DefectFrame) -> Json:
    """Return by annotator in how many of the rejected images they found no defect."""
    rejected = [image for image, each in frame.decided.items() if each.value == 1]
    own = frame.annotations["image"].isin(rejected).to_numpy()
    counts = pd.Series(frame.headline[own] == 0).groupby(frame.annotations["annotator"][own].to_numpy())
    return table(
        "without_defect",
        "No defect in rejected images",
        "Images that the verdicts rejected, and in how many of them each annotator found no defect.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("rejected", "Rejected", "count", "rejected images of the annotator", "images"),
            ResultColumn("none", "Without a defect", "count", "of these, images said to have none", "images"),
        ),
        [[name, len(said), int(said.sum())] for name, said in counts],
    )


def mean_of(values: Floats, within: Range = (0.0, 1.0)) -> Estimate:
    """Return the mean of one value per image with Student's 95% interval, within the possible range."""
    if len(values) < FEWEST:
        return refused(too_few(len(values), FEWEST), n_units=len(values), n_coders=2, method=T_INTERVAL)
    parts = grouped(values, np.zeros(len(values), dtype=np.int64), 1)
    (found,) = mean_estimates(parts, np.full(1, 2, dtype=np.int64))
    return cut(found, within)


marks_agreement: Final[Plan[DefectFrame]] = Plan(
    measured=agreement_of_values.measured,
    # Reviewers of the project read reports, too.
    differences=None,
    own=lambda frame, shared: [
        overlaps(frame, shared),
        *([by_part(frame)] if frame.details else []),
        *([without_defect(frame)] if frame.decided else []),
    ],
)
"""The agreement of the variables, with the overlap of regions."""
