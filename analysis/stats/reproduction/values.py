"""Every quantity of the published data that a printed number or statement is checked against, by key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import Final

import numpy as np
import pandas as pd
from scipy import stats

from analysis.stats.comparison.welch import welch_test
from analysis.stats.frames import Floats, RatingsFrame
from analysis.stats.reproduction.alphas import mean_alphas
from analysis.stats.reproduction.design import design
from analysis.stats.reproduction.skipped import MOST_TERMS, SkippedTerm, readings
from scoring.grid.notation import Term
from scoring.grid.scores import cumulative_score
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES

Values = Mapping[str, float | str | None]

SHORT: Final = {
    "person jogging": "jogging",
    "athlete performing salto": "salto",
    "couple hugging": "hugging",
    "mother or father holding baby": "baby",
    "physician examining patient": "physician",
    "old couple in sauna": "sauna",
    "wrestling in arena": "wrestling",
    "people eating pizza": "pizza",
    "five people sunbathing on beach": "sunbathing",
    "five people playing volleyball": "volleyball",
}
"""The study's prompts, by which keys name them."""
GENERATORS: Final = ("dall-e3", "sdxl", "stablecascade")
EXTREMES: Final = ("sunbathing", "baby")
# The manual's example, and the cells of the same image in the data: three faces there, two here.
EXAMPLE: Final = {
    "missing.face": (Term(2, 2, "a"),),
    "missing.limbs": (Term(1, 4, "c"),),
    "configuration.hands": (Term(1, 3, "c"), Term(1, 3, "b")),
    "missing.hands": (Term(1, 3, "b"),),
}
EXAMPLE_IMAGE: Final = ("stablecascade", "physician", 3)


def domains(frame: RatingsFrame) -> dict[str, tuple[str, ...]]:
    """Return the names over which a statement may run, by the word that stands for them."""
    return {
        "generator": tuple(frame.labels("generator")),
        "prompt": tuple(SHORT.get(label, label) for label in frame.labels("prompt")),
        "type": ERROR_TYPES,
        "part": BODY_PARTS,
    }


def values(frame: RatingsFrame, skipped: Sequence[SkippedTerm] = ()) -> dict[str, float | str | None]:
    """Return key -> value; a key that this frame does not have is missing, one without a value is None.

    `mean.X`, `variance.X` (over n − 1), `a.X`, `b.X`, `c.X` (sums of unweighted error fractions), `total.X`
    (their sum) and `share.a.X` (of that sum) are over the annotations of a generator, prompt, prompt group,
    annotator, of a prompt or prompt group and generator (`salto/sdxl`), of an error type or of a body part;
    `images.…` with one mean score per image. `t.X.Y`, `df.X.Y` and `p.X.Y` are Welch's test.
    """
    table = _table(frame)
    found: dict[str, float | str | None] = {**design(frame), **mean_alphas(frame)}
    found["unreadable"] = len(skipped)
    found["weights"] = ", ".join(f"{weight:g}" for weight in frame.weights)
    for columns in (
        ["generator"],
        ["prompt"],
        ["prompt_group"],
        ["annotator"],
        ["prompt", "generator"],
        ["prompt_group", "generator"],
    ):
        found.update(_sums(table, columns))
    found.update(_parts_of_the_grid(frame))
    found.update(_tests(table, "generator", GENERATORS, ""))
    found.update(_tests(table, "prompt", EXTREMES, ""))
    keys = ["image", "generator", "prompt"]
    images = table.groupby(keys, observed=True)["score"].mean().reset_index()
    found.update(_tests(images, "generator", GENERATORS, "images."))
    for name, part in [*images.groupby("generator", observed=True), *images.groupby("prompt", observed=True)]:
        found[f"images.mean.{name}"] = float(part["score"].mean())
        found[f"images.variance.{name}"] = _variance(part["score"].to_numpy())
    found.update(_spread_of_the_best(frame, skipped))
    found["example"] = float(cumulative_score(EXAMPLE))
    found["example.in_data"] = _example_in_data(table)
    return found


def _table(frame: RatingsFrame) -> pd.DataFrame:
    sums = dict(zip(SEVERITIES, frame.severity_sums.T, strict=True))
    prompts = frame.annotations["prompt"].astype(str).replace(SHORT)
    return frame.annotations.assign(prompt=prompts, score=frame.scores, **sums)


