"""One round of a norming session in numbers: agreement, agreement on each severity, spread of leniency.

Every participant judges every image, so what separates them is how they judge. The rounds have different
images: numbers of two rounds compare only with their intervals, and a change may come from the images.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from analysis.stats.bootstrap_intervals import estimated
from analysis.stats.estimates import Estimate
from analysis.stats.frames import N_CELLS, N_SEVERITIES, AnnotationTable, Floats, Ints, RatingsFrame
from analysis.stats.generic.agreement import shared_rows
from analysis.stats.generic.alphas import alpha_of
from analysis.stats.generic.values import ValuesFrame
from scoring.grid.taxonomy import SEVERITIES, SEVERITY_TITLES
from scoring.protocol import Variable

SPREAD: Final = "leniency_spread"
ONE_PERSON: Final = "fewer than two participants"

Measure = dict[str, Any]
"""`name`, `title` and the `estimate`."""


def round_measures(frame: AnnotationTable) -> list[Measure]:
    """Return the measures of a round, over images that two or more participants judged.

    Each is an estimate with a 95% interval over images, or the reason for having none: under 5 images always
    *too few*. `frame` is a RatingsFrame (anatomy) or a ValuesFrame. Alphas are Krippendorff's (see
    `analysis.stats.generic.alphas`): of every measured variable; in anatomy of the score, of the marked
    cells, and for each severity of the cells marked at it.
    """
    rows, unit = shared_rows(frame, np.arange(len(frame)))
    n_annotators = len(np.unique(frame.codes("annotator")[rows]))
    headline, measured = _measured(frame)
    measures: list[Measure] = [
        {
            "name": variable.name,
            "title": variable.title,
            "estimate": alpha_of(values[rows], unit, variable, n_annotators),
        }
        for variable, values in measured
    ]
    spread = leniency_spread(headline[rows], unit, frame.codes("annotator")[rows])
    return [*measures, {"name": SPREAD, "title": "Leniency spread", "estimate": spread}]


def leniency_spread(values: Floats, unit: Ints, annotators: Ints) -> Estimate:
    """Return how much annotators differ on average: 0 if nobody is more lenient than another.

    `values` (rows,) are headlines, `unit` (rows,) the sorted index of each row's image, `annotators` (rows,)
    the codes. Each annotator's leniency is the mean of value minus the image's mean; the spread is the sample
    standard deviation of these means, in units of the headline, with a 95% interval over images.
    """
    codes = np.unique(annotators, return_inverse=True)[1]
    people = int(codes.max(initial=-1)) + 1
    images = int(unit[-1]) + 1 if len(unit) else 0
    sums = np.zeros((images, 2 * people))
    if images:
        away = values - (np.bincount(unit, values) / np.bincount(unit))[unit]
        np.add.at(sums, (unit, codes), 1.0)
        np.add.at(sums, (unit, people + codes), away)

    def spread(totals: Floats) -> Floats:
        with np.errstate(all="ignore"):
            means = totals[..., people:] / totals[..., :people]
            ones = np.sqrt(((means - means.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1) / (people - 1))
        return np.asarray(ones)[..., None]

    (interval,) = estimated(sums, spread, n_coders=people, undefined=ONE_PERSON, lowest=0.0)
    return interval


def _measured(frame: AnnotationTable) -> tuple[Floats, list[tuple[Variable, Floats]]]:
    """Return the headline, and what to compute alpha of: variables, each with (n, components) values."""
    if isinstance(frame, ValuesFrame):
        variables = frame.protocol.variables
        return frame.headline, [(variable, frame.values[variable.name]) for variable in variables]
    assert isinstance(frame, RatingsFrame)
    measures = [
        (Variable("cumulative_score", "Cumulative score", "interval", "0 or more"), frame.scores[:, None]),
        (_yes_no("cells", "Marked cells"), frame.cells.astype(np.float64)),
    ]
    at = np.zeros((N_SEVERITIES, len(frame), N_CELLS))
    at[frame.marks.severity, frame.marks.row, frame.marks.cell] = 1.0
    for place, letter in enumerate(SEVERITIES):
        title = f"Cells marked {SEVERITY_TITLES[letter].lower()}"
        measures.append((_yes_no(f"severity_{letter}", title), at[place]))
    return frame.scores, measures


def _yes_no(name: str, title: str) -> Variable:
    return Variable(name, title, "nominal", "0 or 1", values=(0, 1))
