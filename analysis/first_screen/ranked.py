"""The first screen of a ranking: one sentence, one picture, and what may be concluded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.first_screen.basis import BY_IMAGE, Basis, Scored
from analysis.first_screen.conclusions import Conclusion, either
from analysis.first_screen.headline import NAMED, OTHERS
from analysis.first_screen.ranking import Order, Ranked, Ranking, ranking_of
from analysis.models import Report
from analysis.tables.comparison.finding import is_clear
from analysis.tables.exclusions import real_pictures
from analysis.tables.ranking import rows_of
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, by_chance, counted, listed, tested

FEWEST: Final = 2
"""Prompts of a generator below which it has no interval and no rank."""
ENOUGH: Final = 8
"""Prompts of a generator below which it is marked as resting on few."""
SHOWN: Final = 3

Row = Mapping[str, Any]


@dataclass(frozen=True)
class RankedRow:
    """A generator's row, without images."""

    ranked: Ranked
    strip: Sequence[Any] = ()


@dataclass(frozen=True)
class RankedScreen:
    """Everything above the sections; `lede` are the means of generators, best first."""

    headline: str
    clear: bool
    lede: Sequence[tuple[str, str]]
    more: str
    title: str
    better: str
    ranking: Ranking
    rows: Sequence[RankedRow]
    conclusions: Sequence[Conclusion]
    notes: Sequence[str]
    basis: Basis
    images: int
    has_strips: bool = False

    @property
    def axis(self) -> str:
        """The heading of the axis."""
        return f"{self.title}, mean over prompts"


def ranked_screen(report: Report) -> RankedScreen | None:
    """Return the first screen of a finished ranking; None for any other report."""
    result: Mapping[str, Any] = report.result or {}
    if "ranking" not in result:
        return None
    about, rows = result["ranking"], rows_of(result, "generators")
    tests = rows_of(result, "generator_comparisons")
    means = [Scored(row["generator"], row["prompts"], row["mean"]) for row in rows]
    basis = Basis(BY_IMAGE, means, tests, unit="prompt")
    higher = about["higher_is_better"]
    order = Order(basis, higher_is_better=higher, fewest=FEWEST, enough=ENOUGH)
    ranking = ranking_of(order)
    headline, clear = _headline(order)
    return RankedScreen(
        headline=headline,
        clear=clear,
        lede=[(_name(one.generator), _two(one.mean["value"])) for one in order.ranked[: OTHERS + 1]],
        more=counted(len(order.ranked) - OTHERS - 1, "other") if len(order.ranked) > OTHERS + 1 else "",
        title=about["title"],
        better="Higher is better." if higher else "Lower is better.",
        ranking=ranking,
        rows=[RankedRow(row) for row in ranking.rows],
        conclusions=[*_clear(tests, higher=higher), *_open(tests)],
        notes=[*(row["note"] for row in rows_of(result, "design")), *filter(None, [real_pictures(result)])],
        basis=basis,
        images=about["images"],
    )


def _headline(order: Order) -> tuple[str, bool]:
    """Return the finding, and whether it is a clear one."""
    ranked = order.ranked
    if not ranked:
        return "Too few prompts for a ranking", False
    if len(ranked) == 1:
        only = _name(ranked[0].generator)
        what = "has enough prompts" if order.others else "is ranked: there is no other generator"
        return f"Only {only} {what}", False
    leaders = [_name(name) for name in order.leaders()]
    if not leaders:
        return "No clear ranking yet", False
    if len(leaders) == 1:
        return f"{leaders[0]} is ranked first", True
    who = listed(leaders) if len(leaders) <= NAMED else f"{len(leaders)} generators"
    return f"{who} share the first rank", True


def _clear(tests: Sequence[Row], *, higher: bool) -> Iterator[Conclusion]:
    """Yield who is ranked above whom, those above most others first."""
    above: dict[str, list[tuple[str, Row]]] = {}
    for test in tests:
        if is_clear(test):
            first = (test["difference"]["value"] > 0) == higher
            better, worse = (test["a"], test["b"]) if first else (test["b"], test["a"])
            above.setdefault(better, []).append((worse, test))
    ordered = sorted(above.items(), key=lambda entry: -len(entry[1]))
    for better, found in ordered[:SHOWN]:
        gaps = [
            f"{_name(worse)} by {_two(abs(test['difference']['value']))}" for worse, test in found[:SHOWN]
        ]
        if len(found) > SHOWN:
            gaps.append(counted(len(found) - SHOWN, "other"))
        chance = by_chance(max(test["p_holm"] for _, test in found), tested(tests))
        rest = f"{listed(gaps)}. Chance alone would do that {chance}."
        yield Conclusion("fine", "Clear", f"{_name(better)} is ranked above", rest)
    if len(ordered) > SHOWN:
        more = sum(len(found) for _, found in ordered[SHOWN:])
        yield Conclusion("fine", "Clear", counted(more, "more pair"), "listed under Differences.")


def _open(tests: Sequence[Row]) -> Iterator[Conclusion]:
    """Yield who is not ranked apart, those nearest to a verdict first."""
    unclear = [test for test in tests if not is_clear(test)]
    ordered = sorted(unclear, key=lambda test: (test["p"] is None, test["p"] or 0))
    for test in ordered[:SHOWN]:
        told = either(test, over=f", {counted(test['prompts_shared'], 'common prompt')}")
        if test["p_holm"] is not None:
            told += f" Chance alone would give such a difference {by_chance(test['p_holm'], tested(tests))}."
        yield Conclusion("look", "Inconclusive", f"{_name(test['a'])} or {_name(test['b'])}?", told)
    if len(ordered) > SHOWN:
        more = counted(len(ordered) - SHOWN, "more pair")
        yield Conclusion("look", "Inconclusive", more, "not ranked apart, listed under Differences.")


def _name(generator: str) -> str:
    return generator or "(none)"


def _two(value: float) -> str:
    return rounded(value, PLACES)
