"""The comparison of generators: a mixed model of all annotations.

score = generator + (1 | prompt) + (1 | generator:prompt) + (1 | image) + (1 | annotator)
    + (1 | annotator:generator) + (1 | annotator:prompt), by REML.
The effect of a prompt differs between generators, and so does the leniency of an annotator; without those
components, images of one prompt and annotations of one person would count as independent evidence about a
generator, and intervals would be too short for statements about other prompts and annotators. A component
stays if it groups the annotations as no other kept component, the generator or the residual does.
Adjudicated values do not enter, because no single annotator made them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final

import numpy as np
import pandas as pd

from analysis.stats.comparison.welch import Test, corrected, t_test, untested, within
from analysis.stats.estimates import Range
from analysis.stats.frames import AnnotationTable, Floats, Ints
from analysis.stats.means import grouped
from analysis.stats.mixed_fits import MixedFit, fit
from analysis.stats.mixed_models import BLOCK, CELL, CROSSED, IMAGE, RESIDUAL, model_of
from analysis.stats.variance_components import deviation_estimate

METHOD: Final = "mixed model, REML, Satterthwaite"
MOST_LEVELS: Final = 600
"""Levels of the crossing components together: what the sums of the model hold."""
MOST_OF_ANNOTATORS_AND_PROMPTS: Final = 500
"""Combinations of annotator and prompt with which these are a component."""
MOST_PRODUCTS: Final = 3_000_000
"""Combinations of generator and prompt times the levels of the crossing components."""
FEWEST_IMAGES: Final = 2
NESTED: Final = {"prompt": BLOCK, "generator_prompt": CELL, "image": IMAGE}
CROSSING: Final = ("annotator", "annotator_generator", "annotator_prompt")
WORDS: Final = {
    "prompt": "prompt",
    "generator_prompt": "generator and prompt",
    "image": "image",
    "annotator": "annotator",
    "annotator_generator": "annotator and generator",
    "annotator_prompt": "annotator and prompt",
    "generator": "generator",
    "residual": "residual",
}
# Why a component is missing, or a generator cannot be compared.
ONE_ANNOTATOR: Final = "there is only one annotator"
ONE_PROMPT: Final = "there is only one prompt"
TOO_MANY: Final = f"it has more than {MOST_OF_ANNOTATORS_AND_PROMPTS:,} levels"
NO_ROOM: Final = f"with it, the model would have more than {MOST_LEVELS:,} levels"
NO_RESIDUAL: Final = "annotations never differ beyond the other components: there is no residual variance"
NOT_TOLD_APART: Final = (
    "the sources of variation cannot be told apart with so few annotators, prompts and images"
)
OWN_PROMPT: Final = "{} has a single prompt, which no other generator has"
OWN_ANNOTATOR: Final = "{} has a single annotator, who judged no other generator"
NAMED: Final = 3
"""Generators that a refusal names at most."""
FEW_IMAGES: Final = "{} has fewer than 2 images with scores"
APART: Final = "each generator has a single {}, and not all the same one"

Groups = Mapping[str, Ints]
"""Component -> (n,) codes from 0 without gaps."""


def mixed_model(frame: AnnotationTable, scores: Floats, limits: Range) -> dict[str, Any]:
    """Return the test of every two generators (Holm) and variance components, or the reason for none.

    `scores` are (n,), one for each annotation, of a scale with these limits, at which the intervals of
    differences are cut. `dropped` names the components that are not in the model, why, and the `twin` that
    groups the annotations in the same way, if that is why.
    """
    groups = _groups(frame)
    counts = {
        "annotations": len(frame),
        "images": _size(groups["image"]),
        "annotators": _size(groups["annotator"]),
        "prompts": _size(groups["prompt"]),
        "most_levels": MOST_LEVELS,
    }
    dropped = list(_dropped_of(groups, len(frame)))
    kept = {name: codes for name, codes in groups.items() if name not in {row["name"] for row in dropped}}
    unfit = _unfit(frame, groups)
    if reason := _refusal(scores, groups, kept, unfit):
        return _none(reason, counts)
    model = fit(
        model_of(
            scores,
            np.eye(_size(groups["generator"]))[groups["generator"]],
            [kept[name] for name in CROSSING if name in kept],
            groups["image"],
            groups["generator_prompt"],
            groups["prompt"],
        ),
        tuple(place for name, place in NESTED.items() if name not in kept),
    )
    if not model.has_residual:
        return _none(NO_RESIDUAL, counts)
    about = {"n_units": counts["images"], "n_coders": counts["annotators"]}
    labels = frame.labels("generator")
    return {
        "method": METHOD,
        "refused": None,
        **counts,
        "kept": list(kept)[1:],
        "pairs": corrected(
            [
                {"a": labels[i], "b": labels[j], **within(_compared(model, i, j, unfit, about), limits)}
                for i, j in combinations(range(len(labels)), 2)
            ]
        ),
        "components": _components(model, kept, about),
        "dropped": dropped,
    }


def _none(reason: str, counts: Mapping[str, int]) -> dict[str, Any]:
    return {
        "method": METHOD,
        "refused": reason,
        **counts,
        "kept": [],
        "pairs": [],
        "components": [],
        "dropped": [],
    }


def _groups(frame: AnnotationTable) -> Groups:
    """Return the codes of generators, and of every component in the order in which they are kept."""
    generator, prompt, annotator = (frame.codes(name) for name in ("generator", "prompt", "annotator"))
    return {
        "generator": generator,
        "prompt": prompt,
        "generator_prompt": _crossed(generator, prompt),
        "image": frame.image_codes,
        "annotator": annotator,
        "annotator_generator": _crossed(annotator, generator),
        "annotator_prompt": _crossed(annotator, prompt),
    }


def _crossed(first: Ints, second: Ints) -> Ints:
    """Return (n,) codes of the combinations of two codes that occur."""
    return np.asarray(pd.factorize(first * (_size(second) + 1) + second)[0], dtype=np.int64)


def _size(codes: Ints) -> int:
    return int(codes.max(initial=-1)) + 1


def _alike(first: Ints, second: Ints) -> bool:
    """Return whether two codes group the annotations in the same way."""
    return _size(first) == _size(second) == _size(_crossed(first, second))


def _dropped_of(groups: Groups, n: int) -> Iterator[dict[str, Any]]:
    """Yield the name, reason and twin of components that are not in the model, in their order."""
    kept, levels = {"generator": groups["generator"], "residual": np.arange(n)}, 0
    for name in (*NESTED, *CROSSING):
        codes = groups[name]
        twin = next((other for other, known in kept.items() if _alike(codes, known)), None)
        reason = _reason(name, codes, levels) if twin is None else f"the same as {WORDS[twin]} here"
        if reason:
            yield {"name": name, "reason": reason, "twin": twin}
            continue
        kept[name] = codes
        levels += _size(codes) if name in CROSSING else 0


def _reason(name: str, codes: Ints, levels: int) -> str:
    """Return why a component without a twin is not in a model with so many crossing levels."""
    if _size(codes) < 2:
        return ONE_PROMPT if name == "prompt" else ONE_ANNOTATOR
    if name != "annotator_prompt":
        return ""
    if _size(codes) > MOST_OF_ANNOTATORS_AND_PROMPTS:
        return TOO_MANY
    return NO_ROOM if levels + _size(codes) > MOST_LEVELS else ""


def _unfit(frame: AnnotationTable, groups: Groups) -> dict[int, str]:
    """Return why a generator, by its code, cannot be compared with any other."""
    generator, labels = groups["generator"], frame.labels("generator")
    of_images = generator[np.unique(groups["image"], return_index=True)[1]]
    few = np.bincount(of_images, minlength=len(labels)) < FEWEST_IMAGES
    reasons = {code: FEW_IMAGES.format(labels[code] or "(none)") for code in np.flatnonzero(few).tolist()}
    for name, reason in (("prompt", OWN_PROMPT), ("annotator", OWN_ANNOTATOR)):
        codes = groups[name]
        if _size(codes) > 1:
            met = np.zeros((len(labels), _size(codes)), dtype=np.bool_)
            met[generator, codes] = True
            own = (met.sum(axis=1) == 1) & (met & (met.sum(axis=0) == 1)).any(axis=1)
            for code in np.flatnonzero(own).tolist():
                reasons.setdefault(code, reason.format(labels[code] or "(none)"))
    return reasons


def _refusal(scores: Floats, groups: Groups, kept: Groups, unfit: Mapping[int, str]) -> str | None:
    generator = groups["generator"]
    generators = _size(generator)
    if generators < 2:
        return "fewer than 2 generators"
    if generators - len(unfit) < 2:
        return "; ".join(list(unfit.values())[:NAMED])
    if len(scores) <= generators + 1:
        return "too few annotations for this many generators"
    for name in ("prompt", "annotator"):
        if _size(groups[name]) > 1 and _size(_crossed(groups[name], generator)) == generators:
            return APART.format(name)
    if reason := _too_large(groups, kept):
        return reason
    varies = grouped(scores, generator, generators).varies.any()
    return None if varies else "the scores do not vary within generators"


def _too_large(groups: Groups, kept: Groups) -> str | None:
    levels = sum(_size(kept[name]) for name in CROSSING if name in kept)
    if levels > MOST_LEVELS:
        return (
            f"{_size(groups['annotator']):,} annotators and their combinations with generators are "
            f"{levels:,} levels; this model can hold {MOST_LEVELS:,}"
        )
    cells = _size(groups["generator_prompt"])
    if cells * levels > MOST_PRODUCTS:
        return (
            f"{cells:,} combinations of generator and prompt; with {levels:,} levels of annotators, this "
            f"model can hold {MOST_PRODUCTS // levels:,}"
        )
    return None


def _compared(found: MixedFit, i: int, j: int, unfit: Mapping[int, str], about: dict[str, int]) -> Test:
    unit = np.eye(found.model.p)
    value, error, df = found.contrast(unit[i] - unit[j])
    reason = unfit.get(i) or unfit.get(j) or (NOT_TOLD_APART if df < 1 else None)
    if reason:
        return untested(reason, value=value, method=METHOD, **about)
    return t_test(value, error, df, method=METHOD, **about)


def _components(found: MixedFit, kept: Groups, about: dict[str, int]) -> list[dict[str, Any]]:
    """Return the standard deviation, an estimate, and the share of the variance of each component."""
    crossing = [name for name in CROSSING if name in kept]
    places = {name: place for name, place in NESTED.items() if name in kept}
    places |= {name: CROSSED + place for place, name in enumerate(crossing)} | {"residual": RESIDUAL}
    total = float(found.variances.sum())
    return [
        {
            "name": name,
            "standard_deviation": deviation_estimate(found, place, about),
            "share": float(found.variances[place]) / total,
        }
        for name, place in places.items()
    ]
