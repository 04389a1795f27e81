"""Comparison of generators by a mixed model: annotators and prompts as samples, not as fixed.

score = generator + (1 | annotator) + (1 | prompt) + (1 | generator and prompt) + (1 | image) + rest, by REML.
The effect of a prompt differs between generators; without that component, images of one prompt would count as
independent evidence about a generator, and intervals would be too short for statements about other prompts.
Adjudicated values do not enter, because no single annotator made them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.comparison.generators import corrected
from analysis.stats.comparison.welch import Test, t_test, untested
from analysis.stats.estimates import CONFIDENCE, FROM_ZERO, Estimate, cut, estimate, refused
from analysis.stats.frames import Floats, Ints, RatingsFrame
from analysis.stats.means import grouped
from analysis.stats.mixed_models import BLOCK, CELL, CROSSED, IMAGE, RESIDUAL, MixedFit, fit, model_of
from analysis.stats.variance_components import deviation_estimate, share_estimate

METHOD: Final = "mixed model, REML, Satterthwaite"
MOST_ANNOTATORS: Final = 500
MOST_PRODUCTS: Final = 10_000_000
"""Combinations of generator and prompt times annotators: what the sums of the model hold."""
# Components by place, and why one may be missing.
COMPONENTS: Final = {
    CROSSED: "annotator",
    BLOCK: "prompt",
    CELL: "generator_prompt",
    IMAGE: "image",
    RESIDUAL: "residual",
}
ONE_ANNOTATOR: Final = "there is only one annotator"
ONE_PROMPT: Final = "there is only one prompt"
NOT_CROSSED: Final = "no prompt has images of two generators"
ONE_IMAGE_EACH: Final = "no generator has two images of a prompt: part of the image"
NO_RESIDUAL: Final = (
    "annotations of the same image never differ, apart from leniency: there is no residual variance"
)
NO_RESIDUAL_OF_IMAGES: Final = (
    "images of one generator and prompt never differ: there is no residual variance"
)
NOT_TOLD_APART: Final = (
    "the sources of variation cannot be told apart with so few annotators, prompts and images"
)
NO_DOUBLES: Final = "no image has two annotations: part of the residual"


def mixed_model(frame: RatingsFrame) -> dict[str, Any]:
    """Return means, pairwise tests (Holm) and variance components, or the reason for none.

    `omitted` names components that these annotations cannot tell from another one.
    """
    counts = {
        "annotations": len(frame),
        "images": int(frame.image_codes.max(initial=-1)) + 1,
        "annotators": len(frame.labels("annotator")),
        "prompts": len(frame.labels("prompt")),
    }
    cells, blocks = _cells(frame)
    if reason := _refusal(frame, int(cells.max(initial=-1)) + 1):
        return {"refused": reason, **counts, "means": [], "pairs": [], "components": [], "omitted": []}
    labels = frame.labels("generator")
    omitted = dict(_omitted(frame, cells))
    fixed = np.eye(len(labels))[frame.codes("generator")]
    factors = [] if CROSSED in omitted else [frame.codes("annotator")]
    found = fit(model_of(frame.scores, fixed, factors, frame.image_codes, cells, blocks), tuple(omitted))
    if not found.has_residual:
        reason = NO_RESIDUAL_OF_IMAGES if IMAGE in omitted else NO_RESIDUAL
        return {"refused": reason, **counts, "means": [], "pairs": [], "components": [], "omitted": []}
    about = {"n_units": counts["images"], "n_coders": counts["annotators"]}
    return {
        "refused": None,
        **counts,
        "means": [{"generator": label, "mean": _mean(found, i, about)} for i, label in enumerate(labels)],
        "pairs": corrected(
            [
                {"a": labels[i], "b": labels[j], **_compared(found, i, j, about)}
                for i, j in combinations(range(len(labels)), 2)
            ]
        ),
        "components": _components(found, omitted, about),
        "omitted": [{"name": COMPONENTS[place], "reason": reason} for place, reason in omitted.items()],
    }


def _cells(frame: RatingsFrame) -> tuple[Ints, Ints]:
    """Return (n,) codes of each combination of generator and prompt that occurs, and of its prompt."""
    prompts = frame.codes("prompt")
    key = frame.codes("generator") * (int(prompts.max(initial=0)) + 1) + prompts
    return np.unique(key, return_inverse=True)[1], prompts


def _refusal(frame: RatingsFrame, cells: int) -> str | None:
    generators, annotators = len(frame.labels("generator")), len(frame.labels("annotator"))
    if generators < 2:
        return "fewer than 2 generators"
    if len(frame) <= generators + 1:
        return "too few annotations for this many generators"
    if annotators > MOST_ANNOTATORS:
        return f"{annotators:,} annotators; this model can hold {MOST_ANNOTATORS:,}"
    if cells * annotators > MOST_PRODUCTS:
        return (
            f"{cells:,} combinations of generator and prompt; with {annotators:,} annotators, this model can "
            f"hold {MOST_PRODUCTS // annotators:,}"
        )
    varies = grouped(frame.scores, frame.codes("generator"), generators).varies.any()
    return None if varies else "the scores do not vary within generators"


def _omitted(frame: RatingsFrame, cells: Ints) -> Iterator[tuple[int, str]]:
    """Yield the places of components that cannot be told apart, and why."""
    n_cells, prompts = int(cells.max()) + 1, len(frame.labels("prompt"))
    first = np.unique(frame.image_codes, return_index=True)[1]
    if len(frame.labels("annotator")) < 2:
        yield CROSSED, ONE_ANNOTATOR
    if prompts < 2:
        yield BLOCK, ONE_PROMPT
        yield CELL, ONE_PROMPT
    elif n_cells == prompts:
        yield CELL, NOT_CROSSED
    elif np.bincount(cells[first]).max() < 2:
        yield CELL, ONE_IMAGE_EACH
    if len(first) == len(frame):
        yield IMAGE, NO_DOUBLES


def _mean(found: MixedFit, place: int, about: dict[str, int]) -> Estimate:
    value, error, df = found.contrast(np.eye(found.model.p)[place])
    if df < 1:
        return refused(NOT_TOLD_APART, value=value, method=METHOD, **about)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, df)) * error
    return cut(estimate(value, value - half, value + half, method=METHOD, **about), FROM_ZERO)


def _compared(found: MixedFit, i: int, j: int, about: dict[str, int]) -> Test:
    unit = np.eye(found.model.p)
    value, error, df = found.contrast(unit[i] - unit[j])
    if df < 1:
        return untested(NOT_TOLD_APART, value=value, method=METHOD, **about)
    return t_test(value, error, df, method=METHOD, **about)


def _components(found: MixedFit, omitted: dict[int, str], about: dict[str, int]) -> list[dict[str, Any]]:
    """Return variance, standard deviation and share of the total of each component, two as estimates too."""
    total = float(found.variances.sum())
    return [
        {
            "name": name,
            "variance": float(found.variances[place]),
            "standard_deviation": float(found.variances[place]) ** 0.5,
            "share": float(found.variances[place]) / total,
            "standard_deviation_estimate": deviation_estimate(found, place, about),
            "share_estimate": share_estimate(found, partial(_share, place), about),
        }
        for place, name in COMPONENTS.items()
        if place not in omitted
    ]


def _share(place: int, variances: Floats) -> float:
    return float(variances[place] / variances.sum())
