"""Least squares of score = generator + annotator + prompt, with standard errors clustered by image.

Every image, or every annotation, has the same weight. An adjusted mean is a marginal mean: what a generator
would score if the annotators and prompts of all images had been its own (S. R. Searle, F. M. Speed, G. A.
Milliken, "Population marginal means in the linear model", The American Statistician 34 (1980) 216-221, with
the observed mix as weights). Standard errors are those of K.-Y. Liang and S. L. Zeger, Biometrika 73 (1986)
13-22, with the factor C/(C - 1) (n - 1)/(n - k) and t with C - 1 degrees of freedom of A. C. Cameron and D.
L. Miller, Journal of Human Resources 50 (2015) 317-372, for C images, n annotations and k coefficients.

Prompts are eliminated first, so the cost is that of a (generators + annotators) x prompts table of weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analysis.stats.frames import Floats, Ints
from analysis.stats.means import SAME

_NULL = 1e-9


@dataclass(frozen=True)
class Additive:
    """The fitted model over n annotations of C images.

    `codes` are (n,) places of generator, annotator (after the generators) and prompt; `weights` (n,) add up
    to 1; `shares` the weight of each generator or annotator (q,) and prompt (p,); `between` (q, p) that of
    each combination; `inverse` (q, q) of the normal equations without prompts, `effects` (q,) and
    `prompt_effects` (p,); `rest` (n,) residuals; `mean` of all; `rank` the number of free coefficients.
    """

    codes: tuple[Ints, Ints, Ints]
    images: Ints
    generators: int
    weights: Floats
    shares: tuple[Floats, Floats]
    between: Floats
    equations: Floats
    inverse: Floats
    effects: Floats
    prompt_effects: Floats
    rest: Floats
    mean: float
    rank: int

    @property
    def clusters(self) -> int:
        """Return C, the number of images."""
        return int(self.images.max()) + 1

    @property
    def refused(self) -> str | None:
        """Return why no standard error can be computed, or None."""
        if len(self.rest) <= self.rank or self.clusters < 2:
            return "too few annotations for this many generators, annotators and prompts"
        if np.abs(self.rest).max() <= SAME:
            return "the scores do not vary within generator, annotator and prompt"
        return None

    def generator_means(self) -> tuple[Floats, Floats] | None:
        """Return the adjusted means (G,) and (C, G): what each image adds to the error of each mean.

        None if annotators and prompts do not connect the generators.
        """
        weights = np.eye(self.generators) - self.shares[0][: self.generators]
        of_factors = np.zeros((len(self.shares[0]), self.generators))
        of_factors[: self.generators] = weights.T
        found = self._solved(of_factors, np.zeros((len(self.shares[1]), self.generators)))
        if found is None:
            return None
        errors = np.stack(list(self._by_image(*found)), axis=1)
        return self.mean + weights @ self.effects[: self.generators], errors

    def prompt_means(self, listed: Ints) -> list[tuple[float, float]] | None:
        """Return the adjusted mean and the standard error of these prompts.

        None if annotators and generators do not connect the prompts.
        """
        weights = np.eye(len(self.shares[1]))[listed] - self.shares[1]
        found = self._solved(np.zeros((len(self.shares[0]), len(listed))), weights.T)
        if found is None:
            return None
        errors = (float(self.factor * column @ column) ** 0.5 for column in self._by_image(*found))
        return list(zip((self.mean + weights @ self.prompt_effects).tolist(), errors, strict=True))

    @property
    def factor(self) -> float:
        """Return the small-sample factor of the variances."""
        n, c = len(self.rest), self.clusters
        return c / (c - 1) * (n - 1) / (n - self.rank)

    def _solved(self, of_factors: Floats, of_prompts: Floats) -> tuple[Floats, Floats] | None:
        """Return u with M u = c for contrasts c, as (q, m) and (p, m); None if one is not estimable."""
        right = of_factors - self.between @ (of_prompts / self.shares[1][:, None])
        first = self.inverse @ right
        if np.abs(self.equations @ first - right).max(initial=0) > _NULL:
            return None
        return first, (of_prompts - self.between.T @ first) / self.shares[1][:, None]

    def _by_image(self, of_factors: Floats, of_prompts: Floats) -> Iterator[Floats]:
        """Yield (C,) for each estimate: the influence of every image on it."""
        generator, annotator, prompt = self.codes
        residual = self.weights * self.rest
        for first, second in zip(of_factors.T, of_prompts.T, strict=True):
            influence = 1 + first[generator] + first[annotator] + second[prompt]
            yield _sums(self.images, influence * residual, self.clusters)


def additive(
    scores: Floats, generators: Ints, annotators: Ints, prompts: Ints, images: Ints, *, by_image: bool = True
) -> Additive:
    """Fit (n,) scores by (n,) codes without gaps; `by_image` weights by 1 / (annotations of the image)."""
    g, p = int(generators.max()) + 1, int(prompts.max()) + 1
    q, second = g + int(annotators.max()) + 1, g + annotators
    weights = 1 / np.bincount(images)[images] if by_image else np.ones(len(scores))
    weights /= weights.sum()
    mean = float(weights @ scores)
    y = weights * (scores - mean)
    places = (generators, second)
    shares, of_prompts = sum(_sums(one, weights, q) for one in places), _sums(prompts, weights, p)
    between = sum(_sums(one * p + prompts, weights, q * p).reshape(q, p) for one in places)
    shares, between = np.asarray(shares), np.asarray(between)
    crossed = _sums(generators * q + second, weights, q * q).reshape(q, q)
    equations = np.diag(shares) + crossed + crossed.T - between / of_prompts @ between.T
    sums, prompt_sums = sum(_sums(one, y, q) for one in places), _sums(prompts, y, p)
    inverse = np.asarray(np.linalg.pinv(equations, rcond=_NULL, hermitian=True), dtype=np.float64)
    effects = inverse @ (sums - between @ (prompt_sums / of_prompts))
    prompt_effects = (prompt_sums - effects @ between) / of_prompts
    return Additive(
        codes=(generators, second, prompts),
        images=images,
        generators=g,
        weights=weights,
        shares=(shares, of_prompts),
        between=between,
        equations=equations,
        inverse=inverse,
        effects=effects,
        prompt_effects=prompt_effects,
        rest=scores - mean - effects[generators] - effects[second] - prompt_effects[prompts],
        mean=mean,
        rank=int(np.linalg.matrix_rank(equations, tol=_NULL, hermitian=True)) + p,
    )


def _sums(codes: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(codes, values, minlength=size).astype(np.float64, copy=False)
