"""The comparison of the anatomy protocol: the cumulative score, and where its errors lie.

Error types, body parts and weightings are over images; cells over annotations, as in the published study, so
that the parts of a generator add up to its published mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Unpack

import numpy as np

from analysis.protocols.anatomy.cells import cells_table, fractions_by, generator_parts_table
from analysis.stats.comparison.compared import Compared, ImageColumn, image_means
from analysis.stats.comparison.comparison import Beside, compare
from analysis.stats.comparison.groups import of_generators
from analysis.stats.estimates import FROM_ZERO
from analysis.stats.frames import Floats, RatingsFrame
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.means import grouped, mean_estimates
from analysis.stats.rank_correlation import without_noise
from analysis.stats.steps import Steps
from scoring.anatomy.protocol import ANATOMY
from scoring.grid.severity_weights import DEFAULT_WEIGHTS
from scoring.grid.taxonomy import (
    BODY_PART_TITLES,
    ERROR_TYPE_TITLES,
    SEVERITIES,
    SEVERITY_TITLES,
)

Adjudicated = Mapping[int, Floats]
"""By image id: (25, 3) adjudicated unweighted error fractions."""
WEIGHTINGS: Final = {
    "all severities equal": (1.0, 1.0, 1.0),
    "only c": (0.0, 0.0, 1.0),
    "published": tuple(float(DEFAULT_WEIGHTS[severity]) for severity in SEVERITIES),
}


def anatomy_comparison(
    frame: RatingsFrame,
    steps: Steps | None = None,
    *,
    adjudicated: Adjudicated | None = None,
    **beside: Unpack[Beside],
) -> dict[str, Any]:
    """Return the comparison of cumulative scores, with error types, body parts, cells and weightings."""
    types, parts = (fractions_by(kind, frame) for kind in ("type", "part"))
    severities: Floats = types.sum(axis=1)
    compared = Compared(
        frame=frame,
        headline=ANATOMY.headline,
        scores=frame.scores,
        images=image_means(frame, frame.scores),
        adjudicated={
            image: float(fractions.sum(axis=0) @ frame.weights)
            for image, fractions in (adjudicated or {}).items()
        },
        columns=(*_severities(severities), _clean(severities)),
        as_published=True,
    )

    def own() -> list[Json]:
        return [
            _parts(frame, "error_types", "error_type", "Error type", ERROR_TYPE_TITLES, types),
            _parts(frame, "body_parts", "body_part", "Body part", BODY_PART_TITLES, parts),
            cells_table(frame),
            generator_parts_table(frame, compared.codes("generator"), parts),
            _weights(compared, severities),
        ]

    result = compare(compared, steps, own=own, **beside)
    weights = dict(zip(SEVERITIES, frame.weights.tolist(), strict=True))
    return {**result, "settings": {**result["settings"], "weights": weights}}


def _severities(fractions: Floats) -> tuple[ImageColumn, ...]:
    """Return (m, 3) unweighted error fractions as columns by severity."""
    return tuple(
        ImageColumn(
            ResultColumn(
                severity,
                f"Severity {severity}",
                "number",
                f"error fractions of {SEVERITY_TITLES[severity]} errors an image, unweighted",
                severity=severity,
            ),
            np.asarray(fractions[:, place], dtype=np.float64),
        )
        for place, severity in enumerate(SEVERITIES)
    )


def _clean(fractions: Floats) -> ImageColumn:
    """Return whether an image has no error, of (m, 3) fractions; a weight of 0 does not undo one."""
    column = ResultColumn("clean", "Without errors", "count", "images in which nobody marked an error")
    return ImageColumn(column, np.asarray(~fractions.any(axis=1), dtype=np.float64))


def _parts(
    frame: RatingsFrame, name: str, column: str, title: str, titles: Mapping[str, str], fractions: Floats
) -> Json:
    """Return the part of the score from each error type or body part; `fractions` are (m, 5, 3)."""
    n_annotators = np.array([len(frame.labels("annotator"))])
    together = np.zeros(len(fractions), dtype=np.int64)
    rows = []
    for place, words in enumerate(titles.values()):
        own = np.asarray(fractions[:, place], dtype=np.float64)
        moments = grouped(own @ frame.weights, together, 1)
        (mean,) = mean_estimates(moments, n_annotators, FROM_ZERO)
        parts = [column.by(together, moments.n)[0] for column in _severities(own)]
        rows.append([words, mean, moments.variance_of(0), *parts])
    return table(
        name,
        f"{title}s",
        f"The part of each image's score from one {title.lower()}; the means add up to the overall mean.",
        (
            ResultColumn(column, title),
            ResultColumn("mean", "Mean", "estimate", "mean part of the score of images"),
            ResultColumn("variance", "Variance", "number", "sample variance over images"),
            *(column.column for column in _severities(fractions[:, 0])),
        ),
        rows if len(fractions) else [],
    )


def _weights(compared: Compared, fractions: Floats) -> Json:
    """Return the generators' means under three weightings, linear in the weights."""
    labels, codes = compared.frame.labels("generator"), compared.codes("generator")
    n = np.maximum(np.bincount(codes, minlength=len(labels)), 1)
    sums = np.stack(
        [np.bincount(codes, fractions[:, place], minlength=len(labels)) / n for place in range(3)],
        axis=1,
    )
    own = of_generators(labels, "number", "mean score of images")
    rows, orders = [], []
    for name, weights in WEIGHTINGS.items():
        means = without_noise(sums @ np.array(weights))
        orders.append([labels[place] for place in np.argsort(means, kind="stable")])
        rows.append([name, *weights, ", ".join(orders[-1]), *(means.tolist() if own else [])])
    same = all(order == orders[0] for order in orders)
    return table(
        "weights",
        "Other weights",
        "Mean score of images under other weights. An order is not a difference.",
        (
            ResultColumn("weighting", "Weights"),
            *(ResultColumn(name, f"Weight of {name}", "number") for name in SEVERITIES),
            ResultColumn("order", "Fewest errors first"),
            *own,
        ),
        rows if len(labels) > 1 else [],
        line="The order is the same under all three weightings"
        if same
        else "The order of the generators depends on the weights",
    )
