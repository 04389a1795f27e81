"""The comparison of generators, the same for every protocol and headline.

A mixed model of all annotations gives the verdicts; means of images and plain tests stand beside it. Where an
image has several annotations, its score is one number: their mean, or what the protocol makes of them.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, Final, TypedDict, Unpack

import numpy as np

from analysis.stats.bootstrap_intervals import SEED
from analysis.stats.comparison.balance import balance_tables
from analysis.stats.comparison.compared import Compared
from analysis.stats.comparison.generators import (
    differences_table,
    generator_findings,
    generators_table,
    plain_table,
    variation_table,
)
from analysis.stats.comparison.groups import (
    annotators_table,
    distribution_table,
    prompt_groups_table,
    prompts_table,
)
from analysis.stats.comparison.mixed import mixed_model
from analysis.stats.estimates import CONFIDENCE
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.outside import OutsideMetric, outside_tables
from analysis.stats.generic.slices import Attributes, Tags, slices_tables
from analysis.stats.generic.tables import Json, figure
from analysis.stats.rank_correlation import without_noise
from analysis.stats.steps import Sections, Steps
from scoring.protocol import Variable

STEPS: Final = 6
LISTED: Final = 40
"""Generators with strips: those with the most images."""
LIBRARIES: Final = ("numpy", "scipy")
SECTIONS: Final = 6
MEANS: Final = "Means of images with 95% intervals, for these prompts and annotators."
DIFFERENCES: Final = "A minus B by the mixed model, with 95% intervals."


class Beside(TypedDict, total=False):
    """What stands beside the scores of images: attributes and tags of images, and outside metrics."""

    attributes: Attributes
    tags: Tags
    metrics: Sequence[OutsideMetric]


def strips(compared: Compared) -> list[dict[str, Any]]:
    """Return images of each generator at equal steps of rank of their scores, ties in order of the images.

    `image` is the image's id, `score` its score, `next` the image that follows in rank, to take its place
    (before the last one, the one before).
    """
    labels, codes = compared.frame.labels("generator"), compared.codes("generator")
    ids, ranked = np.array(compared.ids, dtype=np.int64), without_noise(compared.images)
    sizes = np.bincount(codes, minlength=len(labels))
    made = []
    for place in np.sort(np.argsort(-sizes, kind="stable")[:LISTED]).tolist():
        own = np.flatnonzero(codes == place)
        ordered = own[np.lexsort((ids[own], ranked[own]))]
        ranks = sorted(set(np.linspace(0, len(ordered) - 1, STEPS).round().astype(int).tolist()))
        steps = [_step(ordered, rank, compared.images, ids) for rank in ranks]
        made.append({"generator": labels[place], "images": steps})
    return made


def _step(ordered: Ints, rank: int, scores: Floats, ids: Ints) -> dict[str, Any]:
    # The last one of a strip has a neighbour before it only.
    beside = rank + 1 if rank + 1 < len(ordered) else rank - 1
    return {
        **_told(ordered[rank], scores, ids),
        "next": None if beside < 0 else _told(ordered[beside], scores, ids),
    }


def _told(place: int, scores: Floats, ids: Ints) -> dict[str, Any]:
    return {"image": int(ids[place]), "score": float(scores[place])}


def compare(
    compared: Compared,
    steps: Steps | None = None,
    *,
    own: Callable[[], Sequence[Json]] = tuple,
    **beside: Unpack[Beside],
) -> dict[str, Any]:
    """Return the comparison as plain JSON values, unrounded: tables, findings, figures, model and strips.

    `own` makes the tables that only this protocol has. `steps` receives the progress between sections. Tables
    without rows are left out, but for those that say why.
    """
    section = Sections(steps, SECTIONS)
    frame, headline = compared.frame, compared.headline
    model = section(mixed_model(frame, compared.scores, headline.range))
    differences, plain = differences_table(compared, model), section(plain_table(compared))
    tables = [
        generators_table(compared, model),
        differences,
        plain,
        variation_table(model),
        *section(balance_tables(compared)),
        prompts_table(compared),
        prompt_groups_table(compared),
        annotators_table(compared),
        section(distribution_table(compared)),
        *section(own()),
        *slices_tables(
            *(frame, compared.first, compared.images, headline),
            *(beside.get("attributes", {}), beside.get("tags", {})),
        ),
    ]
    if metrics := beside.get("metrics"):
        better = headline.higher_is_better
        tables += outside_tables(frame, compared.first, compared.images, metrics, higher_is_better=better)
    kept = [made for made in tables if made["rows"] or made["name"] in ("generators", "differences")]
    return {
        "tables": kept,
        "findings": generator_findings(plain, model, higher_is_better=headline.higher_is_better),
        "figures": _figures({made["name"] for made in kept}, headline),
        "model": {key: value for key, value in model.items() if key not in ("pairs", "components")},
        "strips": section(strips(compared)),
        "settings": _settings(compared, seeded=bool(metrics)),
    }


def _figures(names: set[str], headline: Variable) -> list[Json]:
    of_pairs = {"label": "a", "against": "b", "note": DIFFERENCES}
    drawn = (
        figure("intervals", "generators", "Generators", label="generator", value="mean", note=MEANS),
        figure("intervals", "differences", "Differences", value="difference", **of_pairs),
        figure("histogram", "distribution", "Distribution", low="from", high="to", of=headline.title),
        figure("body_map", "cells", "Where the errors lie on the body"),
        figure("shares", "error_types", "Error types", label="error_type"),
        figure("shares", "body_parts", "Body parts", label="body_part"),
        figure("intervals", "prompt_groups", "Prompt groups", label="prompt_group", value="mean"),
        figure("intervals", "prompts", "Prompts", label="prompt", value="mean"),
        figure("heat", "components", "Components", label="component"),
    )
    return [figure for figure in drawn if figure["table"] in names]


def _settings(compared: Compared, *, seeded: bool) -> dict[str, Any]:
    """Return population, unit, choices and versions: sufficient to reproduce the result."""
    frame = compared.frame
    sizes = np.bincount(frame.image_codes)
    return {
        "unit": "image",
        "annotations": len(frame),
        "images": len(compared.images),
        "images_judged_more_than_once": int((sizes > 1).sum()),
        "annotations_per_image": [int(sizes.min(initial=len(frame))), int(sizes.max(initial=0))],
        "images_adjudicated": len(compared.decided),
        "annotators": len(frame.labels("annotator")),
        "higher_is_better": compared.headline.higher_is_better,
        "scale": [end if math.isfinite(end) else None for end in compared.headline.range],
        "confidence": CONFIDENCE,
        "correction": "Holm",
        "seed": SEED if seeded else None,
        "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
    }
