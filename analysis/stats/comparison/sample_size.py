"""How many images or prompts a difference between two generators needs.

n images per generator find a difference d with 80% probability if Student's t test at the two-sided level
0.05 has that power: the noncentral t of J. Cohen, "Statistical Power Analysis for the Behavioral Sciences"
(1988), chapter 2, as in R's power.t.test. The variance is the mean over generators; its uncertainty, from
fourth moments, is that of the answer. For other prompts, the prompt is the unit: the paired test over
prompts, with the variance 2 (generator and prompt + (image + rest) / images) by the mixed model's components.
That is the variance of a difference of generators times the number of prompts, so its uncertainty is the
chi-square of Satterthwaite's degrees of freedom of that difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from scipy import optimize, stats

from analysis.stats.estimates import CONFIDENCE
from analysis.stats.images import ImageTable
from analysis.stats.means import SAME, grouped

DIFFERENCES: Final = (0.25, 0.5, 0.75, 1.0)
POWER: Final = 0.8
LEVEL: Final = 0.05
MOST: Final = 1e7


def needed(standardised: float, *, paired: bool = False) -> float:
    """Return the size of each sample for a difference in standard deviations, not rounded.

    A difference found with the wrong sign does not count. `paired`: the number of pairs, for a difference in
    standard deviations of differences.
    """

    def lacking(n: float) -> float:
        df = n - 1 if paired else 2 * (n - 1)
        shift = standardised * math.sqrt(n if paired else n / 2)
        critical = stats.t.isf(LEVEL / 2, df)
        found = float(stats.nct.sf(critical, df, shift))
        # Undefined where it is 1 to all digits.
        return (1.0 if math.isnan(found) else found) - POWER

    if lacking(2) >= 0:
        return 2.0
    # Where the normal approximation suffices, noncentral t only costs digits.
    z = float(stats.norm.isf(LEVEL / 2) + stats.norm.ppf(POWER))
    rough = (1 if paired else 2) * (z / standardised) ** 2
    if rough > 5_000:
        return rough
    return float(optimize.brentq(lacking, 2, 2 * rough + 10))


def sample_size(table: ImageTable, mixed: Mapping[str, Any]) -> dict[str, Any]:
    """Return images per generator, and prompts, for 80% power at some differences, or the reason for none.

    `low` and `high` follow from the interval of the variance. `prompts`, from `prompts_low` to
    `prompts_high`, hold if each has `images_per_prompt` of every generator, as many as now.
    """
    about: dict[str, Any] = {"power": POWER, "level": LEVEL}
    spread = _variance(table)
    if spread is None:
        reason = "fewer than 2 generators with 2 images whose scores vary"
        return {"refused": reason, **about, "standard_deviation": None, "images_per_prompt": None, "rows": []}
    variance, low, high = spread
    per_prompt, of_prompts = _of_prompts(table, mixed)
    between = _between(of_prompts, mixed)
    return {
        "refused": None,
        **about,
        "standard_deviation": math.sqrt(variance),
        "images_per_prompt": per_prompt,
        "rows": [
            {
                "difference": d,
                "images": _whole(needed(d / math.sqrt(variance))),
                "low": _whole(needed(d / math.sqrt(low))),
                "high": _whole(needed(d / math.sqrt(high))),
                "prompts": _prompts(d, of_prompts),
                "prompts_low": _prompts(d, between[0]),
                "prompts_high": _prompts(d, between[1]),
            }
            for d in DIFFERENCES
        ],
    }


def _prompts(difference: float, variance: float | None) -> int | None:
    return None if variance is None else _whole(needed(difference / math.sqrt(variance), paired=True))


def _between(variance: float | None, mixed: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Return the interval of a prompt's variance by the fewest degrees of freedom of any two generators."""
    known = [pair["df"] for pair in mixed["pairs"] if pair["df"] is not None]
    if variance is None or not known:
        return None, None
    tail, df = (1 - CONFIDENCE) / 2, min(known)
    low, high = (df * variance / float(stats.chi2.isf(p, df)) for p in (tail, 1 - tail))
    return low, high


def _whole(n: float) -> int:
    return math.ceil(min(n, MOST) - 1e-6)


def _variance(table: ImageTable) -> tuple[float, float, float] | None:
    """Return the mean variance of images within generators and its interval, on the log scale.

    Var(s²) = (m4 − s⁴ (n − 3) / (n − 1)) / n with the fourth central moment m4, which skewed scores raise.
    """
    size = len(table.frame.labels("generator"))
    codes = table.codes("generator")
    found = grouped(table.scores, codes, size)
    used = found.varies
    if used.sum() < 2:
        return None
    n, variance = found.n[used], found.variance[used]
    fourth = grouped((table.scores - found.mean[codes]) ** 4, codes, size).mean[used]
    errors = np.maximum(fourth - variance**2 * (n - 3) / np.maximum(n - 1, 1), 0) / n
    mean = float(variance.mean())
    error = math.sqrt(float(errors.sum())) / len(n) / mean
    z = float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    return mean, mean * math.exp(-z * error), mean * math.exp(z * error)


def _of_prompts(table: ImageTable, mixed: Mapping[str, Any]) -> tuple[int | None, float | None]:
    """Return images of each generator per prompt, and the variance of a prompt's difference."""
    parts = {row["name"]: row["variance"] for row in mixed["components"]}
    if "generator_prompt" not in parts:
        return None, None
    cells = np.unique(table.codes("generator") * len(table.frame.labels("prompt")) + table.codes("prompt"))
    images = max(round(len(table) / len(cells)), 1)
    doubles = float(table.coders.mean())
    within = parts.get("image", 0.0) + parts["residual"] / doubles
    variance = 2 * (parts["generator_prompt"] + within / images)
    return images, variance if variance > SAME else None
