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
from scipy import stats

from analysis.stats.bootstrap_intervals import OFTEN_UNDEFINED, REPLICATES, SEED, UNDEFINED_SHARE
from analysis.stats.comparison.comparison import LIBRARIES
from analysis.stats.estimates import CONFIDENCE, Estimate, estimate, refused
from analysis.stats.frames import Bools, Floats, Ints
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
    """The submitted annotations of images for which one run has a suggestion: n of them, each with k items.

    Those of counts are the `ITEMS`. An item of masks is 1 where the mask is there and 0 where it is not;
    before them comes one without any value.

    `annotator` are indices into `people`, `image` ids. `seen` is the arm *with*; `drawn` whether the plan
    drew the arm. `shown_ms` and `active_ms` are NaN if unknown, `marks` the numbers of marked defects.
    `suggested`, `answered` and `adjudicated` are (n, k), NaN without a value; `by_hand` (n, k), whether the
    annotator entered it.
    """

    title: str
    of_counts: bool
    is_withdrawn: bool
    people: Sequence[str]
    annotator: Ints
    image: Ints
    seen: Bools
    drawn: Bools
    shown_ms: Floats
    active_ms: Floats
    marks: Floats
    suggested: Floats
    answered: Floats
    adjudicated: Floats
    by_hand: Bools

    @property
    def is_compared(self) -> bool:
        """Return whether some annotators saw suggestions of the run and others, by the plan, did not."""
        return not self.is_withdrawn and bool((self.drawn & ~self.seen).any())


