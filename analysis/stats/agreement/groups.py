"""Agreement within each generator, prompt, batch, …: alphas over the group's images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np

from analysis.stats.agreement.alpha import ALL_EQUAL
from analysis.stats.agreement.point_estimates import Point, point_alphas
from analysis.stats.agreement.values import FEWEST_FOR_LENIENCY, Values, units_of
from analysis.stats.agreement.variables import (
    ADJUSTED,
    COMPUTED,
    RATINGS,
    Variable,
    alphas,
)
from analysis.stats.bands import FEWEST_FOR_BANDS, caution
from analysis.stats.bootstrap_intervals import FEWEST, NONE, estimated, too_few
from analysis.stats.estimates import AlphaEstimate, CautionedAlpha, Estimate, refused
from analysis.stats.frames import Floats, Ints, RatingsFrame

LISTED: Final = 200
QUARTERS: Final = 4
NO_TIMES: Final = "imported annotations have no timestamps"
NO_BANDS: Final = f"no image has two annotators with {FEWEST_FOR_BANDS} scores"
NO_SPREAD: Final = f"no annotator has {FEWEST_FOR_LENIENCY} scores that differ"

Estimates = Mapping[str, AlphaEstimate]
Groups = dict[str, Any]


def all_alphas(sums: Floats, points: Mapping[Variable, Point], n_coders: int) -> Estimates:
    """Return the alphas of `COMPUTED` with intervals, from (images, COLUMNS) sums and point estimates."""
    images = {name: int((sums[:, columns] > 0).any(axis=1).sum()) for name, columns in RATINGS.items()}
    reasons = {name: ALL_EQUAL if images.get(name, 1) else NO_BANDS for name in COMPUTED}
    reasons[ADJUSTED] = NO_SPREAD
    values = [points[name].value for name in COMPUTED]
    estimates = estimated(
        sums, alphas, n_coders=n_coders, undefined=[*reasons.values()], values=values, highest=1.0
    )
    found = dict(zip(COMPUTED, estimates, strict=True))
    for name, count in images.items():
        if 0 < count < FEWEST <= len(sums):
            found[name] = refused(too_few(count), n_coders=n_coders, method=NONE)
        found[name]["n_units"] = count
    return {name: with_computed_by(found[name], points[name]) for name in COMPUTED}


def with_cautions(found: Estimates, shared: Ints, every: Ints) -> Estimates:
    """Return the alphas with cautions; `shared` and `every` are how many scores the bands are cut from."""
    for name, sizes in (("overall_severity", shared), ("overall_severity_all_images", every)):
        few = caution(int(sizes[sizes >= FEWEST_FOR_BANDS].min(initial=1 << 60)))
        if few and found[name]["value"] is not None:
            found = {**found, name: CautionedAlpha(**found[name], caution=few)}
    return found


def with_computed_by(found: Estimate, point: Point) -> AlphaEstimate:
    """Return the estimate of an alpha with what computed its value."""
    return {**found, "computed_by": None if found["value"] is None else point.computed_by}


def by_column(frame: RatingsFrame, judged: Values, column: str) -> Groups:
    """Return alphas within each value of a column: the `LISTED` values with the most images, sorted.

    An annotation counts within its own value, so an image in two batches counts in each where two annotators
    judged it.
    """
    rows = np.flatnonzero(judged.pairable)
    codes = frame.codes(column)[rows]
    order = np.lexsort((frame.image_codes[rows], codes))
    rows, codes = rows[order], codes[order]
    rows, units = several(rows, codes * (int(frame.image_codes.max(initial=0)) + 1) + frame.image_codes[rows])
    codes = frame.codes(column)[rows]
    labels = frame.labels(column)
    images = np.bincount(codes[np.diff(units, prepend=-1) > 0], minlength=len(labels))
    largest = np.sort(np.argsort(-images, kind="stable")[:LISTED])
    listed = [
        {"name": labels[code], **_entry(judged, *_within(rows, units, codes, int(code)))} for code in largest
    ]
    return {"rows": listed, "left_out": max(len(labels) - LISTED, 0), "refused": None}


def several(rows: Ints, keys: Ints) -> tuple[Ints, Ints]:
    """Return the rows of units (sorted keys) with two or more rows, and their units as 0, 1, …."""
    units, n = np.unique(keys, return_inverse=True, return_counts=True)[1:]
    kept = n[units] >= 2
    return rows[kept], np.unique(units[kept], return_inverse=True)[1]


def _within(rows: Ints, units: Ints, codes: Ints, code: int) -> tuple[Ints, Ints]:
    start, end = np.searchsorted(codes, [code, code + 1])
    return rows[start:end], units[start:end] - (units[start] if end > start else 0)


def _entry(judged: Values, rows: Ints, units: Ints) -> dict[str, Any]:
    n_coders = len(np.unique(judged.annotators[rows]))
    of = units_of(judged, rows, units)
    found = all_alphas(of.sums, point_alphas(of), n_coders)
    return {
        "images": len(of.sums),
        **with_cautions(found, judged.shared_sizes[rows], judged.all_sizes[rows]),
    }


def by_quarter(frame: RatingsFrame, judged: Values) -> Groups:
    """Return alphas in quarters with equally many images, ordered by their last annotation.

    Equal numbers keep the intervals comparable, unlike months. Images with imported annotations have no
    time and are left out.
    """
    rows = np.flatnonzero(judged.pairable)
    rows, units = several(rows, frame.image_codes[rows])
    moments = frame.annotations["submitted"].to_numpy()[rows]
    starts = np.flatnonzero(np.diff(units, prepend=-1))
    last = np.maximum.reduceat(moments, starts) if len(rows) else moments
    known = np.minimum.reduceat(moments, starts) >= 0 if len(rows) else moments >= 0
    if not known.any():
        return {"rows": [], "left_out": 0, "refused": NO_TIMES if len(rows) else too_few(0)}
    if known.sum() < QUARTERS * FEWEST:
        return {"rows": [], "left_out": 0, "refused": too_few(int(known.sum()))}
    places = np.flatnonzero(known)[np.argsort(last[known], kind="stable")]
    parts = [_part(judged, rows, units, np.sort(part), last) for part in np.array_split(places, QUARTERS)]
    return {"rows": _numbered(parts), "left_out": int((~known).sum()), "refused": None}


def _part(judged: Values, rows: Ints, units: Ints, part: Ints, last: Ints) -> dict[str, Any]:
    inside = np.zeros(len(last), dtype=np.bool_)
    inside[part] = True
    chosen = inside[units]
    entry = _entry(judged, rows[chosen], np.unique(units[chosen], return_inverse=True)[1])
    return {"from": moment(int(last[part].min())), "to": moment(int(last[part].max())), **entry}


def _numbered(parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": str(number), **part} for number, part in enumerate(parts, start=1)]


def moment(microseconds: int) -> str:
    """Return a time as text in UTC, to the second."""
    since = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    return since.strftime("%Y-%m-%dT%H:%M:%SZ")
