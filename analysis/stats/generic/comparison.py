"""Comparison for any protocol: the headline by generator, prompt, attribute and annotator, over images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from analysis.stats.comparison.generators import every_two
from analysis.stats.comparison.welch import Test
from analysis.stats.estimates import Range, cut
from analysis.stats.frames import Floats
from analysis.stats.generic.outside import OutsideMetric, outside_tables
from analysis.stats.generic.slices import Attributes, Tags, slices_tables
from analysis.stats.generic.tables import Json, ResultColumn, figure, finding, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.means import grouped, mean_estimates
from analysis.stats.steps import Sections, Steps
from scoring.protocol import Variable

FACTORS: Final = (
    ("generator", "generators", "Generators"),
    ("prompt_group", "prompt_groups", "Prompt groups"),
    ("prompt", "prompts", "Prompts"),
)
SECTIONS: Final = 4 + len(FACTORS)
SHARED_OUT: Final = "of images, doubly annotated ones averaged"


Adjudicated = Mapping[int, Mapping[str, Floats]]
"""By image: (c,) adjudicated values by variable."""


def comparison(
    frame: ValuesFrame,
    steps: Steps | None = None,
    adjudicated: Adjudicated | None = None,
    attributes: Attributes | None = None,
    metrics: Sequence[OutsideMetric] = (),
    tags: Tags | None = None,
) -> dict[str, Any]:
    """Return the comparison report: `tables`, `findings` and `figures` as plain values, unrounded.

    The unit is the image: several annotations count as their mean, or as the adjudicated value. Generators
    are compared by Welch's test with Holm's correction (see `welch.py` and `holm.py`). Annotations without an
    optional headline are left out.
    """
    frame = frame.with_headline
    section = Sections(steps, SECTIONS)
    images = section(ImageValues(frame, adjudicated or {}))
    factors = [section(_means(frame, images, *factor)) for factor in FACTORS]
    tests = section(_tests(frame, images))
    annotators = section(_annotators(frame))
    components = section(_components(frame, images))
    headline = frame.protocol.headline
    slices = slices_tables(frame, images.first, images.scores, headline, attributes=attributes, tags=tags)
    last = [annotators, components] if components["rows"] else [annotators]
    tables = [factors[0], tests, *factors[1:], *slices, *last]
    better = headline.higher_is_better
    if metrics:
        tables += outside_tables(frame, images.first, images.scores, metrics, higher_is_better=better)
    drawn = [figure("intervals", name, title, label=column, value="mean") for column, name, title in FACTORS]
    if components["rows"]:
        drawn.append(figure("heat", "components", "Components", label="component"))
    return {
        "tables": tables,
        "findings": [finding("difference", tests["name"], row) for row in range(len(tests["rows"]))],
        "settings": {"images_adjudicated": len(images.decided)},
        "figures": drawn,
    }


class ImageValues:
    """Images of a frame in the order of its `image_codes`: `first` row, `coders`, values of every variable.

    `decided` are the positions of adjudicated images.
    """

    def __init__(self, frame: ValuesFrame, adjudicated: Adjudicated) -> None:
        self._frame, self._codes = frame, frame.image_codes
        self.coders = np.bincount(self._codes)
        self.first = np.cumsum(self.coders) - self.coders
        ids = frame.annotations["image"].to_numpy()[self.first].tolist()
        self.decided = {place: adjudicated[image] for place, image in enumerate(ids) if image in adjudicated}
        self.scores = self.values(frame.protocol.headline)

    def values(self, variable: Variable, component: int = 0) -> Floats:
        """Return (m,): each image's value, the mean of its annotations or the adjudicated value."""
        given = self._frame.values[variable.name][:, component]
        means = np.asarray(np.bincount(self._codes, given) / self.coders)
        for place, value in self.decided.items():
            means[place] = value[variable.name][component]
        return means


