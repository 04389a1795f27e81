"""Agreement, the same for every protocol: each measure over all annotators, by pair, and as mean of pairs.

A protocol declares a `Plan`: its measures, what only it has, and by what two annotations differ.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from analysis.stats.bootstrap_intervals import NONE, REPLICATES, SEED
from analysis.stats.estimates import CONFIDENCE, Estimate, refused
from analysis.stats.fewest_images import FEWEST
from analysis.stats.frames import AnnotationTable, Floats, Ints
from analysis.stats.generic.alphas import LIBRARY, MOST_ENTRIES, alpha_of, level_of
from analysis.stats.generic.disagreements import Differences, disagreements_table
from analysis.stats.generic.measures import COEFFICIENTS, beside_alpha
from analysis.stats.generic.precision import images_needed, over_annotators
from analysis.stats.generic.tables import Json, ResultColumn, figure, finding, table
from analysis.stats.generic.values import ValuesFrame
from analysis.stats.pairs import SharedImages, shared_images
from analysis.stats.steps import Sections, Steps
from scoring.protocol import Variable

# Pairs listed with an interval: those with the most images.
LISTED: Final = 200
# For all pairs together, so that many pairs do not take seconds each; see `MOST_ENTRIES`.
MOST_ENTRIES_OF_PAIRS: Final = 200_000_000
LIBRARIES: Final = ("numpy", "scipy", LIBRARY)
SECTIONS: Final = 6
ALPHA: Final = ResultColumn(
    "alpha",
    "Alpha",
    "estimate",
    "Krippendorff's alpha with its 95% interval over images: 1 perfect, 0 chance",
)
AGREED: Final = ResultColumn(
    "agreement",
    "Agreement",
    "estimate",
    "the measure with its 95% interval over images: Krippendorff's alpha unless the measure names another",
)
VARIABLE: Final = ResultColumn("variable", "Agreement on", meaning="what is measured")
LEVEL: Final = ResultColumn(
    "level", "Level", meaning="how alpha compares two values: the level of measurement; of alphas only"
)
IMAGES: Final = ResultColumn("images", "Images", "count", "doubly annotated images", "images")
SCALE: Final = (
    "Krippendorff's alpha: 1 is perfect agreement, 0 is chance, and below 0 annotators disagree more than by "
    "chance. By convention, values from 0.80 are reliable and values from 0.67 allow tentative conclusions."
)
FEW: Final = "Of fewer than 20 images, alpha tends to be too low."

Values = npt.NDArray[Any]
Frame = TypeVar("Frame", bound=AnnotationTable)
Further = Sequence[tuple[str, Estimate]]
"""Measures of a protocol's own: title, and estimate over all annotators."""


class Given(NamedTuple):
    """Values that annotators gave: (ratings, c), the sorted index of each one's image, and who gave it."""

    values: Values
    unit: Ints
    annotators: Ints

    def without_missing(self) -> Given:
        """Return the values that are there, of images with two or more."""
        there = ~np.isnan(self.values[:, 0])
        rows, unit = several(np.flatnonzero(there), self.unit[there])
        return Given(self.values[rows], unit, self.annotators[rows])


@dataclass(frozen=True)
class Measured:
    """A variable whose agreement is measured: its (n, c) `values`, NaN where an annotation lacks it.

    `beside` are the coefficients beside the alpha of a nominal variable. `in_pairs` are the (m, c) values of
    both annotators of each shared image, where they are not those of `values`; `doubtful` says why a pair
    with so many images has no interval. `missing` is the reason if no image has two values.
    """

    variable: Variable
    values: Values
    beside: Sequence[str] = COEFFICIENTS
    in_pairs: tuple[Values, Values] | None = None
    doubtful: Callable[[int], str] = lambda _: ""
    missing: str = ""

    def of_pair(self, shared: SharedImages, where: slice) -> Given:
        """Return the values of a pair of annotators, both of an image together."""
        if self.in_pairs is not None:
            first, second = (side[where] for side in self.in_pairs)
        else:
            first, second = (self.values[side[where]] for side in (shared.first, shared.second))
        both = np.stack([first, second], axis=1).reshape(-1, self.values.shape[1])
        unit, annotators = np.divmod(np.arange(2 * len(first)), 2)
        return Given(both, unit, annotators)


