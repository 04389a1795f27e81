"""Images with one score each, and their means by generator and prompt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.stats.estimates import ANY, Range
from analysis.stats.frames import Floats, Ints


@dataclass(frozen=True)
class ScoredImages:
    """The images that a ranking rests on.

    `scores` (m,) are finite; `generator` and `prompt` (m,) are indices into `generators` and `prompts`;
    `images` (m,) are their ids. `coders` (generators,) is how many annotators judged each generator's images.
    `title` names the score, `range` its possible values; higher scores are better if `higher_is_better`, else
    lower ones.
    """

    title: str
    higher_is_better: bool
    generators: tuple[str, ...]
    prompts: tuple[str, ...]
    scores: Floats
    generator: Ints
    prompt: Ints
    images: Ints
    coders: Ints
    range: Range = ANY

    @cached_property
    def counts(self) -> Ints:
        """Return (generators, prompts): the number of images of each."""
        return np.bincount(self._cells, minlength=self._size).reshape(self._shape)

    @cached_property
    def means(self) -> Floats:
        """Return (generators, prompts): the mean over a generator's images of a prompt, NaN without any."""
        sums = np.bincount(self._cells, self.scores, minlength=self._size).reshape(self._shape)
        return np.where(self.counts > 0, sums / np.maximum(self.counts, 1), np.nan)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.generators), len(self.prompts)

    @property
    def _size(self) -> int:
        return len(self.generators) * len(self.prompts)

    @cached_property
    def _cells(self) -> Ints:
        return self.generator * len(self.prompts) + self.prompt
