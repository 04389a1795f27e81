"""Rules of a qualification: what annotations must reach, compared with references.

A rule is a threshold per term. A protocol says which terms it offers (`Protocol.rule_terms`); without any of
its own it has the generic ones.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from scoring.comparison import Compared, pooled
from scoring.parametric_intervals import Interval, clopper_pearson, mean_interval

ENOUGH_IMAGES: Final = 20
"""With fewer images, intervals are so wide that passing means little."""


@dataclass(frozen=True)
class JudgedImage:
    """An annotation compared with its reference.

    `difference` is that of their headlines, without sign; None if one of them has no headline.
    """

    compared: Compared
    difference: Fraction | None


@dataclass(frozen=True)
class Measure:
    """The value of a term over several images, with its 95% interval; None for what does not exist."""

    value: Fraction | None
    interval: Interval | None = None


@dataclass(frozen=True)
class RuleTerm:
    """One term of a rule: a measure that must be at least, or at most, a threshold.

    `default` is the threshold proposed, None for none. `share` tells that the measure is from 0 to 1.
    """

    name: str
    title: str
    help: str
    measure: Callable[[Sequence[JudgedImage]], Measure]
    default: Fraction | None = None
    at_least: bool = True
    share: bool = True

    def is_met(self, value: Fraction | None, threshold: Fraction) -> bool:
        """Tell whether a measure reaches the threshold; one that does not exist cannot miss it."""
        if value is None:
            return True
        return value >= threshold if self.at_least else value <= threshold


@dataclass(frozen=True)
class TermResult:
    """A term's measure beside what was required."""

    term: RuleTerm
    required: Fraction
    measured: Measure

    @property
    def is_met(self) -> bool:
        """Whether the requirement is met, by the measure itself and not by its interval."""
        return self.term.is_met(self.measured.value, self.required)


def check_rule(terms: Sequence[RuleTerm], wanted: Mapping[str, Fraction]) -> None:
    """Raise ValueError for no terms, an unknown one, or one that nobody can meet or miss."""
    known = {term.name: term for term in terms}
    if not wanted:
        raise ValueError("Set at least one requirement. Without any, everybody would pass.")
    for name, threshold in wanted.items():
        if name not in known:
            raise ValueError(f"There is no requirement {name!r}; expected {', '.join(known)}.")
        term, told = known[name], f"{float(threshold):g}"
        if term.share and threshold > 1:
            raise ValueError(f"{term.title}: nobody can reach {told}. Enter a share from 0 to 1.")
        if threshold < 0:
            raise ValueError(f"{term.title}: {told} is below 0. Enter 0 or more.")
        if term.at_least and threshold == 0:
            raise ValueError(f"{term.title}: everybody reaches 0. Enter more, or leave it empty.")


def results_of(
    terms: Sequence[RuleTerm], rule: Mapping[str, Fraction], judged: Sequence[JudgedImage]
) -> list[TermResult]:
    """Return the result of each term of a rule, in the protocol's order."""
    return [TermResult(term, rule[term.name], term.measure(judged)) for term in terms if term.name in rule]


def _recall(judged: Sequence[JudgedImage]) -> Measure:
    compared = pooled(image.compared for image in judged)
    hits = compared.count("hit")
    return Measure(compared.recall, clopper_pearson(hits, hits + compared.count("missed")))


def _precision(judged: Sequence[JudgedImage]) -> Measure:
    compared = pooled(image.compared for image in judged)
    hits, missed = compared.count("hit"), compared.count("missed")
    # An annotator who marks nothing although there is something marks nothing correctly.
    value = Fraction(0) if compared.precision is None and missed else compared.precision
    return Measure(value, clopper_pearson(hits, hits + compared.count("alone")))


def _f1(judged: Sequence[JudgedImage]) -> Measure:
    """F1 with the interval of J = hits / (hits + missed + alone), since F1 = 2 J / (1 + J) grows with J."""
    compared = pooled(image.compared for image in judged)
    interval = clopper_pearson(compared.count("hit"), len(compared.components))
    if interval is None:
        return Measure(None)
    low, high = (2 * share / (1 + share) for share in interval)
    return Measure(compared.f1, (low, high))


def _difference(judged: Sequence[JudgedImage]) -> Measure:
    values = [image.difference for image in judged if image.difference is not None]
    if not values:
        return Measure(None)
    interval = mean_interval(values)
    # A difference without sign is never below 0.
    return Measure(sum(values) / Fraction(len(values)), interval and (max(0.0, interval[0]), interval[1]))


RECALL: Final = RuleTerm(
    "recall", "Cells found", "Share of the references’ cells that the annotator marks.", _recall
)
PRECISION: Final = RuleTerm(
    "precision",
    "Cells rightly marked",
    "Share of the annotator’s cells that the references mark.",
    _precision,
)
F1: Final = RuleTerm(
    "f1", "Agreement on cells (F1)", "2 × found ÷ (2 × found + missed + not in the reference).", _f1
)
DIFFERENCE: Final = RuleTerm(
    "difference",
    "Mean difference of scores",
    "Difference from the reference’s score, without sign, on average.",
    _difference,
    at_least=False,
    share=False,
)

GENERIC_TERMS: Final = (
    replace(RECALL, default=Fraction(7, 10)),
    replace(PRECISION, default=Fraction(6, 10)),
    F1,
)
"""The terms of a protocol that names none."""
