"""What the reports on rated descriptions have beside the generic tables: models, their judges, detection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from statistics import median_low
from typing import Any, Final, Unpack

import numpy as np

from analysis.protocols.defect.agreement import mean_of
from analysis.protocols.defect.frames import DefectFrame, Said, grouped
from analysis.protocols.defect.stages import alpha_among, share_of
from analysis.stats.comparison.comparison import Beside
from analysis.stats.comparison.generic import comparison
from analysis.stats.generic.agreement import ALPHA, agreement, agreement_of_values
from analysis.stats.generic.outside import OutsideMetric
from analysis.stats.generic.tables import Json, ResultColumn, table
from analysis.stats.steps import Steps
from scoring.protocol import Variable

SCORE: Final = Variable("score", "Score", "ordinal", "0, 1 or 2", values=(0, 1, 2))
MODEL: Final = ResultColumn("model", "Model")
Scored = Mapping[tuple[str, str], Sequence[Said]]
"""The raters' scores by model and criterion."""


def quality_agreement(frame: DefectFrame, steps: Steps | None = None) -> dict[str, Any]:
    """Return the agreement on rated descriptions, with the scores of each model."""
    return agreement(frame, replace(agreement_of_values, own=lambda *_: [by_model(frame)]), steps)


def quality_comparison(
    frame: DefectFrame, steps: Steps | None = None, **beside: Unpack[Beside]
) -> dict[str, Any]:
    """Return the comparison of generators, then the judges beside the raters, and what models detect."""
    scored, metrics = _scored(frame), beside.get("metrics", ())
    beside["metrics"] = [metric for metric in metrics if _judged(metric.name, scored) is None]
    made = comparison(frame, steps, **beside)
    own = [by_judge(frame, metrics), detected(frame)]
    return {**made, "tables": [*made["tables"], *(each for each in own if each["rows"])]}


def by_model(frame: DefectFrame) -> Json:
    """Return the mean of each criterion by model, the shares of the scores, and the raters' agreement."""
    rows = []
    for (model, criterion), given in sorted(_scored(frame).items()):
        by_image = grouped(given, "image")
        means = np.array(
            [float(Fraction(sum(each.value for each in own), len(own))) for own in by_image.values()]
        )
        counts = Counter(each.value for each in given)
        shares = [counts[score] / len(given) for score in (2, 1, 0)]
        mean = mean_of(means, within=(0.0, 2.0))
        rows.append([model, criterion.capitalize(), len(by_image), mean, *shares, alpha_among(given, SCORE)])
    return table(
        "models",
        "Descriptions by model",
        "Each score is 2, 1 or 0. An image counts by the mean of its raters.",
        (
            MODEL,
            ResultColumn("criterion", "Criterion"),
            ResultColumn("images", "Images", "count", "images with a rated description", "images"),
            ResultColumn("mean", "Mean", "estimate", "mean over images with its 95% t interval"),
            *(
                ResultColumn(
                    f"share_{score}", f"Scored {score}", "share", f"share of the ratings that are {score}"
                )
                for score in (2, 1, 0)
            ),
            ALPHA,
        ),
        rows,
    )


def by_judge(frame: DefectFrame, metrics: Sequence[OutsideMetric]) -> Json:
    """Return how each judge, a model that scores descriptions, compares with the raters' median."""
    scored, rows = _scored(frame), []
    for metric in metrics:
        judged = _judged(metric.name, scored)
        if judged is None:
            continue
        judge, model, criterion = judged
        pairs = [
            (metric.values[image], median_low([each.value for each in given]))
            for image, given in grouped(scored[model, criterion], "image").items()
            if image in metric.values
        ]
        same = sum(said == median for said, median in pairs)
        differences = np.array([said - median for said, median in pairs], dtype=np.float64)
        mean = mean_of(differences, within=(-np.inf, np.inf))
        rows.append([judge, model, criterion.capitalize(), len(pairs), share_of(same, len(pairs)), mean])
    return table(
        "judges",
        "Judges beside raters",
        "A judge is an outside metric named JUDGE/MODEL/CRITERION. It is compared with the median of the "
        "raters of an image, of an even number the lower one of the two in the middle.",
        (
            ResultColumn("judge", "Judge"),
            *(MODEL, ResultColumn("criterion", "Criterion")),
            ResultColumn("images", "Images", "count", "images with the judge's score and ratings", "images"),
            ResultColumn("exact", "Equal", "estimate", "share equal to the median, with its exact interval"),
            ResultColumn("difference", "Judge − median", "estimate", "mean over images, 95% t interval"),
        ),
        rows,
    )


def detected(frame: DefectFrame) -> Json:
    """Return how the models' word on whether an image is defective compares with the decided verdicts."""
    decided = {image: each.value == 1 for image, each in frame.decided.items() if each.by}
    rows = []
    for model, called in sorted(frame.called.items()):
        counts = Counter((found, decided[image]) for image, found in called.items() if image in decided)
        hits, alarms, missed = counts[True, True], counts[True, False], counts[False, True]
        f1 = 2 * hits / (2 * hits + alarms + missed) if hits + alarms + missed else None
        shares = [share_of(hits, hits + alarms), share_of(hits, hits + missed)]
        rows.append([model, hits, alarms, missed, counts[False, False], *shares, f1])
    return table(
        "detected",
        "Detection by model",
        "Whether a model calls an image defective, against the decided verdict of the image.",
        (
            MODEL,
            ResultColumn("hits", "Rightly defective", "count", "rejected images that it calls defective"),
            ResultColumn("alarms", "Wrongly defective", "count", "accepted images that it calls defective"),
            ResultColumn("missed", "Missed", "count", "rejected images that it does not call defective"),
            ResultColumn("right", "Rightly not", "count", "accepted images that it does not call defective"),
            ResultColumn("precision", "Precision", "estimate", "rejected of those it calls defective"),
            ResultColumn("recall", "Recall", "estimate", "of the rejected, those it calls defective"),
            ResultColumn("f1", "F1", "number", "harmonic mean of precision and recall"),
        ),
        rows,
    )


def _scored(frame: DefectFrame) -> Scored:
    return grouped(frame.said, "about", "criterion")


def _judged(metric: str, scored: Scored) -> tuple[str, str, str] | None:
    """Return judge, model and criterion of a metric; None if it is no judge's. Any name may have a slash."""
    for model, criterion in scored:
        judge = metric.removesuffix(f"/{model}/{criterion}")
        if judge and judge != metric:
            return judge, model, criterion
    return None
