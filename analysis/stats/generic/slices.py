"""Slices of the images: the headline by value of each attribute, and the tags that annotators ticked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import numpy as np

from analysis.stats.frames import AnnotationTable, Floats, Ints
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.means import grouped, mean_estimates
from scoring.protocol import Variable

MOST_VALUES: Final = 12
"""With more values, an attribute is the name of something, not a group of images."""

Attributes = Mapping[str, Mapping[int, str]]
"""By attribute: the value of each image that has one."""
Tags = Mapping[str, Collection[int]]
"""By tag: the images for which an annotator ticked it."""


def slices_tables(
    frame: AnnotationTable,
    first: Ints,
    scores: Floats,
    headline: Variable,
    attributes: Attributes,
    tags: Tags,
) -> list[Json]:
    """Return the tables `slices` and `tags` of a comparison, without those that have no rows.

    `first` (m,) is the row of the frame that describes each image, `scores` (m,) its score under `headline`.
    """
    ids = frame.annotations["image"].to_numpy()[first].tolist()
    generators = frame.codes("generator")[first]
    both = (
        _slices(frame, ids, generators, scores, headline, attributes),
        _tags(ids, generators, frame.labels("generator"), tags),
    )
    return [made for made in both if made["rows"]]


def _slices(
    frame: AnnotationTable,
    ids: list[int],
    generators: Ints,
    scores: Floats,
    headline: Variable,
    attributes: Attributes,
) -> Json:
    """Return the means by value of each attribute that divides the images."""
    rows: list[list[Any]] = []
    remarks: list[str] = []
    for attribute, value_of in sorted(attributes.items()):
        values = [value_of.get(image, "") for image in ids]
        labels = sorted(set(values) - {""})
        if not 2 <= len(labels) <= MOST_VALUES:
            values_in_words = "one value" if len(labels) == 1 else f"{len(labels):,} values"
            remarks += [f"{attribute} has {values_in_words} and is left out."] if labels else []
            continue
        if without := values.count(""):
            have = "image has" if without == 1 else "images have"
            remarks.append(f"{attribute}: {without:,} {have} no value.")
        # Images without a value have the last code.
        code_of = {label: code for code, label in enumerate(labels)}
        codes = np.array([code_of.get(value, len(labels)) for value in values], dtype=np.int64)
        numbers = _numbers(frame, codes, generators, scores, headline)
        rows += [[attribute, label, *counts] for label, counts in zip(labels, numbers, strict=False)]
    return table(
        "slices",
        "Image attributes",
        f"{headline.title} by image, for each value of an attribute: the mean with Student's 95% interval "
        "over images. Images of different values may also differ in generator and prompt."
        + "".join(f" {remark}" for remark in remarks),
        (
            ResultColumn("attribute", "Attribute"),
            ResultColumn("attribute_value", "Value"),
            ResultColumn("generators", "Generators", "count", "generators with such images"),
            ResultColumn("annotations", "Annotations", "count"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("mean", "Mean", "estimate", f"mean {headline.title.lower()} of the images"),
        ),
        rows,
    )


def _numbers(
    frame: AnnotationTable, codes: Ints, generators: Ints, scores: Floats, headline: Variable
) -> Iterator[list[Any]]:
    """Yield generators, annotations, images and mean of the images of each (m,) code in turn."""
    groups = int(codes.max()) + 1
    of_rows, annotators = codes[frame.image_codes], frame.codes("annotator")
    moments = grouped(scores, codes, groups)
    n_annotators = np.array([np.unique(annotators[of_rows == code]).size for code in range(groups)])
    means = mean_estimates(moments, n_annotators, headline.range)
    annotations = np.bincount(of_rows, minlength=groups)
    for code in range(groups):
        made_by = np.unique(generators[codes == code]).size
        yield [made_by, int(annotations[code]), int(moments.n[code]), means[code]]


def _tags(ids: list[int], generators: Ints, labels: list[str], tags: Tags) -> Json:
    """Return by generator how many of the images compared an annotator ticked each tag for."""
    images = np.bincount(generators, minlength=len(labels)).tolist()
    rows = []
    for tag, ticked in sorted(tags.items()):
        counts = np.bincount(generators[np.isin(ids, list(ticked))], minlength=len(labels)).tolist()
        rows += [
            [tag, label, count, images[place], count / images[place]]
            for place, (label, count) in enumerate(zip(labels, counts, strict=True))
            if images[place]
        ]
    return table(
        "tags",
        "Tags",
        "Images for which at least one annotator ticked the tag, of all images compared.",
        (
            ResultColumn("tag", "Tag"),
            ResultColumn("generator", "Generator"),
            ResultColumn("ticked", "Ticked", "count", "images for which an annotator ticked the tag"),
            ResultColumn("images", "Images", "count", "images compared"),
            ResultColumn("share", "Share", "share", "of the images compared"),
        ),
        rows,
    )
