"""The analysis that leads a comparison: the declared one, by image, or as published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotator.models import Project

Result = Mapping[str, Any]
Analysis = Project.PrimaryAnalysis

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

    `clean` is how many of them have no errors, None if the report does not say.
    """

    generator: str
    n: int
    mean: Mapping[str, Any]
    clean: int | None = None


@dataclass(frozen=True)
class Basis:
    """One analysis of the generators, means and tests of pairs; `why` says why it is not the usual one.

    `slug` is a primary analysis, or `annotations`; `unit` is what `n` counts.
    """

    slug: str
    means: Sequence[Scored]
    tests: Sequence[Mapping[str, Any]]
    why: str = ""
    unit: str = "image"

    @property
    def title(self) -> str:
        """The name of the analysis in sentences."""
        return "annotation by annotation" if self.slug == BY_ANNOTATION else Analysis(self.slug).label.lower()


def is_shown(result: Result) -> bool:
    """Return whether a result has what a first screen needs; those of other protocols or versions do not."""
    return "tables" not in result and "generator_comparisons" in result and bool(result.get("generators"))


def basis_of(result: Result, declared: str, unit: str) -> Basis:
    """Return the analysis that leads: as published if asked, else the declared one.

    Undeclared, images lead, unless skewed balance makes raw differences partly those between annotators.
    """
    if unit == BY_ANNOTATION and (published := _published(result)):
        return published
    if declared in _MODELS:
        return _model(result, declared, "") or _by_image(result, _refusal(result, declared))
    balance = result.get("balance")
    if not declared and balance and not balance["balanced"]:
        return _model(result, Analysis.ADJUSTED, balance["words"]) or _by_image(result, balance["words"])
    return _by_image(result, "")


def has_published(result: Result) -> bool:
    """Return whether the result holds means and tests by annotation."""
    return _published(result) is not None


def _by_image(result: Result, why: str) -> Basis:
    means = [
        Scored(row["generator"], row["images"], row["image_mean"], row.get(CLEAN_IMAGES))
        for row in result["generators"]
    ]
    return Basis(Analysis.IMAGE, means, result["generator_comparisons"], why)


def _published(result: Result) -> Basis | None:
    found = result.get("by_annotation")
    if not found:
        return None
    clean = {row["generator"]: row.get(CLEAN_ANNOTATIONS) for row in result["generators"]}
    means = [
        Scored(row["generator"], row["mean"]["n_units"], row["mean"], clean.get(row["generator"]))
        for row in found["means"]
    ]
    return Basis(BY_ANNOTATION, means, found["pairs"], unit="annotation")


def _model(result: Result, slug: str, why: str) -> Basis | None:
    found = result.get(_MODELS[slug])
    if not found or found["refused"] or not found["means"]:
        return None
    images = {row["generator"]: (row["images"], row.get(CLEAN_IMAGES)) for row in result["generators"]}
    means = [
        Scored(row["generator"], count, row["mean"], clean)
        for row in found["means"]
        for count, clean in [images[row["generator"]]]
    ]
    return Basis(slug, means, found["pairs"], why)


def _refusal(result: Result, slug: str) -> str:
    found = result.get(_MODELS[slug])
    if not found:
        return "This report lacks the declared analysis: refresh it. Until then, image means are shown."
    return f"The declared analysis could not be computed: {found['refused']}. Image means are shown instead."


_MODELS: Final[Mapping[str, str]] = {Analysis.ADJUSTED: "adjusted", Analysis.MIXED: "mixed_model"}
