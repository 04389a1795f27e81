"""Why a number follows from the published data, or does not: each sentence is filled with computed values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from analysis.stats.comparison.welch import welch_test
from analysis.stats.frames import Floats, RatingsFrame
from analysis.stats.reproduction.authors import face_only_alphas
from analysis.stats.reproduction.computed_values import Figures
from analysis.stats.reproduction.skipped import MOST_TERMS, SkippedTerm, readings

BEST, OTHERS = "dall-e3", ("sdxl", "stablecascade")


def notes(frame: RatingsFrame, found: Figures, skipped: Sequence[SkippedTerm]) -> dict[str, str]:
    """Return the explanation of each `Claim.note` in Markdown."""
    return {
        "interval": "Interval level, the distance of the score itself.",
        "population": _population(found),
        "face_only": _face_only(frame, found),
        "sample": "The sample variance, over n − 1.",
        "variance": _variance(frame, skipped),
        "row_wise": _row_wise(frame),
    }


def number(value: float | None, digits: int = 4) -> str:
    """Return a number formatted for the tables."""
    return "–" if value is None or np.isnan(value) else f"{value:.{digits}f}".replace("-", "−")


def _population(found: Figures) -> str:
    return (
        "Quantiles within the images that each pair shares (7 to 12). Within all images of an annotator "
        f"the mean is {number(found['mean.overall_severity_all_images'])}, which is not the printed number."
    )


def _face_only(frame: RatingsFrame, found: Figures) -> str:
    alphas = [alpha for alpha in face_only_alphas(frame).values() if not np.isnan(alpha)]
    faces = float(np.mean(alphas)) if alphas else None
    return (
        f"All 25 cells, as described, give {number(found['mean.cells'])}. The authors' script, as published, "
        f"compares only the five face cells, which gives {number(faces)}."
    )


def _variance(frame: RatingsFrame, skipped: Sequence[SkippedTerm]) -> str:
    scores = frame.parts("generator", frame.scores).get(BEST)
    if scores is None or len(scores) < 2:
        return "The project has no such generator."
    spread = number(scores.var(ddof=1))
    text = (
        f"The sample variance is {spread}, the population variance {number(scores.var())}, that of one score "
        f"per image (doubles averaged) {number(_image_means(frame).var(ddof=1))}. {_rounded_first(frame)}"
    )
    if 0 < len(skipped) <= MOST_TERMS:
        text += f" {_variance_of_readings(frame, skipped)}"
    return f"{text} Unexplained, unless {spread} was rounded up."


def _rounded_first(frame: RatingsFrame) -> str:
    groups = frame.parts("generator", frame.scores.round(1))
    if not all(other in groups for other in OTHERS):
        return ""
    told = " and ".join(_rounded_t(groups))
    return (
        f"Scores rounded to one decimal first give {number(groups[BEST].var(ddof=1))}, but then t is {told}."
    )


def _variance_of_readings(frame: RatingsFrame, skipped: Sequence[SkippedTerm]) -> str:
    """Return how many readings of the unreadable terms give 0.73 and keep both t values, as text."""
    spread = both = total = 0
    for _, scores in readings(frame, skipped):
        groups = frame.parts("generator", scores)
        total += 1
        if f"{groups[BEST].var(ddof=1):.2f}" == "0.73":
            spread += 1
            both += _rounded_t(groups) == ("−6.72", "−4.67")
    return (
        f"Of the {total} ways to read the {len(skipped)} unreadable terms (each left out, a, b or c), "
        f"{spread} give 0.73, and of those {both} keep t at −6.72 and −4.67."
    )


def _rounded_t(groups: dict[str, Floats]) -> tuple[str, ...]:
    return tuple(number(welch_test(groups[BEST], groups[other])["t"], 2) for other in OTHERS)


def _row_wise(frame: RatingsFrame) -> str:
    table = frame.annotations.groupby(["image", "generator"], observed=True)["cumulative_score"].mean()
    means = {name: table.xs(name, level="generator").to_numpy() for name in frame.labels("generator")}
    if BEST not in means or not all(other in means for other in OTHERS):
        return "The project has no such generators."
    per_image = " and ".join(number(welch_test(means[BEST], means[other])["t"], 2) for other in OTHERS)
    return (
        "Over all annotations; an image judged twice counts twice. With the image as the unit (doubles "
        f"averaged), t is {per_image}."
    )


def _image_means(frame: RatingsFrame) -> Floats:
    table = frame.annotations[frame.annotations["generator"] == BEST]
    return table.groupby("image")["cumulative_score"].mean().to_numpy()