def _sums(table: pd.DataFrame, columns: list[str]) -> Iterator[tuple[str, float | None]]:
    for names, part in table.groupby(columns, observed=True):
        name = "/".join(map(str, names))
        yield f"mean.{name}", float(part["score"].mean())
        yield f"variance.{name}", _variance(part["score"].to_numpy())
        yield from _severities(name, part[list(SEVERITIES)].sum().to_numpy())


def _severities(name: str, sums: Floats) -> Iterator[tuple[str, float | None]]:
    total = float(sums.sum())
    yield f"total.{name}", total
    for severity, value in zip(SEVERITIES, sums.tolist(), strict=True):
        yield f"{severity}.{name}", value
        yield f"share.{severity}.{name}", 100 * value / total if total else None


def _parts_of_the_grid(frame: RatingsFrame) -> Iterator[tuple[str, float | None]]:
    marks, sums = frame.marks, np.zeros((len(ERROR_TYPES) * len(BODY_PARTS), len(SEVERITIES)))
    np.add.at(sums, (marks.cell, marks.severity), marks.fraction)
    grid = sums.reshape(len(ERROR_TYPES), len(BODY_PARTS), len(SEVERITIES))
    for name, found in (
        *zip(ERROR_TYPES, grid.sum(1), strict=True),
        *zip(BODY_PARTS, grid.sum(0), strict=True),
    ):
        yield from _severities(name, found)
        yield f"mean.{name}", float(found @ frame.weights) / len(frame) if len(frame) else None


def _tests(
    table: pd.DataFrame, column: str, names: Sequence[str], prefix: str
) -> Iterator[tuple[str, float | None]]:
    scores = {name: table.loc[table[column] == name, "score"].to_numpy() for name in names}
    for a, b in permutations(names, 2):
        if len(scores[a]) and len(scores[b]):
            test = welch_test(scores[a], scores[b])
            for kind in ("t", "df", "p"):
                yield f"{prefix}{kind}.{a}.{b}", test[kind]


def _spread_of_the_best(
    frame: RatingsFrame, skipped: Sequence[SkippedTerm]
) -> Iterator[tuple[str, float | None]]:
    """Yield what else the printed variance 0.73 of DALL-E 3 could be, and the t that would follow."""
    groups = frame.parts("generator", frame.scores)
    if not set(GENERATORS) <= groups.keys() or min(len(groups[name]) for name in GENERATORS) < 2:
        return
    best, other = (groups[name] for name in GENERATORS[:2])
    yield "population_variance", float(best.var())
    error = np.sqrt(0.73 / len(best) + other.var(ddof=1) / len(other))
    yield "t_if_0.73", float((best.mean() - other.mean()) / error)
    yield from zip(
        ("rounded.variance", "rounded.t1", "rounded.t2"), _best(frame, frame.scores.round(1)), strict=True
    )
    if 0 < len(skipped) <= MOST_TERMS:
        found = [_best(frame, scores) for _, scores in readings(frame, skipped)]
        fits = [tests for variance, *tests in found if f"{variance:.2f}" == "0.73"]
        yield "readings", len(found)
        yield "readings.variance", len(fits)
        yield "readings.all", sum([f"{t:.2f}" for t in tests] == ["-6.72", "-4.67"] for tests in fits)


def _best(frame: RatingsFrame, scores: Floats) -> tuple[float, ...]:
    """Return the variance of DALL-E 3 and Welch's t against the others."""
    best, *others = (frame.parts("generator", scores)[name] for name in GENERATORS)
    return float(best.var(ddof=1)), *(
        float(stats.ttest_ind(best, other, equal_var=False)[0]) for other in others
    )


def _example_in_data(table: pd.DataFrame) -> float | None:
    generator, prompt, number = EXAMPLE_IMAGE
    found = table[
        (table["generator"] == generator) & (table["prompt"] == prompt) & (table["number"] == number)
    ]
    return float(found["score"].iloc[0]) if len(found) else None


def _variance(scores: Floats) -> float | None:
    return float(scores.var(ddof=1)) if len(scores) > 1 else None