@dataclass(frozen=True)
class Plan(Generic[Frame]):
    """What a protocol compares.

    `measured` are its measures, at least one, of the annotations drawn at random and their shared images.
    `further` are measures over all annotators, `own` tables, `findings` and `figures` about these, and
    `settings` what else the methods name, `words` what to know of the measures. `differences` says by what
    annotations differ, targeted ones too; None if nobody but leads may know on which images they do.
    """

    measured: Callable[[Frame, SharedImages], Sequence[Measured]]
    differences: Callable[[Frame], Differences] | None
    further: Callable[[Frame], Further] = lambda _: ()
    own: Callable[[Frame, SharedImages], Sequence[Json]] = lambda *_: ()
    findings: Sequence[Json] = ()
    figures: Sequence[Json] = ()
    settings: Callable[[Frame], Mapping[str, Any]] = lambda _: {}
    words: str = ""

    def __call__(self, frame: Frame, steps: Steps | None = None) -> dict[str, Any]:
        """Return the agreement report of a protocol."""
        return agreement(frame, self, steps)


@dataclass(frozen=True)
class _Row:
    """A measure over all annotators; only alphas have a level and an interval for other annotators."""

    title: str
    level: str | None
    estimate: Estimate
    others: Estimate | None
    annotations: int | None


def agreement(frame: Frame, plan: Plan[Frame], steps: Steps | None = None) -> dict[str, Any]:
    """Return the agreement report as plain JSON values, unrounded: tables, findings, figures, settings.

    Targeted annotations, and images of which only some annotators saw a suggestion, appear only in the list
    of disagreements. `steps` receives the progress between sections.
    """
    every, frame = frame, frame.comparable
    section = Sections(steps, SECTIONS)
    shared = section(shared_images(frame))
    measured = section(plan.measured(frame, shared))
    pairs = section(_pairs(measured, shared, section))
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    given = [Given(item.values[rows], unit, frame.codes("annotator")[rows]) for item in measured]
    both = zip(measured, given, strict=True)
    listed = [row for item, values in both for row in _measures(item, values, pooled=True)]
    listed += [_Row(title, None, estimate, None, None) for title, estimate in plan.further(frame)]
    pooled = section(_pooled(listed, _means(pairs, len(shared.names)), plan.words))
    own = section(plan.own(frame, shared))
    everyone = shared if every is frame else shared_images(every)
    apart = section([disagreements_table(every, everyone, of(every))] if (of := plan.differences) else [])
    tables = [pooled, pairs, *own, *apart]
    filled = {made["name"] for made in tables if made["rows"]}
    headline = next((place for place, item in enumerate(measured) if item.variable.headline), 0)
    variable = measured[headline].variable
    needed = images_needed(variable, *given[headline].without_missing()[:2])
    place = [row.title for row in listed].index(variable.title)
    return {
        "tables": tables,
        "findings": [
            *_findings(listed, place, is_planned=needed is not None, pairs=len(shared.names)),
            *(code for code in plan.findings if code["table"] in filled),
        ],
        "figures": [
            figure("intervals", "agreement", "Agreement", label="variable", value="pooled"),
            figure(
                "intervals",
                "pairs",
                "Agreement by pair of annotators",
                slug="pair-alphas",
                label="annotators",
                value="agreement",
            ),
            *(figure for figure in plan.figures if figure["table"] in filled),
        ],
        "settings": {
            "annotations": len(frame),
            "images": int(unit[-1]) + 1 if len(unit) else 0,
            "annotators": len(np.unique(frame.codes("annotator")[rows])),
            "images_needed": needed,
            "confidence": CONFIDENCE,
            "seed": SEED,
            "replicates": REPLICATES,
            **plan.settings(frame),
            "versions": {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}},
        },
        **every.drawn_counts(),
    }


def _pooled(listed: Sequence[_Row], means: Mapping[str, float], words: str) -> Json:
    return table(
        "agreement",
        "All annotators",
        " ".join(filter(None, ("Each measure over all doubly annotated images.", SCALE, words))),
        (
            VARIABLE,
            LEVEL,
            ResultColumn("pooled", "All annotators", "estimate", AGREED.meaning),
            ResultColumn(
                "others",
                "Other annotators",
                "estimate",
                "alpha with its 95% interval if other annotators like these annotated other images",
            ),
            ResultColumn(
                "mean_of_pairs",
                "Mean of pairs",
                "number",
                "unweighted mean of the pairs' values, as published; empty where not all pairs are listed",
            ),
            IMAGES,
            ResultColumn("annotators", "Annotators", "count", "annotators of these images"),
            ResultColumn("annotations", "Annotations", "count", "annotations of these images", "annotations"),
        ),
        (
            [
                row.title,
                row.level,
                row.estimate,
                row.others,
                means.get(row.title),
                row.estimate["n_units"],
                row.estimate["n_coders"],
                row.annotations,
            ]
            for row in listed
        ),
    )


def _findings(listed: Sequence[_Row], headline: int, *, is_planned: bool, pairs: int) -> list[Json]:
    """Return the findings about all annotators and pairs, the headline's first."""
    about = ["headline_alpha"]
    if listed[headline].estimate["low"] is not None:
        about.append("other_annotators")
    findings = [finding(code, "agreement", headline) for code in about]
    findings += [finding("alpha", "agreement", row) for row in range(len(listed)) if row != headline]
    if is_planned:
        findings.append(finding("images_needed", "agreement", headline))
    return [*findings, finding("pair_range", "agreement", headline)] if pairs > 1 else findings


