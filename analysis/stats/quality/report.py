"""The quality report: each annotator's verdict and line, and the tables behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from analysis.stats.generic.tables import Json, ResultColumn, figure, table
from analysis.stats.quality.measures import (
    ACCEPTABLE,
    EQUAL,
    FAST_MS,
    FEWEST_ANCHORS,
    PAIRS,
    RECENT,
    TIMED,
    Anchored,
    Habits,
    Intra,
    anchored,
    habits_of,
    intra,
    never_used,
)
from analysis.stats.quality.records import Person
from scoring.protocol import Variable
from scoring.rounding import seconds

Verdict = Literal["stop", "look", "fine", "few"]
Code = Literal["fast", "away", "unstable", "hasty", "equal", "unused"]

HASTY: Final = 0.25
"""Share of fast annotations from which a lead should look."""
STOPS: Final = frozenset({"fast"})
IMAGES: Final = 3
LAST: Final = 5
PLACES: Final = 6


@dataclass(frozen=True)
class Reading:
    """All that is computed of one annotator; `reasons` explain the verdict, the worst first."""

    person: Person
    anchored: Anchored
    intra: Intra
    habits: Habits
    unused: tuple[int, ...]
    verdict: Verdict
    reasons: tuple[Code, ...]


def read_all(people: Sequence[Person], headline: Variable, fast_ms: int = FAST_MS) -> list[Reading]:
    """Return the reading of every annotator, in their order; each is compared with all others."""
    habits = [habits_of(person.work, fast_ms) for person in people]
    readings = []
    for place, person in enumerate(people):
        others = [other for at, other in enumerate(habits) if at != place]
        beside = anchored([anchor.difference for anchor in person.anchors])
        own, again = habits[place], intra(person.repeats, headline)
        unused = never_used(own, others)
        reasons = _reasons(own, unused, beside, again, fast_ms)
        verdict = _verdict(reasons, person, own)
        readings.append(Reading(person, beside, again, own, unused, verdict, reasons))
    return readings


def _reasons(
    own: Habits, unused: Sequence[int], beside: Anchored, again: Intra, fast_ms: int
) -> tuple[Code, ...]:
    timed = own.timed >= TIMED
    is_fast = timed and own.median_ms is not None and own.median_ms < fast_ms
    held: dict[Code, bool] = {
        "fast": is_fast,
        "away": beside.is_away,
        "unstable": again.is_unstable,
        "hasty": timed and not is_fast and (own.fast_share or 0) >= HASTY,
        "equal": own.all_equal,
        "unused": bool(unused),
    }
    return tuple(code for code, holds in held.items() if holds)


def _verdict(reasons: Sequence[Code], person: Person, own: Habits) -> Verdict:
    if reasons:
        return "stop" if STOPS & set(reasons) else "look"
    enough = (
        own.timed >= TIMED
        or own.annotations >= EQUAL
        or len(person.anchors) >= FEWEST_ANCHORS
        or len(person.repeats) >= PAIRS
    )
    return "fine" if enough else "few"


def quality(
    people: Sequence[Person],
    headline: Variable,
    severities: Sequence[str] = (),
    *,
    sample: int,
    fast_ms: int = FAST_MS,
) -> Json:
    """Return the report as plain JSON values.

    `lines` has an entry for each annotator, the worst first, with scores rounded to six places. `severities`
    names those of the protocol, if it has any; `sample` is the most work looked at of each annotator, which
    only the settings tell; below `fast_ms` an annotation is fast.
    """
    readings = read_all(people, headline, fast_ms)
    ordered = sorted(readings, key=lambda reading: (_ORDER.index(reading.verdict), reading.person.annotator))
    figures = []
    if any(reading.anchored.anchors for reading in readings):
        figures.append(
            figure("intervals", "anchors", "Score minus reference", label="annotator", value="difference")
        )
    if any(reading.intra.pairs for reading in readings):
        figures.append(figure("intervals", "repeats", "Repeats", label="annotator", value="alpha"))
    return {
        "settings": {
            "fewest_anchors": FEWEST_ANCHORS,
            "recent": RECENT,
            "fast_ms": fast_ms,
            "timed": TIMED,
            "equal": EQUAL,
            "hasty": HASTY,
            "repeat_pairs": PAIRS,
            "acceptable": ACCEPTABLE,
            "sample": sample,
            "severities": list(severities),
        },
        "lines": [_line(reading) for reading in ordered],
        "tables": [
            _anchors(readings, headline),
            _repeats(readings, headline),
            _habits(readings, severities, fast_ms),
        ],
        "findings": [],
        "figures": figures,
    }


_ORDER: Final = ("stop", "look", "fine", "few")


def _line(reading: Reading) -> Json:
    own, beside, again = reading.habits, reading.anchored, reading.intra
    return {
        "annotator": reading.person.annotator,
        "verdict": reading.verdict,
        "reasons": list(reading.reasons),
        "images": _evidence(reading),
        "references": {"anchors": beside.anchors, "overall": beside.overall, "lately": beside.lately},
        "last": [
            {"image": anchor.image, "score": _rounded(anchor.score), "reference": _rounded(anchor.reference)}
            for anchor in reading.person.anchors[-LAST:]
        ],
        "repeats": {"pairs": again.pairs, "alpha": again.alpha, "shift": again.shift},
        "work": own.annotations,
        "timed": own.timed,
        "median_ms": own.median_ms,
        "fast_share": own.fast_share,
        "severities": list(own.severities),
        "unused": list(reading.unused),
    }


def _rounded(value: float) -> float:
    return round(value, PLACES)


def _evidence(reading: Reading) -> list[int]:
    """Return up to three images that show the first reason, the most telling first."""
    person = reading.person
    code = reading.reasons[0] if reading.reasons else None
    if code in {"fast", "hasty"}:
        timed = sorted(
            (record.active_ms, -record.submitted, record.image)
            for record in person.work
            if record.active_ms is not None
        )
        return [image for _, _, image in timed[:IMAGES]]
    if code == "unstable":
        apart = sorted(
            person.repeats, key=lambda repeat: (-abs(repeat.again - repeat.first), -repeat.submitted)
        )
        return [repeat.image for repeat in apart[:IMAGES]]
    if code in {"equal", "unused"}:
        return [record.image for record in reversed(person.work[-IMAGES:])]
    return [anchor.image for anchor in reversed(person.anchors[-IMAGES:])]


def _anchors(readings: Sequence[Reading], headline: Variable) -> Json:
    what = headline.title.lower()
    return table(
        "anchors",
        "Score minus reference",
        "How far each annotator's annotations of anchors are from the references.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("anchors", "Anchors", "count"),
            ResultColumn("difference", "Difference", "estimate", f"mean {what} minus that of the reference"),
            ResultColumn("lately", "Lately", "estimate", f"the same of the last {RECENT} anchors"),
        ),
        (
            [one.person.annotator, one.anchored.anchors, one.anchored.overall, one.anchored.lately]
            for one in readings
        ),
        line=_anchors_line(readings),
    )


def _anchors_line(readings: Sequence[Reading]) -> str:
    count = sum(reading.anchored.anchors for reading in readings)
    if not count:
        return "No anchors yet"
    away = [reading.person.annotator for reading in readings if reading.anchored.is_away]
    return f"Lately away from the references: {', '.join(away)}" if away else "Nobody is lately away"


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
        line=_repeats_line(readings),
    )


def _repeats_line(readings: Sequence[Reading]) -> str:
    if not any(reading.intra.pairs for reading in readings):
        return "No repeats yet"
    alphas = sorted(value for reading in readings if (value := reading.intra.alpha["value"]) is not None)
    if not alphas:
        return "Too few repeats for alpha"
    ends = dict.fromkeys(f"{alpha:z.2f}".replace("-", "\u2212") for alpha in (alphas[0], alphas[-1]))
    return f"Alpha of annotators with themselves {' to '.join(ends)}"


def _habits(readings: Sequence[Reading], severities: Sequence[str], fast_ms: int) -> Json:
    return table(
        "speed_and_severities" if severities else "speed",
        "Speed and severities" if severities else "Speed",
        "Of each annotator's last annotations, anchors and repeats left out.",
        (
            ResultColumn("annotator", "Annotator"),
            ResultColumn("annotations", "Annotations", "count"),
            ResultColumn("timed", "Timed", "count", "with a known active time"),
            ResultColumn("median", "Median time", "number", "seconds of active work per image", "s"),
            ResultColumn("fast", f"Under {fast_ms / 1000:g} s", "share", "of the timed ones"),
            *(ResultColumn(name, name, "share", "of the marks") for name in severities),
        ),
        ([*_habit(reading), *_shares(reading, len(severities))] for reading in readings),
        line=_habits_line(readings),
    )


def _habits_line(readings: Sequence[Reading]) -> str:
    timed = [
        (ms, reading.person.annotator) for reading in readings if (ms := reading.habits.median_ms) is not None
    ]
    if not timed:
        return "No times are known"
    (low, fast), (high, slow) = min(timed), max(timed)
    return f"Median time per image from {seconds(low)} ({fast}) to {seconds(high)} ({slow})"


def _habit(reading: Reading) -> list[Any]:
    own = reading.habits
    median = None if own.median_ms is None else own.median_ms / 1000
    return [reading.person.annotator, own.annotations, own.timed, median, own.fast_share]


def _shares(reading: Reading, width: int) -> list[float | None]:
    counts = reading.habits.severities or (0,) * width
    return [count / sum(counts) if sum(counts) else None for count in counts]
