"""Comparison for any protocol: its headline, and the components of its other variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.stats.comparison.compared import Compared, image_means
from analysis.stats.comparison.comparison import compare
from analysis.stats.comparison.detection import detection_tables
from analysis.stats.comparison.items import items_tables
from analysis.stats.frames import Floats
from analysis.stats.generic.outside import OutsideMetric
from analysis.stats.generic.slices import Attributes, Tags
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.means import grouped
from analysis.stats.steps import Steps

Adjudicated = Mapping[int, Mapping[str, Floats]]
"""By image id: (c,) adjudicated values by variable."""


def comparison(
    frame: ValuesFrame,
    steps: Steps | None = None,
    adjudicated: Adjudicated | None = None,
    attributes: Attributes | None = None,
    metrics: Sequence[OutsideMetric] = (),
    tags: Tags | None = None,
) -> dict[str, Any]:
    """Return the comparison of the headline; annotations without an optional headline are left out."""
    every, frame = frame, frame.with_headline
    headline = frame.protocol.headline
    compared = Compared(
        frame=frame,
        headline=headline,
        scores=frame.headline,
        images=image_means(frame, frame.headline),
        adjudicated={
            image: float(values[headline.name][0])
            for image, values in (adjudicated or {}).items()
            if not np.isnan(values[headline.name][0])
        },
    )
    return compare(
        compared,
        steps,
        own=lambda: [*detection_tables(every), *items_tables(every), _components(frame, compared)],
        attributes=attributes,
        metrics=metrics,
        tags=tags,
    )


def _components(frame: ValuesFrame, compared: Compared) -> Json:
    """Return the mean of every component of every variable, by generator."""
    labels, codes = frame.labels("generator"), compared.codes("generator")
    rows = []
    for variable in frame.protocol.variables:
        for place, component in enumerate(variable.components):
            values = image_means(frame, frame.values[variable.name][:, place])
            rows.append([variable.title, component, *grouped(values, codes, len(labels)).mean.tolist()])
    return table(
        "components",
        "Components",
        "The mean of each component by generator, of images, doubly annotated ones averaged; for yes or no, "
        "this is the share of yes.",
        (
            ResultColumn("variable", "Measure"),
            ResultColumn("component", "Component"),
            *(ResultColumn(f"generator {label}", label, "number") for label in labels),
        ),
        rows,
    )
