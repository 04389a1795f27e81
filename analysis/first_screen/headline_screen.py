"""The first screen of a comparison by a protocol's headline, on its own scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from analysis.first_screen.basis import BY_IMAGE, FEWEST, Basis, Scored
from analysis.first_screen.conclusions import Conclusion, either
from analysis.first_screen.headline import NAMED, OTHERS
from analysis.first_screen.ranking import Order, Ranked, Ranking, ranking_of
from analysis.models import Report
from analysis.tables.comparison.finding import is_clear
from analysis.tables.exclusions import real_pictures
from analysis.tables.listed import rows_of
from analysis.tables.table import rounded
from analysis.tables.wording import PLACES, counted, listed, p_value
from scoring.service import get_protocol

SHOWN: Final = 3

Row = Mapping[str, Any]


@dataclass(frozen=True)
class HeadlineRow:
    """A generator's row, without images."""

    ranked: Ranked
    strip: Sequence[Any] = ()


@dataclass(frozen=True)
class HeadlineScreen:
    """Everything above the sections; `lede` are the means of generators, best first."""

    headline: str
    clear: bool
    lede: Sequence[tuple[str, str]]
    more: str
    title: str
    higher_is_better: bool
    ranking: Ranking
    rows: Sequence[HeadlineRow]
    conclusions: Sequence[Conclusion]
    notes: Sequence[str]
    basis: Basis
    images: int
    has_strips: bool = False

    @property
    def axis(self) -> str:
        """The heading of the axis."""
        return f"{self.title}, mean over images"


def headline_screen(report: Report) -> HeadlineScreen | None:
    """Return the first screen of a finished comparison of tables; None for any other."""
    result: Mapping[str, Any] = report.result or {}
    if report.kind != Report.Kind.COMPARISON or "tables" not in result:
        return None
    tests = rows_of(result, "differences")
    means = [
        Scored(row["generator"], row["images"], row["mean"])
        for row in rows_of(result, "generators")
        if row["generator"] is not None
    ]
    headline = get_protocol(report.protocol).headline
    basis, higher = Basis(BY_IMAGE, means, tests), headline.higher_is_better
    order = Order(basis, higher_is_better=higher)
    ranking = ranking_of(order)
    text, clear = _headline(order)
    return HeadlineScreen(
        headline=text,
        clear=clear,
        lede=[(_name(scored.generator), _two(scored.mean["value"])) for scored in order.ranked[: OTHERS + 1]],
        more=counted(len(order.ranked) - OTHERS - 1, "other") if len(order.ranked) > OTHERS + 1 else "",
        title=headline.title,
        higher_is_better=higher,
        ranking=ranking,
        rows=[HeadlineRow(row) for row in ranking.rows],
        conclusions=[*_clear(tests, higher=higher), *_open(tests)],
        notes=[*filter(None, [real_pictures(result)])],
        basis=basis,
        images=sum(scored.n for scored in means),
    )


def _headline(order: Order) -> tuple[str, bool]:
    """Return the finding, and whether it is a clear one."""
    ranked = order.ranked
    if not ranked:
        return f"Too few scores: a generator needs {FEWEST} images", False
    if len(ranked) == 1:
        only = _name(ranked[0].generator)
        return (f"Only {only} has enough images" if order.others else f"{only} is the only generator"), False
    leaders = [_name(name) for name in order.leaders()]
    if not leaders:
        return "No generator is clearly best", False
    if len(leaders) == 1:
        return f"{leaders[0]} is best", True
    who = listed(leaders) if len(leaders) <= NAMED else f"{len(leaders)} generators"
    return f"{who} are best", True


def _clear(tests: Sequence[Row], *, higher: bool) -> Iterator[Conclusion]:
    """Yield who is better than whom, those better than most others first."""
    above: dict[str, list[tuple[str, Row]]] = {}
    for test in tests:
        if is_clear(test):
            first = (test["difference"]["value"] > 0) == higher
            better, worse = (test["a"], test["b"]) if first else (test["b"], test["a"])
            above.setdefault(better, []).append((worse, test))
    ordered = sorted(above.items(), key=lambda entry: -len(entry[1]))
    for better, worse_ones in ordered[:SHOWN]:
        gaps = [
            f"than {_name(worse)} by {_two(abs(test['difference']['value']))}"
            for worse, test in worse_ones[:SHOWN]
        ]
        if len(worse_ones) > SHOWN:
            gaps.append(f"than {counted(len(worse_ones) - SHOWN, 'other')}")
        p = p_value(max(test["p_holm"] for _, test in worse_ones))
        yield Conclusion("fine", "Clear", f"{_name(better)} is better", f"{listed(gaps)} ({p} after Holm).")
    if len(ordered) > SHOWN:
        more = sum(len(worse_ones) for _, worse_ones in ordered[SHOWN:])
        yield Conclusion("fine", "Clear", counted(more, "more pair"), "listed under Differences.")


def _open(tests: Sequence[Row]) -> Iterator[Conclusion]:
    """Yield who does not differ clearly, those nearest to a verdict first."""
    unclear = [test for test in tests if not is_clear(test)]
    ordered = sorted(unclear, key=lambda test: (test["p"] is None, test["p"] or 0))
    for test in ordered[:SHOWN]:
        told = either(test)
        if test["p_holm"] is not None:
            told += f" {p_value(test['p_holm'])} after Holm."
        yield Conclusion("look", "Inconclusive", f"{_name(test['a'])} or {_name(test['b'])}?", told)
    if len(ordered) > SHOWN:
        more = counted(len(ordered) - SHOWN, "more pair")
        yield Conclusion(
            "look", "Inconclusive", more, "without a clear difference, listed under Differences."
        )


def _name(generator: str) -> str:
    return generator or "(none)"


def _two(value: float) -> str:
    return rounded(value, PLACES)