def _means(frame: ValuesFrame, images: ImageValues, column: str, name: str, title: str) -> Json:
    headline, labels = frame.protocol.headline, frame.labels(column)
    codes = frame.codes(column)[images.first]
    found = grouped(images.scores, codes, len(labels))
    means = mean_estimates(found, frame.coders(column), headline.range)
    annotations = np.bincount(frame.codes(column), minlength=len(labels))
    return table(
        name,
        title,
        f"{headline.title} by image: the mean with Student's 95% interval over images.",
        (
            ResultColumn(column, title.removesuffix("s")),
            ResultColumn("annotations", "Annotations", "count"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("mean", "Mean", "estimate", f"mean {headline.title.lower()} {SHARED_OUT}"),
            ResultColumn("variance", "Variance", "number", "sample variance over images"),
        ),
        (
            [label, int(annotations[i]), int(found.n[i]), means[i], found.variance_of(i)]
            for i, label in enumerate(labels)
            if found.n[i]
        ),
    )


def _tests(frame: ValuesFrame, images: ImageValues) -> Json:
    labels, headline = frame.labels("generator"), frame.protocol.headline
    found = grouped(images.scores, frame.codes("generator")[images.first], len(labels))
    tests = [possible(test, headline.range) for test in every_two(labels, found)]
    keys = ("a", "b", "difference", "t", "df", "p", "p_holm", "simultaneous", "hedges_g")
    return table(
        "generator_comparisons",
        "Differences",
        "Every two generators: difference of means over images, by Welch's test with Holm's correction.",
        (
            ResultColumn("a", "A"),
            ResultColumn("b", "B"),
            ResultColumn(
                "difference", "A − B", "estimate", "mean of A minus mean of B, with its 95% interval"
            ),
            ResultColumn("t", "t", "number", "Welch's t"),
            ResultColumn("df", "df", "number", "degrees of freedom (Welch-Satterthwaite)"),
            ResultColumn("p", "p", "p", "two-sided"),
            ResultColumn("p_holm", "p (Holm)", "p", "corrected for the number of tests in this table"),
            ResultColumn("simultaneous", "Joint", "estimate", "interval that holds for all pairs together"),
            ResultColumn("hedges_g", "Hedges' g", "estimate", "the difference in standard deviations"),
        ),
        ([test[key] for key in keys] for test in tests),
    )


def possible(test: Test, of_means: Range) -> Test:
    """Return a test of two means with the intervals of their difference cut at what is possible."""
    reach = of_means[1] - of_means[0]
    return {**test, **{key: cut(test[key], (-reach, reach)) for key in ("difference", "simultaneous")}}


def _annotators(frame: ValuesFrame) -> Json:
    labels, codes = frame.labels("annotator"), frame.codes("annotator")
    found = grouped(frame.headline, codes, len(labels))
    means = mean_estimates(found, np.ones(len(labels), dtype=np.int64), frame.protocol.headline.range)
    return table(
        "annotators",
        "Annotators",
        "Each annotator over their own images. Differences reflect strictness and the images assigned.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("mean", "Mean", "estimate", "mean over the annotator's images"),
            ResultColumn("variance", "Variance", "number", "sample variance over the annotator's images"),
        ),
        ([label, int(found.n[i]), means[i], found.variance_of(i)] for i, label in enumerate(labels)),
    )


def _components(frame: ValuesFrame, images: ImageValues) -> Json:
    """Return the mean of every component of every variable, by generator."""
    labels = frame.labels("generator")
    codes = frame.codes("generator")[images.first]
    rows = []
    for variable in frame.protocol.variables:
        for place, component in enumerate(variable.components):
            means = grouped(images.values(variable, place), codes, len(labels)).mean
            rows.append([variable.title, component, *means.tolist()])
    return table(
        "components",
        "Components",
        f"The mean of each component by generator, {SHARED_OUT}; for yes or no, this is the share of yes.",
        (
            ResultColumn("variable", "Measure"),
            ResultColumn("component", "Component"),
            *(ResultColumn(f"generator {label}", label, "number") for label in labels),
        ),
        rows,
    )
