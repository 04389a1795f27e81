"""How evenly annotators and prompts are spread over generators, from counts alone.

Where one annotator judged more of one generator than of another, a difference of the two is partly theirs.
With shares p and q of the annotators in two generators, half of sum |p - q| is what the mixes do not share;
times the distance between the strictest and the most lenient annotator it bounds the bias. The rule:

- *even*: the bias of annotators one standard deviation of scores apart is below a third of a standard error,
  d / sqrt(1/n + 1/m) <= 1/3 for every two columns of n and m annotations. A 95% interval then still contains
  the true difference in 94% of studies.
- *chance*: above that, but not more than a random assignment does, by a chi-square test at 0.01. Over random
  assignments intervals hold; in this one, that of the mixed model is the more precise one.
- *skewed*: more than a random assignment does.

Scores are not looked at, so the rule cannot prefer the analysis with the wanted result.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import stats

from analysis.stats.frames import Floats, Ints, RatingsFrame
from scoring.rounding import percent

SHIFT: Final = 1 / 3
CHANCE: Final = 0.01
LISTED: Final = 100
"""Annotators and prompts that are listed: those with the most annotations."""
COMPARED: Final = 200
"""Columns that are compared with each other: those with the most annotations."""

_NONE: Final = 1e-9

EVEN, BY_CHANCE, SKEWED = "even", "chance", "skewed"


def balance(frame: RatingsFrame) -> dict[str, Any]:
    """Return counts of annotations by annotator and generator or prompt, and if differences are confounded.

    `counts` is [annotator][generator] and `prompt_counts` [annotator][prompt]; `spread` names for each
    crossing the two columns that differ most, the row that makes most of it, and the state. `balanced` says
    that neither annotators nor prompts are skewed over generators; `words` say it, without names of
    annotators.
    """
    by_generator = _counts(frame, "annotator", "generator")
    by_prompt = _counts(frame, "annotator", "prompt")
    spread = {
        "annotators": _spread(frame, "annotator", "generator", by_generator),
        "prompts": _spread(frame, "prompt", "generator", _counts(frame, "prompt", "generator")),
        "annotators_by_prompt": _spread(frame, "annotator", "prompt", by_prompt),
    }
    people, prompts = _most(by_generator.sum(axis=1)), _most(by_prompt.sum(axis=0))
    return {
        "annotators": _named(frame, "annotator", people),
        "generators": frame.labels("generator"),
        "counts": by_generator[people].tolist(),
        "prompts": _named(frame, "prompt", prompts),
        "prompt_counts": by_prompt[np.ix_(people, prompts)].tolist(),
        "annotators_left_out": len(by_generator) - len(people),
        "prompts_left_out": by_prompt.shape[1] - len(prompts),
        "spread": spread,
        "balanced": SKEWED not in (spread["annotators"]["state"], spread["prompts"]["state"]),
        "words": _words(spread),
    }


def _counts(frame: RatingsFrame, rows: str, columns: str) -> Ints:
    """Return (rows, columns): annotations of each combination of two columns of the frame."""
    shape = len(frame.labels(rows)), len(frame.labels(columns))
    flat = np.bincount(frame.codes(rows) * shape[1] + frame.codes(columns), minlength=shape[0] * shape[1])
    return flat.reshape(shape)


def _most(sizes: Ints) -> Ints:
    return np.sort(np.argsort(-sizes, kind="stable")[:LISTED])


def _named(frame: RatingsFrame, column: str, places: Ints) -> list[str]:
    labels = frame.labels(column)
    return [labels[place] for place in places.tolist()]


def _spread(frame: RatingsFrame, rows: str, columns: str, counts: Ints) -> dict[str, Any]:
    """Return how the mix of rows differs between columns; no state below two of either."""
    if min(counts.shape) < 2:
        return _even(None)
    compared = np.argsort(-counts.sum(axis=0), kind="stable")[:COMPARED]
    kept = counts[:, compared]
    shares = kept / kept.sum(axis=0)
    apart = _apart(shares)
    shift = apart / np.sqrt(np.add.outer(1 / kept.sum(axis=0), 1 / kept.sum(axis=0)))
    p, largest = float(stats.chi2_contingency(counts, correction=False).pvalue), float(shift.max())
    if largest <= _NONE:
        return _even(p)
    place = np.unravel_index(shift.argmax(), shift.shape)
    two = shares[:, sorted(place)]
    most = int(np.abs(two[:, 0] - two[:, 1]).round(9).argmax())
    labels = frame.labels(columns)
    return {
        "state": EVEN if largest <= SHIFT else SKEWED if p < CHANCE else BY_CHANCE,
        "difference": float(apart[place]),
        "shift": largest,
        "p": p,
        "between": [labels[compared[one]] for one in sorted(place)],
        "most": {rows: frame.labels(rows)[most], "shares": two[most].tolist()},
    }


def _even(p: float | None) -> dict[str, Any]:
    return {"state": EVEN, "difference": 0.0, "shift": 0.0, "p": p, "between": [], "most": None}


def _apart(shares: Floats) -> Floats:
    """Return (columns, columns): half the sum of absolute differences of every two columns."""
    found = np.zeros((shares.shape[1], shares.shape[1]))
    for place in range(shares.shape[1]):
        found[place] = np.abs(shares - shares[:, place, None]).sum(axis=0) / 2
    return found


def _words(spread: dict[str, dict[str, Any]]) -> str:
    found = {name: spread[name] for name in ("annotators", "prompts")}
    skewed = [name for name, one in found.items() if one["state"] == SKEWED]
    if not skewed:
        if all(one["state"] == EVEN for one in found.values()):
            return "Annotators and prompts are spread evenly over the generators."
        return "Annotators and prompts are spread over the generators no more unevenly than by chance."
    said = " ".join(map(_most_uneven, (found[name] for name in skewed)))
    return (
        f"{said} Chance alone would not do that (chi-square test, p < {CHANCE}). Differences between raw "
        f"means are partly differences between {' and '.join(skewed)}: use those of the mixed model."
    )


def _most_uneven(found: dict[str, Any]) -> str:
    who = f"The prompt “{found['most']['prompt']}”" if "prompt" in found["most"] else "One annotator"
    did = "makes up" if "prompt" in found["most"] else "made"
    first, second = (f"{percent(share)}%" for share in found["most"]["shares"])
    a, b = (one or "(none)" for one in found["between"])
    return f"{who} {did} {first} of the annotations of {a}, but {second} of those of {b}."