def suggestions_tables(runs: Sequence[Answers]) -> dict[str, Any]:
    """Return the report as plain JSON values, unrounded: tables, findings and settings.

    Of a withdrawn run only the use is counted; without annotations of the arm *without*, there is no effect.
    """
    effect = [row for run in runs if run.is_compared for row in _effect(run)]
    quality = [row for run in runs if not run.is_withdrawn for row in _quality(run)]
    use = [row for run in runs for row in _use(run)]
    codes = {WRONG: "adopted", LACKING: "omitted"}
    said = [finding(codes[row[1]], "effect", place) for place, row in enumerate(effect) if row[1] in codes]
    for run in (each for each in runs if not each.is_compared):
        code = "run_withdrawn" if run.is_withdrawn else "effect_unknown"
        said.append(finding(code, "use", [row[:2] for row in use].index([run.title, ALL_ANNOTATORS])))
    overall = [place for place, row in enumerate(quality) if row[1] in (PARTS, MASKS)]
    said += [finding("right", "quality", place) for place in overall]
    tables = [table(*EFFECT, effect), table(*QUALITY, quality), table(*USE, use)]
    return {
        "tables": [made for made in tables if made["rows"]],
        "findings": said,
        "figures": [],
        "settings": {
            "annotations": sum(len(run.image) for run in runs),
            "images": len(np.unique(np.concatenate([run.image for run in runs]))),
            "confidence": CONFIDENCE,
            "seed": SEED,
            "replicates": REPLICATES,
            "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        },
    }


def _use(run: Answers) -> Iterator[Row]:
    """Yield what all annotators and each of them did with the suggestions that their page showed."""
    shown, there = run.seen & ~np.isnan(run.shown_ms), ~np.isnan(run.suggested)
    taken = there & (run.answered == run.suggested)
    changed = there & ~taken & run.by_hand
    for place, who in enumerate([ALL_ANNOTATORS, *run.people]):
        own = shown & (run.annotator == place - 1) if place else shown
        if own.any() or not place:
            items, equal, other = (int(each[own].sum()) for each in (there, taken, changed))
            seconds = _median(run.shown_ms[own]) / 1000 if own.any() else None
            yield [run.title, who, int(own.sum()), seconds, items, equal, other, items - equal - other]


def _quality(run: Answers) -> Iterator[Row]:
    """Yield how right the suggestions are, by item and by people; the unit is the number of an image."""
    images, first, code = np.unique(run.image, return_index=True, return_inverse=True)
    decided = (run.suggested - run.adjudicated)[first]
    without = run.suggested - np.where(run.seen[:, None], np.nan, run.answered)
    width = run.suggested.shape[1]
    sums, sizes = np.zeros((len(images), width, 3)), np.zeros((len(images), width, 1))
    np.add.at(sums, code, np.nan_to_num(_measured(without)))
    np.add.at(sizes, code, ~np.isnan(without)[:, :, None])
    with np.errstate(invalid="ignore"):
        found = np.where(np.isnan(decided)[:, :, None], sums / sizes, _measured(decided))
    people = run.suggested[first, 0] - found[:, 0, 2]
    bands = np.array(["" if np.isnan(each) else band_of(max(1, math.floor(each + 0.5))) for each in people])
    places = np.arange(width)
    over = [(PARTS if run.of_counts else MASKS, places > 0)]
    if run.of_counts:
        over += [(title, places == place) for place, title in enumerate(ITEMS)]
        over += [(f"Number of people: {band}", (places > 0) & (bands == band)[:, None]) for band in BANDS]
    for title, items in over:
        known = items & ~np.isnan(found[:, :, 0])
        if known.any():
            adjudicated = int((known & ~np.isnan(decided)).sum())
            equal, *further = found[known].mean(axis=0).tolist()
            further = further if run.of_counts else [None, None]
            yield [run.title, title, int(known.sum()), adjudicated, equal, *further]


def _measured(gap: Floats) -> Floats:
    """Return (…, 3): whether a suggestion is equal, whether within 1, and its error; NaN without a value."""
    return np.where(
        np.isnan(gap)[..., None], np.nan, np.stack([np.abs(gap) <= HALF, np.abs(gap) <= 1, gap], axis=-1)
    )


def _effect(run: Answers) -> Iterator[Row]:
    """Yield each measure in both arms, the number of observations, the difference, and p."""
    # Nobody adjudicates people: they are known only where all annotators agree.
    known = ~np.isnan(run.adjudicated) & (np.arange(run.suggested.shape[1]) > 0)
    right = np.abs(run.answered - run.adjudicated) <= HALF
    wrong = known & (run.suggested != run.adjudicated)
    # A mask that is wrongly suggested hides no other.
    lacking = wrong if run.of_counts else wrong & np.isnan(run.suggested)
    said, same = wrong & ~np.isnan(run.suggested), run.answered == run.suggested
    counted = np.stack([each.sum(axis=1) for each in (known & right, said & same, lacking & right)])
    of = np.stack([np.ones(len(run.image)), *(each.sum(axis=1) for each in (known, said, lacking))])
    counted = np.stack([run.marks, *counted])

    def by_arm(rows: Ints) -> Floats:
        """Return (5, 2): the median time and the shares, with and without the suggestion."""
        own = [rows[run.seen[rows] == arm] for arm in (True, False)]
        with np.errstate(invalid="ignore"):
            shares = [counted[:, each].sum(axis=1) / of[:, each].sum(axis=1) for each in own]
        return np.array([[_median(run.active_ms[each]) / 1000 for each in own], *np.transpose(shares)])

    kept = np.flatnonzero(run.drawn)
    values, gaps = by_arm(kept), _resampled(run.annotator, kept, by_arm)
    sizes = [[int(each[kept[run.seen[kept] == arm]].sum()) for arm in (True, False)] for each in (of[0], *of)]
    for place, (title, noun) in enumerate(MEASURES.items()):
        both, n = values[place], sizes[place]
        gap, p = _gap(both[0] - both[1], gaps[:, place], n, noun), None
        images = len(np.unique(run.image[run.drawn & (of[place - 1] > 0)]))
        if title in (WRONG, LACKING) and gap["value"] is not None and images == sum(n):
            hits = [round(share * size) for share, size in zip(both, n, strict=True)]
            gap = newcombe(hits[0], n[0], hits[1], n[1])
            p = float(stats.fisher_exact(np.array([hits, np.subtract(n, hits)])).pvalue)
        yield [run.title, title, *(None if np.isnan(each) else float(each) for each in both), *n, gap, p]


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
        stats.binomtest(*each).proportion_ci(CONFIDENCE, method="wilson")
        for each in ((hits, n), (others, of))
    )
    below = math.hypot(hits / n - low, other_high - others / of)
    above = math.hypot(high - hits / n, others / of - other_low)
    return estimate(gap, gap - below, gap + above, n_units=n + of, method=NEWCOMBE)