def _measures(
    measured: Measured,
    given: Given,
    *,
    pooled: bool = False,
    most: int = MOST_ENTRIES,
) -> Iterator[_Row]:
    """Yield the alpha of these values, if `pooled` for other annotators too, and what stands beside it."""
    variable, level = measured.variable, level_of(measured.variable)
    kept = given.without_missing() if variable.optional else given
    if measured.missing and len(given.unit) and not len(kept.unit):
        nothing = refused(measured.missing, method=NONE)
        yield _Row(variable.title, level, nothing, nothing if pooled else None, 0)
        return
    values, unit, n_annotators = kept.values, kept.unit, len(np.unique(kept.annotators))
    alpha: Estimate = alpha_of(values, unit, variable, n_annotators, most=most)
    others = over_annotators(alpha["value"], variable, *kept) if pooled else None
    images = alpha["n_units"]
    if not pooled and images >= FEWEST and (reason := measured.doubtful(images)):
        words = f"{images} images: {reason}"
        alpha = refused(words, value=alpha["value"], n_units=images, n_coders=n_annotators, method=NONE)
    yield _Row(variable.title, level, alpha, others, len(values))
    if level == "nominal" and measured.beside:
        beside = beside_alpha(values, unit, variable, n_annotators)
        for name in measured.beside:
            if name in beside:
                yield _Row(f"{variable.title}: {name}", None, beside[name], None, len(values))


def several(rows: Ints, keys: Ints) -> tuple[Ints, Ints]:
    """Return the rows of units (sorted keys) with two or more rows, and their units as 0, 1, …."""
    units, n = np.unique(keys, return_inverse=True, return_counts=True)[1:]
    kept = n[units] >= 2
    return rows[kept], np.unique(units[kept], return_inverse=True)[1]


def shared_rows(frame: AnnotationTable, rows: Ints) -> tuple[Ints, Ints]:
    """Return the sorted rows whose image has two or more of them, and their images as 0, 1, …."""
    return several(rows, frame.image_codes[rows])


def _pairs(measured: Sequence[Measured], shared: SharedImages, section: Sections) -> Json:
    listed = np.sort(np.argsort(-shared.sizes, kind="stable")[:LISTED]).tolist()
    most = min(MOST_ENTRIES, MOST_ENTRIES_OF_PAIRS // max(len(listed) * len(measured), 1))
    slices, rows = shared.slices, []
    for done, place in enumerate(listed):
        section.within(done, len(listed))
        where = slices[place]
        # As separate texts, so that pseudonyms replace each of them.
        names, images = list(shared.names[place]), where.stop - where.start
        rows += [
            [names, row.title, row.estimate, images]
            for item in measured
            for row in _measures(item, item.of_pair(shared, where), most=most)
        ]
    left_out = len(shared.names) - len(listed)
    rest = f" {left_out:,} pairs that share fewer images are not listed." if left_out else ""
    return table(
        "pairs",
        "Pair by pair",
        f"Each pair of annotators over the images they share. {FEW}{rest}",
        (ResultColumn("annotators", "Annotators"), VARIABLE, AGREED, IMAGES),
        rows,
    )


def _means(pairs: Json, known: int) -> dict[str, float]:
    """Return the mean of the pairs' values by measure; empty where not all `known` pairs are listed."""
    values: dict[str, list[float]] = {}
    for _, title, estimate, _ in pairs["rows"] if known <= LISTED else ():
        if estimate["value"] is not None:
            values.setdefault(title, []).append(estimate["value"])
    return {title: math.fsum(numbers) / len(numbers) for title, numbers in values.items()}


def _variables(frame: ValuesFrame, _: SharedImages) -> list[Measured]:
    return [Measured(variable, frame.values[variable.name]) for variable in frame.protocol.variables]


def _by_values(frame: ValuesFrame) -> Differences:
    """Return by what annotations differ: all components, then the headline."""
    parts: list[Floats] = [frame.values[variable.name] for variable in frame.componentwise]
    counted = np.concatenate(parts, axis=1) if parts else np.zeros((len(frame), 0))
    return Differences(
        headline=frame.headline,
        title=frame.protocol.headline.title,
        components=[name for variable in frame.componentwise for name in variable.components],
        counted=counted,
        texts=lambda row: [f"{value:g}" for value in counted[row].tolist()],
    )


agreement_of_values: Final[Plan[ValuesFrame]] = Plan(measured=_variables, differences=_by_values)
"""The plan of a protocol that has no other measures than its variables."""
