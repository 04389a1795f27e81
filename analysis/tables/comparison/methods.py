"""The methods paragraph of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.tables.comparison.finding import scope
from analysis.tables.methods import Result, classification, computed_with, counted, scores, spelled
from analysis.tables.wording import listed

# What the mixed model's component is called in a paper.
_COMPONENTS: Final = {
    "annotator": "annotator",
    "prompt": "prompt",
    "annotator_generator": "annotator-by-generator interaction",
    "annotator_prompt": "annotator-by-prompt interaction",
    "generator_prompt": "generator-by-prompt interaction",
    "image": "image",
}


def methods(result: Result) -> str:
    """Return the paragraph from a comparison's settings."""
    settings = result["settings"]
    return " ".join(
        [
            _population(settings),
            classification(),
            scores(result),
            *_balance(result),
            _unit(settings),
            *_tests(result),
            computed_with(result),
        ]
    )


def _population(settings: Result) -> str:
    several = settings["images_judged_more_than_once"]
    twice = "none of them more than once" if not several else f"{several:,} of them more than once"
    return (
        f"{spelled(settings['annotators'], 'annotator')} made "
        f"{counted(settings['annotations'], 'annotation')} of {counted(settings['images'], 'image')}, "
        f"{twice}."
    )


def _balance(result: Result) -> Iterator[str]:
    """Yield how the annotations of each annotator are spread over generators."""
    balance = result["balance"]
    if len(balance["counts"]) < 2 or len(balance["generators"]) < 2:
        return
    counts = [count for row in balance["counts"] for count in row]
    each = f"{min(counts):,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    yield f"Each annotator made {each} annotations of each generator."
    for what in ("annotators", "prompts"):
        if balance["spread"][what]["state"] == "skewed":
            yield f"The mix of {what} differed between generators by more than chance."


def _unit(settings: Result) -> str:
    decided = settings["images_adjudicated"]
    adjudicated = (
        f", or replaced by the adjudicated value where there was one ({decided:,})" if decided else ""
    )
    return (
        "The image was the unit of means: scores of an image annotated more than once were averaged"
        f"{adjudicated}. Means are given with {_percent(settings)} confidence intervals from Student's t "
        "distribution."
    )


def _percent(settings: Result) -> str:
    return f"{100 * settings['confidence']:.0f}%"


def _tests(result: Result) -> Iterator[str]:
    yield from _mixed(result["mixed_model"])
    yield (
        "Beside it stand Welch's two-sided t tests of every two generators over images (Welch 1947) with "
        "Hedges' g (Hedges 1981); they hold annotators and prompts fixed and no verdict rests on them. Tests "
        "within one table were corrected by Holm's method (Holm 1979), and simultaneous intervals use "
        "Bonferroni's correction (Dunn 1961)."
    )
    adjusted = result["adjusted"]
    if adjusted["refused"] is None and adjusted["prompts"]:
        yield (
            "Adjusted means of prompts are marginal means of an additive model with "
            f"{listed(['the generator', *adjusted['adjusted_for']])} as fixed effects, over images, with "
            "standard errors clustered by image (Liang and Zeger 1986)."
        )


def _mixed(model: Result) -> Iterator[str]:
    if model["refused"] is not None:
        yield f"No model of the generators was fitted: {model['refused']}."
        return
    left_out = {row["name"]: row["reason"] for row in model["omitted"]}
    random = [words for name, words in _COMPONENTS.items() if name not in left_out]
    effects = f" and random effect{'s' if len(random) > 1 else ''} of {listed(random)}" if random else ""
    omitted = "; ".join(f"{_COMPONENTS[name]} ({reason})" for name, reason in left_out.items())
    yield (
        "Generators were compared by a linear mixed model of all annotations without adjudicated values, "
        f"with the generator as a fixed effect{effects}, fitted by restricted maximum likelihood (Bates et "
        "al. 2015), with Satterthwaite's degrees of freedom (Satterthwaite 1946) and p values corrected for "
        f"the number of pairs by Holm's method (Holm 1979); its intervals hold {scope(model)}."
        f"{f' Left out: {omitted}.' if omitted else ''}"
    )
