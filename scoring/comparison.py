"""Compare an annotation with a reference, component by component.

A hit is a component that both mark, missed one that only the reference marks, alone one that only the
annotation marks. Components that neither marks are not counted: most cells of an image are empty, so
agreement on them says little.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Verdict = Literal["hit", "missed", "alone"]
Aspect = Literal["affected", "total", "severities"]


@dataclass(frozen=True)
class ComparedComponent:
    """One component that the reference or the annotation marks; a hit may differ in some aspects."""

    component: str
    verdict: Verdict
    differs: tuple[Aspect, ...] = ()


@dataclass(frozen=True)
class Compared:
    """The components compared, in published order, of one annotation or of several."""

    components: tuple[ComparedComponent, ...]

    def count(self, verdict: Verdict) -> int:
        """Return the number of components with this verdict."""
        return sum(component.verdict == verdict for component in self.components)

    @property
    def found(self) -> int:
        """The number of the reference's components that the annotation marks."""
        return self.count("hit")

    @property
    def marked(self) -> int:
        """The number of components that the reference marks."""
        return self.count("hit") + self.count("missed")

    @property
    def alone(self) -> int:
        """The number of components that only the annotation marks."""
        return self.count("alone")

    @property
    def recall(self) -> Fraction | None:
        """The share of the reference's components that the annotation marks; None without any."""
        return _share(self.count("hit"), self.count("missed"))

    @property
    def precision(self) -> Fraction | None:
        """The share of the annotation's components that the reference marks; None without any."""
        return _share(self.count("hit"), self.count("alone"))

    @property
    def f1(self) -> Fraction | None:
        """The harmonic mean of precision and recall, 2 hits / (2 hits + missed + alone); None without marks.

        Source: C. J. van Rijsbergen (1979), Information Retrieval, chapter 7, with equal weights.
        """
        return _share(2 * self.count("hit"), self.count("missed") + self.count("alone"))


def pooled(several: Iterable[Compared]) -> Compared:
    """Return the components of several images as one comparison."""
    return Compared(tuple(component for compared in several for component in compared.components))


def compared_sets(order: Sequence[str], reference: Iterable[str], answer: Iterable[str]) -> Compared:
    """Compare two sets of marked components; `order` lists all components."""
    theirs, ours = set(reference), set(answer)
    return Compared(
        tuple(
            ComparedComponent(key, verdict(key in theirs, key in ours))
            for key in order
            if key in theirs | ours
        )
    )


def verdict(in_reference: bool, in_answer: bool) -> Verdict:
    """Return the verdict on a component that at least one of the two marks."""
    if in_reference and in_answer:
        return "hit"
    return "missed" if in_reference else "alone"


def _share(part: int, rest: int) -> Fraction | None:
    return Fraction(part, part + rest) if part + rest else None
