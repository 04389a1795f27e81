"""The ranking report: generators in order, their differences, and how sure their ranks are.

The unit is the prompt: a generator's images of a prompt are averaged, then its prompts, each with equal
weight. Intervals are Student's over prompts. Differences are paired over the prompts that both generators
have ("Student", "The probable error of a mean", Biometrika 6 (1908) 1-25), with Holm's correction and joint
intervals (O. J. Dunn, "Multiple comparisons among means", JASA 56 (1961) 52-64).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from analysis.stats.comparison.blocked import over_prompts
from analysis.stats.comparison.generators import corrected
from analysis.stats.estimates import Estimate
from analysis.stats.generic.comparison import possible
from analysis.stats.generic.tables import Json, ResultColumn, figure, finding, table
from analysis.stats.means import ONE_IMAGE, grouped, mean_estimates
from analysis.stats.ranking.outside import OutsideMetric, outside_table
from analysis.stats.ranking.ranks import Ranks, ranks_of
from analysis.stats.ranking.scored import ScoredImages
from analysis.stats.steps import Sections, Steps

ONE_PROMPT: Final = "fewer than 2 prompts"
# Beyond these, ranks share the last column of the table.
MOST_RANKS: Final = 12
SECTIONS: Final = 3


def ranking(
    images: ScoredImages, steps: Steps | None = None, metrics: Sequence[OutsideMetric] = ()
) -> dict[str, Any]:
    """Return the ranking report: `tables`, `findings`, `figures`, and `ranking` with what it rests on.

    Outside metrics are in a table of their own.
    """
    section = Sections(steps, SECTIONS)
    estimates = section(_means(images))
    ranks = section(ranks_of(images.means, higher_is_better=images.higher_is_better))
    tests = section(_tests(images))
    sign = -1 if images.higher_is_better else 1
    order = sorted(range(len(estimates)), key=lambda i: (sign * (estimates[i]["value"] or 0.0), i))
    notes = list(_notes(images))
    tables = [
        _generators(images, estimates, ranks, order),
        _differences(tests),
        *([_shares(images, ranks, order)] if ranks else []),
        *([_design(notes)] if notes else []),
        *([outside_table(images, metrics)] if metrics else []),
    ]
    return {
        "ranking": {
            "title": images.title,
            "higher_is_better": images.higher_is_better,
            "prompts": len(images.prompts),
            "images": len(images.scores),
            "resamples": ranks.resamples if ranks else 0,
            "drawn": ranks.drawn if ranks else 0,
            "exact": ranks.exact if ranks else False,
        },
        "tables": tables,
        "findings": [
            *(finding("design", "design", row) for row in range(len(notes))),
            *(finding("apart", "generator_comparisons", row) for row in range(len(tests))),
        ],
        "figures": [figure("intervals", "generators", "Generators", label="generator", value="mean")],
    }


def _means(images: ScoredImages) -> list[Estimate]:
    """Return each generator's mean over its prompts with Student's interval."""
    which, prompt = np.nonzero(images.counts)
    found = grouped(images.means[which, prompt], which, len(images.generators))
    made = mean_estimates(found, images.coders, images.range)
    return [
        Estimate(**{**one, "refused": ONE_PROMPT}) if one["refused"] == ONE_IMAGE else one for one in made
    ]


def _tests(images: ScoredImages) -> list[dict[str, Any]]:
    tests = [
        {
            "a": images.generators[i],
            "b": images.generators[j],
            **over_prompts(images.means[i] - images.means[j]),
        }
        for i, j in combinations(range(len(images.generators)), 2)
    ]
    return [possible(test, images.range) for test in corrected(tests)]


def _generators(
    images: ScoredImages, estimates: list[Estimate], ranks: Ranks | None, order: list[int]
) -> Json:
    better = "Higher" if images.higher_is_better else "Lower"
    return table(
        "generators",
        "Generators",
        f"{images.title}: mean over a generator's images of a prompt, then over prompts. {better} is better. "
        "95% interval over prompts; 95% of ranks in resamples of prompts.",
        (
            ResultColumn("generator", "Generator"),
            ResultColumn("prompts", "Prompts", "count"),
            ResultColumn("images", "Images", "count"),
            ResultColumn("mean", "Mean", "estimate", "mean over prompts"),
            ResultColumn("rank_from", "Rank from", "count", "best rank of the middle 95% of resamples"),
            ResultColumn("rank_to", "to", "count", "worst rank of the middle 95% of resamples"),
        ),
        (
            [
                images.generators[i],
                int((images.counts[i] > 0).sum()),
                int(images.counts[i].sum()),
                estimates[i],
                int(ranks.low[i]) if ranks else None,
                int(ranks.high[i]) if ranks else None,
            ]
            for i in order
        ),
    )


def _differences(tests: list[dict[str, Any]]) -> Json:
    tested = ("t", "df", "p", "p_holm", "simultaneous")
    keys = ("a", "b", "difference", "prompts_shared", "a_lower", "b_lower", *tested)
    return table(
        "generator_comparisons",
        "Differences",
        "Every two generators, paired over the prompts that both have: Student's t with Holm's correction.",
        (
            ResultColumn("a", "A"),
            ResultColumn("b", "B"),
            ResultColumn("difference", "A − B", "estimate", "mean difference over common prompts"),
            ResultColumn("prompts_shared", "Prompts", "count", "that both have"),
            ResultColumn("a_lower", "A lower", "count", "prompts on which A has the lower mean"),
            ResultColumn("b_lower", "B lower", "count", "prompts on which B has the lower mean"),
            ResultColumn("t", "t", "number"),
            ResultColumn("df", "df", "number", "degrees of freedom"),
            ResultColumn("p", "p", "p", "two-sided"),
            ResultColumn("p_holm", "p (Holm)", "p", "corrected for the number of tests in this table"),
            ResultColumn("simultaneous", "Joint", "estimate", "interval that holds for all pairs together"),
        ),
        ([test[key] for key in keys] for test in tests),
    )


def _shares(images: ScoredImages, ranks: Ranks, order: list[int]) -> Json:
    shown = min(len(order), MOST_RANKS)
    further = len(order) > shown
    how = (
        f"all {ranks.drawn:,} resamples of the prompts"
        if ranks.exact
        else f"{ranks.drawn:,} seeded resamples of the prompts"
    )
    left_out = ranks.drawn - ranks.resamples
    missing = f" {left_out:,} resamples without a prompt of some generator are left out." if left_out else ""
    return table(
        "ranks",
        "Ranks",
        f"How often each generator has each rank, over {how}. Equal means share the better rank.{missing}",
        (
            ResultColumn("generator", "Generator"),
            *(ResultColumn(f"rank {place + 1}", f"Rank {place + 1}", "share") for place in range(shown)),
            *([ResultColumn("further", f"Below {shown}", "share")] if further else []),
        ),
        (
            [
                images.generators[i],
                *ranks.shares[i, :shown].tolist(),
                *([float(ranks.shares[i, shown:].sum())] if further else []),
            ]
            for i in order
        ),
    )


def _design(notes: list[str]) -> Json:
    return table(
        "design",
        "Design",
        "What to consider before ranking.",
        (ResultColumn("note", "Note"),),
        [[note] for note in notes],
    )


def _notes(images: ScoredImages) -> Iterator[str]:
    """Yield what makes generators less comparable: different prompts, or different numbers of images."""
    has = images.counts > 0
    common = int(has.all(axis=0).sum())
    if common < len(images.prompts):
        fewest, most = has.sum(axis=1).min(), has.sum(axis=1).max()
        yield (
            f"Generators have different prompts: {common:,} of {len(images.prompts):,} are common to all. "
            "Means and ranks are over each generator's own prompts, so they may differ because prompts do; "
            f"differences are over common prompts. Prompts of a generator: {fewest:,} to {most:,}."
        )
    drawn = images.counts[has]
    if len(drawn) and drawn.min() < drawn.max():
        yield (
            f"Generators or prompts have different numbers of images: {drawn.min():,} to {drawn.max():,} for "
            "a prompt. Prompts still count equally."
        )
    if "" in images.prompts:
        count = int(images.counts[:, images.prompts.index("")].sum())
        yield f"{count:,} images have no prompt. Together they count as one prompt."
