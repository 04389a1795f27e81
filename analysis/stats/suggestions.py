"""What suggestions do to annotations: how they are used, how right they are, and what they change.

The difference of two shares of independent images has Newcombe's interval (R. G. Newcombe, "Interval
estimation for the difference between independent proportions", Statistics in Medicine 17 (1998) 873-890,
method 10) and the p value of Fisher's exact test. Where an image gives several observations, annotations are
resampled within annotators instead, without p.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy import stats

from analysis.stats.bootstrap_intervals import OFTEN_UNDEFINED, REPLICATES, SEED, UNDEFINED_SHARE
from analysis.stats.comparison.comparison import LIBRARIES
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Floats, Ints
from analysis.stats.generic.tables import ALL_ANNOTATORS, ResultColumn, Row, finding, table
from scoring.grid.taxonomy import BODY_PART_TITLES
from scoring.people import BANDS, band_of

HALF: Final = 0.5
"""Counts are equal, and a corrected mask is there, within it."""
FEWEST: Final = 20
"""Observations in each arm below which nothing is said of the difference."""
NEWCOMBE: Final = "Newcombe's hybrid score"
RESAMPLED: Final = "bootstrap over images within annotators"
ITEMS: Final = ("People", *BODY_PART_TITLES.values())
"""What a run of counts may suggest of an image, in the order of the columns of `Answers`."""
PARTS, MASKS = "All parts", "All masks"
WRONG, LACKING = "Wrong suggestions taken over", "What suggestions lack"
MEASURES: Final = {
    "Median active time (s)": "annotations",
    "Defects marked": "annotations",
    "Equal to the decided value": "decided values",
    WRONG: "wrong suggestions",
    LACKING: "values that are lacking",
}
"""What is compared between the arms, and of what there must be enough."""
RUN: Final = ResultColumn("run", "Suggestions", meaning="source and version of the run")
ANNOTATION: Final = ("annotator", "image", "seen", "drawn", "shown_ms", "active_ms", "marks")
ITEM: Final = ("place", "item", "suggested", "answered", "decided", "by_hand")
EFFECT: Final = (
    "effect",
    "Effect",
    "Annotations with the suggestion against those without, as the plan drew them. Annotators who see no "
    "suggestion also enter some wrong numbers that it has and true ones that it lacks, so the effect is "
    "the difference.",
    (
        RUN,
        ResultColumn("measure", "Measure"),
        ResultColumn("with", "With", "number"),
        ResultColumn("without", "Without", "number"),
        ResultColumn("n_with", "Number with", "count", "annotations, or items in them"),
        ResultColumn("n_without", "Number without", "count", "annotations, or items in them"),
        ResultColumn("difference", "With − without", "estimate", "with its 95% interval"),
        ResultColumn("p", "p", "p", "Fisher's exact test; none where an image gives several items"),
    ),
)
QUALITY: Final = (
    "quality",
    "Quality",
    "How far suggestions are from adjudicated values; where there is none, from the annotations made "
    "without them, averaged by image.",
    (
        RUN,
        ResultColumn("over", "Over"),
        ResultColumn("numbers", "Items", "count", "suggested ones with a value to compare"),
        ResultColumn("adjudicated", "Adjudicated", "count", "of these, with an adjudicated value"),
        ResultColumn("equal", "Equal", "share"),
        ResultColumn("within", "Within 1", "share"),
        ResultColumn("error", "Mean error", "number", "suggested minus true"),
    ),
)
USE: Final = (
    "use",
    "Use",
    "What annotators did with the suggestions that their page showed. Taken over: the annotation has the "
    "suggested number, however it got there.",
    (
        RUN,
        ResultColumn("annotator", "Annotator"),
        ResultColumn("shown", "Shown", "count", "submitted annotations whose page showed a suggestion"),
        ResultColumn("seconds", "Time shown (s)", "number", "median, while the page was visible", "s"),
        ResultColumn("items", "Items", "count", "numbers or masks suggested in them"),
        ResultColumn("taken", "Taken over", "count", "the annotation has the suggested one"),
        ResultColumn("changed", "Changed", "count", "the annotator entered another"),
        ResultColumn("ignored", "Ignored", "count", "the annotator entered none"),
    ),
)


@dataclass(frozen=True)
class Answers:
    """The submitted annotations of images for which one run has a suggestion.

    `annotations` has the columns `ANNOTATION`: whether the arm is *with* (`seen`) and the plan has drawn it
    (`drawn`), times or none, and the number of marked defects (`marks`). `items` has the columns `ITEM`: the
    place of the annotation, a number in `ITEMS` or, of masks, from 1 on, its values (a mask has 1 where it is
    there, else 0) or NaN, and whether the annotator entered it.
    """

    title: str
    of_counts: bool
    is_withdrawn: bool
    annotations: pd.DataFrame
    items: pd.DataFrame

    @property
    def is_compared(self) -> bool:
        """Return whether some annotators saw suggestions of the run and others, by the plan, did not."""
        return not self.is_withdrawn and bool((self.annotations["drawn"] & ~self.annotations["seen"]).any())


def suggestions_tables(runs: Sequence[Answers]) -> dict[str, Any]:
    """Return the report as plain JSON values, unrounded: tables, findings and settings.

    Of a withdrawn run only the use is counted; without annotations of the arm *without*, there is no effect.
    """
    effect = [row for run in runs if run.is_compared for row in _effect(run)]
    quality = [row for run in runs if not run.is_withdrawn for row in _quality(run)]
    use = [row for run in runs for row in _use(run)]
    codes = {WRONG: "adopted", LACKING: "omitted"}
    said = [finding(codes[row[1]], "effect", place) for place, row in enumerate(effect) if row[1] in codes]
    for run in (run_left for run_left in runs if not run_left.is_compared):
        code = "run_withdrawn" if run.is_withdrawn else "effect_unknown"
        said.append(finding(code, "use", [row[:2] for row in use].index([run.title, ALL_ANNOTATORS])))
    said += [finding("right", "quality", at) for at, row in enumerate(quality) if row[1] in (PARTS, MASKS)]
    tables = [table(*EFFECT, effect), table(*QUALITY, quality), table(*USE, use)]
    return {
        "tables": [made for made in tables if made["rows"]],
        "findings": said,
        "figures": [],
        "settings": {
            "annotations": sum(len(run.annotations) for run in runs),
            "images": len(set().union(*(run.annotations["image"] for run in runs))),
            "confidence": CONFIDENCE,
            "seed": SEED,
            "replicates": REPLICATES,
            "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        },
    }


def _use(run: Answers) -> Iterator[Row]:
    """Yield what all annotators and each of them did with the suggestions that their page showed."""
    there = run.items[run.items["suggested"].notna()]
    taken = there["answered"] == there["suggested"]
    became = pd.DataFrame({"items": 1, "taken": taken, "changed": ~taken & there["by_hand"]})
    shown = run.annotations[run.annotations["seen"] & run.annotations["shown_ms"].notna()]
    shown = shown.join(became.groupby(there["place"]).sum())
    for who, own in [(ALL_ANNOTATORS, shown), *shown.groupby("annotator")]:
        items, equal, other = own[["items", "taken", "changed"]].sum().astype(int).tolist()
        seconds = own["shown_ms"].median() / 1000 if len(own) else None
        yield [run.title, who, len(own), seconds, items, equal, other, items - equal - other]


def _quality(run: Answers) -> Iterator[Row]:
    """Yield how right the suggestions are, by item and by people; the unit is the number of an image."""
    items = run.items.join(run.annotations[["image", "seen"]], on="place")
    true = items["decided"].fillna(items["answered"].mask(items["seen"]))
    gap = items["suggested"] - true
    measured = {"equal": gap.abs() <= HALF, "within": gap.abs() <= 1, "error": gap}
    numbers = pd.DataFrame({**measured, "true": true, "adjudicated": items["decided"].notna()})
    means = numbers[gap.notna()].groupby([items["image"], items["item"]]).mean().reset_index()
    people = means[means["item"] == 0].set_index("image")["true"]
    bands = means["image"].map(
        people.map(lambda person_count: band_of(max(1, math.floor(person_count + HALF))))
    )
    over = [(PARTS if run.of_counts else MASKS, means["item"] > 0)]
    if run.of_counts:
        over += [(title, means["item"] == place) for place, title in enumerate(ITEMS)]
        over += [(f"Number of people: {band}", (means["item"] > 0) & (bands == band)) for band in BANDS]
    for title, chosen in over:
        if len(own := means[chosen]):
            equal, *further = own[["equal", "within", "error"]].mean().tolist()
            further = further if run.of_counts else [None, None]
            yield [run.title, title, len(own), int(own["adjudicated"].sum()), equal, *further]


def _effect(run: Answers) -> Iterator[Row]:
    """Yield each measure in both arms, the number of observations, the difference, and p."""
    # Nobody adjudicates people: they are known only where all annotators agree.
    items = run.items[run.items["item"] > 0]
    known, same = items["decided"].notna(), items["answered"] == items["suggested"]
    right = (items["answered"] - items["decided"]).abs() <= HALF
    wrong = known & (items["suggested"] != items["decided"])
    # A mask that is wrongly suggested hides no other.
    lacking = wrong if run.of_counts else wrong & items["suggested"].isna()
    said = wrong & items["suggested"].notna()
    columns = (right, said & same, lacking & right, known, said, lacking)
    sums = [np.bincount(items["place"], column, minlength=len(run.annotations)) for column in columns]
    seen, drawn, images = (run.annotations[name].to_numpy() for name in ("seen", "drawn", "image"))
    counted = np.stack([run.annotations["marks"], *sums[:3]])
    of = np.stack([np.ones(len(seen)), *sums[3:]])
    active_ms = run.annotations["active_ms"].to_numpy(np.float64)

    def by_arm(rows: Ints) -> Floats:
        """Return (5, 2): the median time and the shares, with and without the suggestion."""
        own = [rows[seen[rows] == arm] for arm in (True, False)]
        with np.errstate(invalid="ignore"):
            shares = [counted[:, arm_rows].sum(axis=1) / of[:, arm_rows].sum(axis=1) for arm_rows in own]
        return np.array([[_median(active_ms[arm_rows]) / 1000 for arm_rows in own], *np.transpose(shares)])

    kept = np.flatnonzero(drawn)
    annotator = np.unique(run.annotations["annotator"], return_inverse=True)[1]
    values, gaps = by_arm(kept), _resampled(annotator, kept, by_arm)
    sizes = [
        [int(weights[kept[seen[kept] == arm]].sum()) for arm in (True, False)] for weights in (of[0], *of)
    ]
    for place, (title, noun) in enumerate(MEASURES.items()):
        both, n = values[place], sizes[place]
        gap, p = _gap(both[0] - both[1], gaps[:, place], n, noun), None
        alone = len(np.unique(images[drawn & (of[place - 1] > 0)])) == sum(n)
        if title in (WRONG, LACKING) and gap["value"] is not None and alone:
            hits = [round(share * size) for share, size in zip(both, n, strict=True)]
            gap = newcombe(hits[0], n[0], hits[1], n[1])
            p = float(stats.fisher_exact(np.array([hits, np.subtract(n, hits)])).pvalue)
        yield [run.title, title, *(None if np.isnan(share) else float(share) for share in both), *n, gap, p]


def _median(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return float(np.median(there)) if len(there) else math.nan


def _resampled(annotator: Ints, kept: Ints, by_arm: Callable[[Ints], Floats]) -> Floats:
    """Return (REPLICATES, 5) differences; each resample draws as many annotations of every annotator."""
    ordered = kept[np.argsort(annotator[kept], kind="stable")]
    _, start, size = np.unique(annotator[ordered], return_index=True, return_counts=True)
    begin, of = np.repeat(start, size), np.repeat(size, size)
    rng = np.random.default_rng([SEED, len(ordered)])
    draws = (ordered[begin + (rng.random(len(of)) * of).astype(np.int64)] for _ in range(REPLICATES))
    return np.array([both[:, 0] - both[:, 1] for both in map(by_arm, draws)])


def _gap(value: float, resampled: Floats, sizes: Sequence[int], noun: str) -> Estimate:
    """Return a difference with the interval of its resamples, or why arms of these sizes have none."""
    about: dict[str, Any] = {"n_units": sum(sizes), "method": RESAMPLED}
    short = [(size, arm) for size, arm in zip(sizes, ("with", "without"), strict=True) if size < FEWEST]
    if short:
        return refused(f"too few: {short[-1][0]} of {FEWEST} {noun} {short[-1][1]}", **about)
    known = resampled[~np.isnan(resampled)]
    if np.isnan(value) or len(known) < (1 - UNDEFINED_SHARE) * len(resampled):
        why = "no time is known" if np.isnan(value) else OFTEN_UNDEFINED
        return refused(why, value=None if np.isnan(value) else value, **about)
    return estimate(
        value, *np.quantile(known, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2)).tolist(), **about
    )


def newcombe(hits: int, n: int, others: int, of: int) -> Estimate:
    """Return hits / n − others / of with Newcombe's interval."""
    gap = hits / n - others / of
    (low, high), (other_low, other_high) = (
        stats.binomtest(*counts).proportion_ci(CONFIDENCE, method="wilson")
        for counts in ((hits, n), (others, of))
    )
    below = math.hypot(hits / n - low, other_high - others / of)
    above = math.hypot(high - hits / n, others / of - other_low)
    return estimate(gap, gap - below, gap + above, n_units=n + of, method=NEWCOMBE)
