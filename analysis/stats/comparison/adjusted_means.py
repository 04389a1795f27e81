"""Means of prompts over images, adjusted for who judged them and for the generators that drew them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.comparison.additive import Additive, additive
from analysis.stats.estimates import CONFIDENCE, FROM_ZERO, Estimate, cut, estimate, refused
from analysis.stats.frames import RatingsFrame
from analysis.stats.means import SAME

METHOD: Final = "least squares over images, clustered by image"
LISTED: Final = 200
"""Prompts whose means are listed: those with the most annotations."""
MOST_COMBINATIONS: Final = 5_000_000
"""(Generators + annotators) times prompts: what the normal equations hold."""
PROMPTS_NOT_CONNECTED: Final = "some prompts share no annotator and no generator with the others"


def adjusted_means(frame: RatingsFrame) -> dict[str, Any]:
    """Return adjusted means of prompts, or the reason for none.

    `adjusted_for` names what there are two or more of: annotator, prompt. Adjudicated values do not enter,
    because no single annotator made them.
    """
    annotators = len(frame.labels("annotator"))
    about = {
        "annotations": len(frame),
        "images": int(frame.image_codes.max(initial=-1)) + 1,
        "annotators": annotators,
        "adjusted_for": [name for name in ("annotator", "prompt") if len(frame.labels(name)) > 1],
    }
    nothing: dict[str, Any] = {"prompts": [], "prompts_refused": None}
    if reason := _refusal(frame):
        return {"refused": reason, **about, **nothing}
    fit = _fit(frame)
    if reason := fit.refused:
        return {"refused": reason, **about, **nothing}
    units = {"n_units": fit.clusters, "n_coders": annotators}
    return {"refused": None, **about, **_prompts(frame, fit, units)}


def _refusal(frame: RatingsFrame) -> str | None:
    sizes = {name: len(frame.labels(name)) for name in ("generator", "annotator", "prompt")}
    if sizes["generator"] < 2:
        return "fewer than 2 generators"
    if sizes["annotator"] < 2 and sizes["prompt"] < 2:
        return "one annotator and one prompt: there is nothing to adjust for"
    if (sizes["generator"] + sizes["annotator"]) * sizes["prompt"] > MOST_COMBINATIONS:
        people, prompts = sizes["annotator"], sizes["prompt"]
        return f"{people:,} annotators and {prompts:,} prompts are more than this model can hold"
    return None


def _fit(frame: RatingsFrame, *, by_image: bool = True) -> Additive:
    generators, annotators, prompts = map(frame.codes, ("generator", "annotator", "prompt"))
    return additive(frame.scores, generators, annotators, prompts, frame.image_codes, by_image=by_image)


def _prompts(frame: RatingsFrame, fit: Additive, units: dict[str, int]) -> dict[str, Any]:
    """Return the adjusted means of prompts over images, and over annotations as in the published study."""
    labels = frame.labels("prompt")
    sizes = np.bincount(frame.codes("prompt"), minlength=len(labels))
    listed = np.sort(np.argsort(-sizes, kind="stable")[:LISTED])
    found = fit.prompt_means(listed) if len(labels) > 1 else None
    by_annotation = found and _fit(frame, by_image=False).prompt_means(listed)
    if found is None:
        reason = PROMPTS_NOT_CONNECTED if len(labels) > 1 else "fewer than 2 prompts"
        return {"prompts": [], "prompts_refused": reason}
    return {
        "prompts": [
            {
                "prompt": labels[place],
                "mean": _mean(*one, fit, units),
                "annotation_mean": _mean(*other, fit, units),
            }
            for place, one, other in zip(listed.tolist(), found, by_annotation or found, strict=True)
        ],
        "prompts_refused": None,
    }


def _mean(value: float, error: float, fit: Additive, units: dict[str, int]) -> Estimate:
    if error <= SAME:
        return refused("no variance", value=value, method=METHOD, **units)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, fit.clusters - 1)) * error
    return cut(estimate(value, value - half, value + half, method=METHOD, **units), FROM_ZERO)
