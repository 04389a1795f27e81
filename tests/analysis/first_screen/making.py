"""Results of comparisons, as far as a first screen reads them."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from analysis.first_screen.basis import Basis, Scored

from tests.analysis.blank import blank

NO_INTERVAL: dict[str, Any] = {"low": None, "high": None, "refused": "one image"}


def mean(value: float | None, half: float = 0.2, n: int = 40) -> dict[str, Any]:
    """An estimate with an interval of value ± half."""
    limits = NO_INTERVAL if value is None or half == 0 else {"low": value - half, "high": value + half}
    return {"value": value, "n_units": n, "n_coders": 2, "refused": None, **limits}


def pair(a: str, b: str, gap: float, *, clear: bool) -> dict[str, Any]:
    """A test of a − b = gap."""
    p = 0.0004 if clear else 0.4
    half = 0.1 if clear else abs(gap) + 0.3
    return {
        "a": a,
        "b": b,
        "difference": mean(gap, half),
        "simultaneous": mean(gap, half + 0.05),
        "t": gap / half,
        "df": 10,
        "p": p,
        "p_holm": p,
        "hedges_g": mean(gap),
    }


def basis(
    means: dict[str, float], unclear: set[frozenset[str]], sizes: dict[str, int] | None = None
) -> Basis:
    """Means of generators of which all pairs differ clearly, except these."""
    sizes = sizes or {}
    return Basis(
        "image",
        [Scored(name, sizes.get(name, 40), mean(value)) for name, value in means.items()],
        [
            pair(a, b, means[a] - means[b], clear=frozenset((a, b)) not in unclear)
            for a, b in combinations(means, 2)
        ],
    )


def model(*pairs: dict[str, Any], refused: str | None = None, **values: float) -> dict[str, Any]:
    """A mixed model of ten prompts and three annotators; `values` are its means."""
    means = [{"generator": name, "mean": mean(value)} for name, value in values.items()]
    found = {"refused": refused, "annotators": 3, "prompts": 10, "omitted": [], "means": means}
    return {**found, "pairs": list(pairs)}


def result(**keys: Any) -> dict[str, Any]:
    """A stored comparison of two generators that differ clearly."""
    rows = [
        {
            "generator": name,
            "images": 40,
            "annotations": 50,
            "image_mean": mean(value),
            "images_without_errors": 10,
            "annotations_without_errors": 12,
        }
        for name, value in (("x", 0.5), ("y", 1.5))
    ]
    stated = {
        "generators": rows,
        "generator_comparisons": [pair("x", "y", -1.0, clear=True)],
        "mixed_model": model(pair("x", "y", -1.0, clear=True)),
        "settings": {"annotations": 100, "images": 80, "annotators": 3},
        **keys,
    }
    return blank("comparison", **stated)
