"""How well readers tell generated images from real ones.

Sensitivity is the share of generated images called generated, specificity of real ones called real; d′ is
z(hits) − z(false alarms), each (count + ½)/(n + 1) (M. J. Hautus, "Corrections for extreme proportions and
their biasing effects on estimated values of d′", Behavior Research Methods 27 (1995) 46-51), with the
variance Σ p(1 − p)/(n φ(z)²). The mean of all readers is for other readers and other images: the jackknife's
variance over readers, plus that over images within real and generated, and Student's t with the degrees of
freedom of F. E. Satterthwaite (1946). `benchmarks/readers.py` simulates how often it holds the truth.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import stats

from analysis.stats.comparison.welch import t_test
from analysis.stats.estimates import ANY, CONFIDENCE, Estimate, Range, cut, estimate, refused
from analysis.stats.frames import Floats
from analysis.stats.generic.separation import rate
from analysis.stats.generic.tables import ALL_READERS, Json, ResultColumn, table
from analysis.stats.generic.values import ValuesFrame

NORMAL: Final = "normal approximation"
METHOD: Final = "two-way jackknife over images and readers"
FEWEST_READERS: Final = 4
FEWEST_IMAGES: Final = 5
SHARES: Final[Range] = (0.0, 1.0)
MEASURES: Final[tuple[tuple[str, str, str, Range], ...]] = (
    ("accuracy", "Accuracy", "share of images called what they are", SHARES),
    ("sensitivity", "Sensitivity", "share of generated images called generated", SHARES),
    ("specificity", "Specificity", "share of real images called real", SHARES),
    ("d_prime", "d′", "0: guessing; 1: distinct; 2: told apart almost always", ANY),
)


class Counts(NamedTuple):
    """(…, readers): images called generated out of those seen, of generated and of real ones."""

    hits: Floats
    generated: Floats
    alarms: Floats
    real: Floats

    def measures(self) -> Floats:
        """Return (4, …, readers): the measures; NaN without images."""
        hits, generated, alarms, real = self
        with np.errstate(divide="ignore", invalid="ignore"):
            right = (hits + real - alarms) / (generated + real)
            shares = [right, hits / generated, 1 - alarms / real]
        z = stats.norm.ppf
        return np.stack([*shares, z((hits + 0.5) / (generated + 1)) - z((alarms + 0.5) / (real + 1))])


def detection_tables(frame: ValuesFrame) -> list[Json]:
    """Return what readers detect, one by one and all; nothing for a protocol that does not ask."""
    if frame.protocol.detects is None:
        return []
    name, code = frame.protocol.detects
    said, readers = frame.values[name][:, 0], frame.labels("annotator")
    shape = (int(frame.image_codes.max(initial=-1)) + 1, len(readers))
    seen, called = np.zeros(shape), np.zeros(shape)
    given = ~np.isnan(said)
    place = (frame.image_codes[given], frame.codes("annotator")[given])
    seen[place], called[place] = 1, said[given] == code
    real = np.zeros(shape[0], dtype=np.bool_)
    real[frame.image_codes] = np.isin(frame.annotations["image"].to_numpy(), frame.real)
    kinds = (~real[:, None], real[:, None])
    parts = [np.where(kind, part, 0.0) for kind in kinds for part in (called, seen)]
    counts = Counts(*(part.sum(axis=0) for part in parts))
    rows = [[reader, *_of_reader(counts, at)] for at, reader in enumerate(readers)]
    rows.append([ALL_READERS, *_of_all(Counts(*parts), counts, real)])
    heads = (ResultColumn(name, title, "estimate", words) for name, title, words, _ in MEASURES)
    return [
        table(
            "detection",
            "Real or generated",
            "Each reader over the images seen, with exact 95% intervals; all readers: their mean, for other "
            "readers and other images. Images that a reader could not judge do not count.",
            (
                ResultColumn("annotator", "Reader"),
                ResultColumn("generated", "Generated", "count", "generated images judged", "images"),
                ResultColumn("real", "Real", "count", "real images judged", "images"),
                *heads,
            ),
            rows,
        )
    ]


def _of_reader(counts: Counts, at: int) -> list[Any]:
    hits, generated, alarms, real = (int(part[at]) for part in counts)
    shares = (rate(hits + real - alarms, generated + real), rate(hits, generated), rate(real - alarms, real))
    value = float(counts.measures()[-1, at])
    about: dict[str, Any] = {"n_units": generated + real, "n_coders": 1, "method": NORMAL}
    if not generated or not real:
        return [generated, real, *shares, refused("only one kind of image", **about)]
    variance = 0.0
    for share, n in (((hits + 0.5) / (generated + 1), generated), ((alarms + 0.5) / (real + 1), real)):
        variance += share * (1 - share) / (n * float(stats.norm.pdf(stats.norm.ppf(share))) ** 2)
    half = float(stats.norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(variance)
    return [generated, real, *shares, estimate(value, value - half, value + half, **about)]


def _of_all(images: Counts, counts: Counts, real: Any) -> list[Any]:
    """Return images and the measures of all readers who judged both kinds; `images` are (m, readers)."""
    kept = np.minimum(counts.generated, counts.real) >= 2
    seen = (images.generated + images.real).any(axis=1)
    sizes = [int((seen & (real == kind)).sum()) for kind in (False, True)]
    readers = int(kept.sum())
    about: dict[str, Any] = {"n_units": sum(sizes), "n_coders": readers, "method": METHOD}
    if min(sizes) < FEWEST_IMAGES:
        few = f"too few: {sizes[0]} generated and {sizes[1]} real images; {FEWEST_IMAGES} of each are needed"
        return [*sizes, *(refused(few, **about) for _ in MEASURES)]
    values = Counts(*(part[kept] for part in counts)).measures()
    if readers < FEWEST_READERS:
        few = f"too few: {readers} readers; at least {FEWEST_READERS} are needed"
        means = values.mean(axis=1).tolist() if readers else [None] * len(MEASURES)
        return [*sizes, *(refused(few, value=value, **about) for value in means)]
    both = zip(counts, images, strict=True)
    without = Counts(*((whole - part)[:, kept] for whole, part in both)).measures().mean(axis=2)
    of_images = np.zeros(len(values))
    for kind, n in zip((False, True), sizes, strict=True):
        own = without[:, seen & (real == kind)]
        of_images += (n - 1) / n * ((own - own.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    of_readers = values.var(axis=1, ddof=1) / readers
    parts = zip(values.mean(axis=1).tolist(), of_readers.tolist(), of_images.tolist(), MEASURES, strict=True)
    return [
        *sizes,
        *(_interval(*part[:3], part[3][-1], about, (readers - 1, sum(sizes) - 2)) for part in parts),
    ]


def _interval(
    value: float, of_readers: float, of_images: float, within: Range, about: Any, freedom: tuple[int, int]
) -> Estimate:
    variance = of_readers + of_images
    if not variance:
        return refused("all readers and images agree", value=value, **about)
    df = variance**2 / (of_readers**2 / freedom[0] + of_images**2 / freedom[1])
    return cut(t_test(value, math.sqrt(variance), df, **about)["difference"], within)
