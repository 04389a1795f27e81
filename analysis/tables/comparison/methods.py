"""The methods paragraph of a comparison."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from analysis.tables.methods import Result, classification, computed_with, counted, scores, spelled
from analysis.tables.wording import listed

# What the mixed model's component is called in a paper.
_COMPONENTS: Final = {
    "annotator": "annotator",
    "prompt": "prompt",
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
        "The image was the unit of analysis: scores of an image annotated more than once were averaged"
        f"{adjudicated}. Means are given with {_percent(settings)} confidence intervals from Student's t "
        "distribution."
    )


def _percent(settings: Result) -> str:
    return f"{100 * settings['confidence']:.0f}%"


def _tests(result: Result) -> Iterator[str]:
    yield (
        "Generators were compared pairwise by Welch's two-sided t test for unequal variances (Welch 1947), "
        "with p values corrected for the number of pairs by Holm's method (Holm 1979); effect sizes are "
        "Hedges' g with intervals from its large-sample variance (Hedges 1981)."
    )
    if result["blocked_by_prompt"]["omnibus"]["refused"] is None:
        yield (
            "Differences in the difficulty of prompts were accounted for by the F test of the additive model "
            "of generator and prompt, and by paired t tests over the means of prompts."
        )
    if result["adjusted_for_annotator"]["refused"] is None:
        yield (
            "Differences in leniency were accounted for by least squares over annotations with the annotator "
            "as a fixed effect and standard errors clustered by image (Liang and Zeger 1986)."
        )
    adjusted = result["adjusted"]
    if adjusted["refused"] is None and adjusted["adjusted_for"]:
        yield (
            f"Adjusted means are marginal means of an additive model with {listed(adjusted['adjusted_for'])} "
            "as fixed effects, over images, with standard errors clustered by image (Liang and Zeger 1986)."
        )
    yield "Simultaneous intervals of the differences use Bonferroni's correction (Dunn 1961)."
    yield (
        "These analyses treat images as the only random sample: annotators and prompts are held fixed, so "
        "intervals and p values apply to these annotators and these prompts."
    )
    yield from _mixed(result["mixed_model"])


def _mixed(model: Result) -> Iterator[str]:
    if model["refused"] is not None:
        return
    left_out = {row["name"] for row in model["omitted"]}
    random = [words for name, words in _COMPONENTS.items() if name not in left_out]
    if not random:
        return
    effects = f"random effect{'s' if len(random) > 1 else ''} of {listed(random)}"
    # Only a component in the model lets its statements go beyond the levels at hand.
    others = [name for name in ("annotators", "prompts") if name[:-1] not in left_out]
    reach = f"; its intervals extend to other {listed(others)} like these" if others else ""
    yield (
        f"A linear mixed model with the generator as a fixed effect and {effects} was fitted by restricted "
        "maximum likelihood (Bates et al. 2015), with Satterthwaite's degrees of freedom (Satterthwaite "
        f"1946){reach}."
    )
