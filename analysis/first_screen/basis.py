"""What a comparison's first screen shows: means by image, or as published, and the mixed model's tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

Result = Mapping[str, Any]

BY_IMAGE: Final = "image"
BY_ANNOTATION: Final = "annotations"

CLEAN_IMAGES: Final = "images_without_errors"
CLEAN_ANNOTATIONS: Final = "annotations_without_errors"

FEWEST: Final = 8
"""Scores of a generator below which it has no interval and no rank."""
ENOUGH: Final = 20
"""Scores of a generator below which it is marked as resting on few images."""


@dataclass(frozen=True)
class Scored:
    """A generator's mean: `n` images or annotations and an estimate.

    `order` is the value it is ranked by, if that is not the mean. `clean` is how many of them have no errors,
    None if the report does not say.
    """

    generator: str
    n: int
    mean: Mapping[str, Any]
    clean: int | None = None
    order: float | None = None


@dataclass(frozen=True)
class Basis:
    """The generators' means and the tests of pairs; `why` says why there are none.

    `slug` is `image` or `annotations`; `unit` is what `n` counts.
    """

    slug: str
    means: Sequence[Scored]
    tests: Sequence[Mapping[str, Any]]
    why: str = ""
    unit: str = "image"


def is_shown(result: Result) -> bool:
    """Return whether a result has what a first screen needs; those of other protocols do not."""
    return "tables" not in result and bool(result["generators"])


def basis_of(result: Result, unit: str) -> Basis:
    """Return the means of images, or of annotations as published if asked, with the mixed model's tests.

    Only the mixed model gives verdicts, whatever the means count. Its own means are adjusted for annotators
    and prompts, so they decide the order.
    """
    model = result["mixed_model"]
    why = f"No generator is compared with another: {model['refused']}." if model["refused"] else ""
    order = {row["generator"]: row["mean"]["value"] for row in model["means"]}
    means = _published(result) if unit == BY_ANNOTATION else _by_image(result)
    return Basis(
        BY_ANNOTATION if unit == BY_ANNOTATION else BY_IMAGE,
        [replace(mean, order=order.get(mean.generator, mean.order)) for mean in means],
        model["pairs"],
        why,
        "annotation" if unit == BY_ANNOTATION else "image",
    )


def _by_image(result: Result) -> list[Scored]:
    return [
        Scored(row["generator"], row["images"], row["image_mean"], row[CLEAN_IMAGES])
        for row in result["generators"]
    ]


def _published(result: Result) -> list[Scored]:
    clean = {row["generator"]: row[CLEAN_ANNOTATIONS] for row in result["generators"]}
    return [
        Scored(row["generator"], row["mean"]["n_units"], row["mean"], clean[row["generator"]])
        for row in result["by_annotation"]["means"]
    ]
