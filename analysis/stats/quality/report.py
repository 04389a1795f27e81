"""The quality report: a line for each annotator, and the tables behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from analysis.stats.generic.tables import Json, ResultColumn, figure, table
from analysis.stats.quality import control, habits, repeats, verdict
from analysis.stats.quality.control import Chart
from analysis.stats.quality.habits import FAST_MS, Habits, habits_of
from analysis.stats.quality.records import AnchorRecord, Person
from analysis.stats.quality.repeats import Intra, intra
from analysis.stats.quality.verdict import Reading, read_all
from scoring.protocol import Variable

POINTS: Final = 60
"""Points of each chart that the lines hold; the tables have `ROWS`."""
ROWS: Final = 200
IMAGES: Final = 3
LAST: Final = 5
WINDOWS: Final = (7, 14)
"""Days of the switch on the page."""
_DAY: Final = 86_400_000_000
PLACES: Final = 6


def quality(
    people: Sequence[Person],
    headline: Variable,
    severities: Sequence[str] = (),
    *,
    sample: int,
    fast_ms: int = FAST_MS,
    now: int | None = None,
) -> Json:
    """Return the report as plain JSON values.

    `lines` has an entry for each annotator, the worst first; numbers in `lines` and charts are rounded to six
    places. `alarms` are those to stop or to look at, without their charts, for pages that show only these.
    `severities` names those of the protocol, if it has any; `sample` is the most work looked at of each
    annotator, which only the settings tell; below `fast_ms` an annotation is fast. Windows end at the latest
    submission up to `now`, in microseconds since 1970; `ahead` counts later ones, of a wrong clock, if any.
    """
    readings = read_all(people, headline, fast_ms)
    ordered = sorted(readings, key=lambda one: (_ORDER.index(one.verdict), one.person.annotator))
    lines = [_line(reading) for reading in ordered]
    tables = [
        _anchors(readings, headline),
        _repeats(readings, headline),
        _habits(readings, severities, fast_ms),
    ]
    figures = [figure("control", "anchors", "Score minus reference", value="difference")]
    if severities:
        tables.insert(1, _steps(readings))
        figures.append(figure("control", "severity_steps", "Severity step above the reference", value="step"))
    if any(reading.intra.pairs for reading in readings):
        figures.append(figure("intervals", "repeats", "Repeats", label="annotator", value="alpha"))
    every = (at for one in people for at in _moments(one))
    until = max((at for at in every if now is None or at <= now), default=0)
    later = {one.annotator: sum(at > until for at in _moments(one)) for one in people}
    ahead = [{"annotator": who, "count": count} for who, count in sorted(later.items()) if count]
    return {
        "settings": {**_settings(fast_ms), "sample": sample, "severities": list(severities)},
        "alarms": [_alarm(line) for line in lines if line["reasons"]],
        "lines": lines,
        "windows": {str(days): _window(people, headline, days, until, fast_ms) for days in WINDOWS},
        **({"ahead": ahead} if ahead else {}),
        "tables": tables,
        "findings": [],
        "figures": figures,
    }


def _window(people: Sequence[Person], headline: Variable, days: int, until: int, fast_ms: int) -> list[Json]:
    """Return what changes in each line if only the days until a moment count."""
    since = until - days * _DAY
    found = []
    for person in people:
        own = habits_of([one for one in person.work if since < one.submitted <= until], fast_ms)
        again = intra([one for one in person.repeats if since < one.submitted <= until], headline)
        found.append({"annotator": person.annotator, **_habits_in(own), "repeats": _repeats_in(again)})
    return found


def _moments(person: Person) -> list[int]:
    return [one.submitted for records in (person.work, person.anchors, person.repeats) for one in records]


def _habits_in(own: Habits) -> Json:
    return {
        "work": own.annotations,
        "timed": own.timed,
        "median_ms": own.median_ms,
        "fast_share": own.fast_share,
        "run": own.run,
        "severities": list(own.severities),
    }


def _repeats_in(found: Intra) -> Json:
    return {"pairs": found.pairs, "alpha": found.alpha, "shift": found.shift}


_ORDER: Final = ("stop", "look", "fine", "few")


def _settings(fast_ms: int) -> Json:
    return {
        "lambda": control.LAMBDA,
        "limit_width": control.WIDTH,
        "baseline": control.BASELINE,
        "lasting": control.LASTING,
        "recent": control.RECENT,
        "fast_ms": fast_ms,
        "timed": habits.TIMED,
        "long_run": habits.LONG_RUN,
        "hasty": verdict.HASTY,
        "repeat_pairs": repeats.PAIRS,
        "acceptable": repeats.ACCEPTABLE,
    }


def _line(reading: Reading) -> Json:
    own = reading.habits
    return {
        "annotator": reading.person.annotator,
        "verdict": reading.verdict,
        "reasons": list(reading.reasons),
        "images": _evidence(reading),
        "score": _chart(reading.score, reading.person.anchors),
        "step": _chart(reading.step, [one for one in reading.person.anchors if one.step is not None]),
        "last": [
            {"image": one.image, "score": _rounded(one.score), "reference": _rounded(one.reference)}
            for one in reading.person.anchors[-LAST:]
        ],
        "repeats": _repeats_in(reading.intra),
        **_habits_in(own),
        "unused": list(reading.unused),
    }


def _alarm(line: Json) -> Json:
    charts = {name: {key: line[name][key] for key in ("since", "since_at", "mean_since")} for name in _CHARTS}
    left_out = (*_CHARTS, "last", "severities", "work", "timed")
    return {**{key: value for key, value in line.items() if key not in left_out}, **charts}


_CHARTS: Final = ("score", "step")


def _chart(found: Chart, anchors: Sequence[AnchorRecord]) -> Json:
    """Return the last points of a chart; `since` is the anchor from which it is out, `since_at` when."""
    since = found.out_since if found.alarms else None
    return {
        "anchors": len(found.differences),
        "refused": found.refused or None,
        "sigma": found.sigma,
        "since": since,
        "since_at": anchors[since - 1].submitted if since else None,
        "average": _rounded(found.average[-1]) if len(found.average) else None,
        "mean_since": _rounded(found.differences[since - 1 :].mean()) if since else None,
        "points": [
            [_rounded(value) for value in point]
            for point in zip(
                found.differences[-POINTS:], found.average[-POINTS:], found.limit[-POINTS:], strict=True
            )
        ],
    }


def _rounded(value: Any) -> float | None:
    number = round(float(value), PLACES)
    # NaN, where there is no limit, is no JSON.
    return number if number == number else None


def _evidence(reading: Reading) -> list[int]:
    """Return up to three images that show the first reason, the most telling first."""
    person, own = reading.person, reading.habits
    code = reading.reasons[0] if reading.reasons else None
    if code in {"fast", "hasty"}:
        timed = sorted(
            (one.active_ms, -one.submitted, one.image) for one in person.work if one.active_ms is not None
        )
        return [image for _, _, image in timed[:IMAGES]]
    if code == "flat":
        return [one.image for one in reversed(person.work[own.run_ends - IMAGES : own.run_ends])]
    if code == "unstable":
        apart = sorted(person.repeats, key=lambda one: (-abs(one.again - one.first), -one.submitted))
        return [one.image for one in apart[:IMAGES]]
    if code == "unused":
        return [one.image for one in reversed(person.work[-IMAGES:])]
    return [one.image for one in reversed(person.anchors[-IMAGES:])]


def _anchors(readings: Sequence[Reading], headline: Variable) -> Json:
    what = headline.title.lower()
    return table(
        "anchors",
        "Score minus reference",
        f"Each annotator's anchors in the order of submission, the last {ROWS}. The average is exponentially "
        "weighted; beyond ± the limit, the annotator has left their usual range.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("anchor", "Anchor", "count"),
            ResultColumn("difference", "Difference", "number", f"{what} minus that of the reference"),
            *_AVERAGES,
        ),
        (row for reading in readings for row in _points(reading.person.annotator, reading.score)),
    )


def _steps(readings: Sequence[Reading]) -> Json:
    return table(
        "severity_steps",
        "Severity step above the reference",
        "In cells that both the annotator and the reference mark: 1 is one step more severe in every cell. "
        f"Anchors without such a cell are left out; the last {ROWS} of each annotator.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("anchor", "Anchor", "count"),
            ResultColumn("step", "Step", "number", "mean over the cells of the anchor"),
            *_AVERAGES,
        ),
        (row for reading in readings for row in _points(reading.person.annotator, reading.step)),
    )


_AVERAGES: Final = (
    ResultColumn("average", "Average", "number", "exponentially weighted moving average, λ = 0.2"),
    ResultColumn("limit", "Limit", "number", "2.7 standard deviations of the average, on either side of 0"),
)


def _points(annotator: str, found: Chart) -> Iterator[list[Any]]:
    columns = zip(found.differences, found.average, found.limit, strict=True)
    points = [[annotator, place, *map(_rounded, values)] for place, values in enumerate(columns, 1)]
    yield from points[-ROWS:]


def _repeats(readings: Sequence[Reading], headline: Variable) -> Json:
    what = headline.title.lower()
    return table(
        "repeats",
        "Repeats",
        "How much each annotator agrees with themselves on repeats. Under a day or fewer than "
        "30 images between both is a short gap: memory may help.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("pairs", "Pairs", "count"),
            ResultColumn("short", "Short gaps", "count"),
            ResultColumn("alpha", "Alpha", "estimate", f"Krippendorff's alpha of the {what}, over the pairs"),
            ResultColumn("shift", "Shift", "estimate", f"mean {what} of the second minus that of the first"),
        ),
        (
            [one.person.annotator, one.intra.pairs, one.intra.short, one.intra.alpha, one.intra.shift]
            for one in readings
        ),
    )


def _habits(readings: Sequence[Reading], severities: Sequence[str], fast_ms: int) -> Json:
    return table(
        "speed_and_flatness",
        "Speed and equal annotations",
        "Of each annotator's last annotations, anchors and repeats left out.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("annotations", "Annotations", "count"),
            ResultColumn("timed", "Timed", "count", "with a known active time"),
            ResultColumn("median", "Median time", "number", "seconds of active work per image", "s"),
            ResultColumn("fast", f"Under {fast_ms / 1000:g} s", "share", "of the timed ones"),
            ResultColumn("run", "Longest run", "count", "equal annotations in a row"),
            *(ResultColumn(name, name, "share", "of the marks") for name in severities),
        ),
        ([*_habit(reading), *_shares(reading, len(severities))] for reading in readings),
    )


def _habit(reading: Reading) -> list[Any]:
    own = reading.habits
    median = None if own.median_ms is None else own.median_ms / 1000
    return [reading.person.annotator, own.annotations, own.timed, median, own.fast_share, own.run]


def _shares(reading: Reading, width: int) -> list[float | None]:
    counts = reading.habits.severities or (0,) * width
    return [count / sum(counts) if sum(counts) else None for count in counts]
