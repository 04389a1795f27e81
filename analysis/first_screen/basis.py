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
    """Return whether a result has what a first screen needs; those of other protocols do not."""
    return "tables" not in result and bool(result["generators"])


def basis_of(result: Result, declared: str, unit: str) -> Basis:
    """Return the analysis that leads: as published if asked, else the declared one.

    Undeclared, images lead, unless skewed balance makes raw differences partly those between annotators.
    """
    if unit == BY_ANNOTATION:
        return _published(result)
    if declared in _MODELS:
        return _model(result, declared, "") or _by_image(result, _refusal(result, declared))
    balance = result["balance"]
    if not declared and not balance["balanced"]:
        return _model(result, Analysis.ADJUSTED, balance["words"]) or _by_image(result, balance["words"])
    return _by_image(result, "")


def _by_image(result: Result, why: str) -> Basis:
    means = [
        Scored(row["generator"], row["images"], row["image_mean"], row[CLEAN_IMAGES])
        for row in result["generators"]
    ]
    return Basis(Analysis.IMAGE, means, result["generator_comparisons"], why)


def _published(result: Result) -> Basis:
    found = result["by_annotation"]
    clean = {row["generator"]: row[CLEAN_ANNOTATIONS] for row in result["generators"]}
    means = [
        Scored(row["generator"], row["mean"]["n_units"], row["mean"], clean[row["generator"]])
        for row in found["means"]
    ]
    return Basis(BY_ANNOTATION, means, found["pairs"], unit="annotation")


def _model(result: Result, slug: str, why: str) -> Basis | None:
    found = result[_MODELS[slug]]
    if found["refused"] or not found["means"]:
        return None
    images = {row["generator"]: (row["images"], row[CLEAN_IMAGES]) for row in result["generators"]}
    means = [
        Scored(row["generator"], count, row["mean"], clean)
        for row in found["means"]
        for count, clean in [images[row["generator"]]]
    ]
    return Basis(slug, means, found["pairs"], why)


def _refusal(result: Result, slug: str) -> str:
    why = result[_MODELS[slug]]["refused"]
    return f"The declared analysis could not be computed: {why}. Image means are shown instead."


_MODELS: Final[Mapping[str, str]] = {Analysis.ADJUSTED: "adjusted", Analysis.MIXED: "mixed_model"}
