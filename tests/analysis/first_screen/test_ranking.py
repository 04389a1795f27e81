"""Heading, rows and brackets of generators and prompts say no more than the corrected tests."""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from typing import Any

import pytest

from analysis.first_screen.prompts import PromptsPage, prompts_page
from analysis.first_screen.ranking import Bracket, Order, ranking_of
from analysis.first_screen.screen import headline_of

NO_INTERVAL: dict[str, Any] = {"low": None, "high": None, "refused": "one image"}


def mean(value: float | None, half: float = 0.2, n: int = 40) -> dict[str, Any]:
    """An estimate with an interval of value ± half."""
    limits = NO_INTERVAL if value is None or half == 0 else {"low": value - half, "high": value + half}
    return {"value": value, "n_units": n, "n_coders": 2, "refused": None, **limits}


def pair(a: str, b: str, gap: float, p: float) -> dict[str, Any]:
    """A test of a − b = gap, as a row of the differences."""
    near = 0.04 <= p <= 0.06
    verdict = "at the limit" if near else "clear" if p < 0.05 else ""
    return {"a": a, "b": b, "difference": mean(gap), "df": 10, "p": p, "p_holm": p, "verdict": verdict}


def order(
    means: dict[str, float],
    unclear: set[frozenset[str]],
    *,
    near: Collection[frozenset[str]] = (),
    higher_is_better: bool = False,
) -> Order:
    """Generators of which all pairs differ clearly, except these; some of them at the limit."""
    rows = [{"generator": name, "images": 40, "mean": mean(value)} for name, value in means.items()]
    tests = []
    for a, b in combinations(means, 2):
        both = frozenset((a, b))
        p = 0.4 if both in unclear else 0.045 if both in near else 0.001
        tests.append(pair(a, b, means[a] - means[b], p))
    return Order(rows, tests, higher_is_better=higher_is_better)


THREE = {"a": 0.8, "b": 1.8, "c": 2.1}


@pytest.mark.parametrize(
    ("unclear", "text", "clear"),
    [
        (set(), "a is best", True),
        ({"bc"}, "a is best", True),
        ({"ab"}, "a and b are best", True),
        ({"ab", "bc"}, "a is better than c", True),
        ({"ab", "ac"}, "b is better than c", True),
        ({"ab", "ac", "bc"}, "No generator is clearly best", False),
    ],
)
def test_who_is_best(unclear: set[str], text: str, clear: bool) -> None:
    found = headline_of(order(THREE, {frozenset(each) for each in unclear}))
    assert (found.text, found.clear) == (text, clear)
    assert found.means == (("a", "0.80"), ("b", "1.80"), ("c", "2.10"))


def test_on_a_scale_where_higher_is_better_the_highest_is_best() -> None:
    found = headline_of(order(THREE, {frozenset("ab")}, higher_is_better=True))
    assert found.text == "c is best"
    assert found.means[0] == ("c", "2.10")


def test_a_model_that_contradicts_the_means_decides() -> None:
    """Whoever judged mostly a is strict, so raw means say the opposite."""
    found = order({"a": 1.0, "b": 0.8}, set())
    assert headline_of(found).text == "b is best"
    turned = [{**test, "difference": mean(-0.5)} for test in found.tests]
    assert headline_of(Order(found.rows, turned)).text == "a is better than b"


FROM_0 = (0.0, None)


def test_brackets_join_what_differs_clearly() -> None:
    found = order({"c": 2.1, "a": 0.8, "b": 1.8}, {frozenset("bc")}, near={frozenset("ab")})
    assert found.brackets() == [Bracket(0, 1, near=True), Bracket(0, 2, near=False)]
    ranking = ranking_of(found, FROM_0)
    assert [row.generator for row in ranking.rows] == ["a", "b", "c"]
    assert [len(row.brackets) for row in ranking.rows] == [2, 2, 1]
    assert (ranking.has_brackets, ranking.has_near) == (True, True)
    first, last = ranking.rows[0].brackets[1], ranking.rows[2].brackets[0]
    assert (first.from_y, first.to_y, first.ends) == ("50%", "100%", True)
    assert (last.from_y, last.to_y, last.ends) == ("0%", "50%", True)
    between = ranking.rows[1].brackets[1]
    assert (between.from_y, between.to_y, between.ends) == ("0%", "100%", False)


def test_of_many_clear_pairs_the_nearest_are_joined() -> None:
    means = {name: float(place) for place, name in enumerate("abcde")}
    assert order(means, set()).brackets() == [Bracket(place, place + 1, near=False) for place in range(3)]
    neighbours = {frozenset(pair) for pair in ("ab", "bc", "cd", "de")}
    assert [(pair.first, pair.last) for pair in order(means, neighbours).brackets()] == [
        (0, 2),
        (1, 3),
        (2, 4),
    ]


def row_of(**about: Any) -> Any:
    row = {"generator": "a", "images": 80, "mean": mean(0.5), **about}
    return ranking_of(Order([row], []), FROM_0).rows[0]


def test_a_mean_without_an_interval_says_why() -> None:
    found = row_of(mean=mean(0.5, 0))
    assert (found.value, found.interval, found.low) == ("0.50", "one image", "")


def test_rank_and_share_without_errors_are_said_if_the_report_has_them() -> None:
    assert (row_of().rank, row_of().clean, row_of().some_clean) == ("", "", False)
    found = row_of(rank="1–2", clean=33)
    assert (found.rank, found.clean, found.some_clean) == ("rank 1–2", "41% without errors", True)
    assert row_of(images=8, clean=1).clean == "1 of 8 without errors"


PROMPTS: dict[str, float | None] = {"beach": 4.0, "arena": 2.0, "sofa": 1.0}


def listing(name: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """A table of a result."""
    columns = [{"name": column} for column in rows[0]] if rows else []
    return {"name": name, "columns": columns, "rows": [list(row.values()) for row in rows]}


def stored(
    means: dict[str, float | None], crossed: dict[str, dict[str, Any]] | None = None, n: int = 24
) -> dict[str, Any]:
    """A result with prompts, and the means of the generators on each."""
    own = crossed or {}
    rows = [
        {
            "prompt": name,
            "images": n,
            "mean": mean(value, n=n),
            **{f"generator {generator}": found for generator, found in own.get(name, {}).items()},
        }
        for name, value in means.items()
    ]
    names = list(next(iter(own.values()), {}))
    generators = [
        {"generator": name, "images": 24, "mean": mean(1.0 + place)} for place, name in enumerate(names)
    ]
    tables = [listing("prompts", rows), listing("generators", generators)]
    return {"tables": tables, "settings": {"scale": [0.0, None]}}


def values(**prompts: tuple[float, float]) -> dict[str, dict[str, Any]]:
    """The means of the generators x and y on prompts, of 8 images each."""
    return {name: {"x": mean(x, 0.1, 8), "y": mean(y, 0.1, 8)} for name, (x, y) in prompts.items()}


def page_of(found: dict[str, Any]) -> PromptsPage:
    page = prompts_page(found)
    assert page is not None
    return page


def test_the_heading_names_the_highest_mean_and_calls_nothing_clear() -> None:
    assert page_of(stored(PROMPTS)).heading == "“beach” has the highest mean"
    assert page_of(stored({"beach": 4.0})).heading == "There is one prompt"
    assert prompts_page(stored({})) is None
    assert prompts_page(stored({"beach": None})) is None


def test_a_mean_of_few_images_has_no_interval() -> None:
    """Two images gave 0.00 to 4.85: such limits say nothing, and 4.85 sets the axis of all rows."""
    crossed = {"beach": {"x": mean(1.0, 0.1, 8), "y": mean(2.0, 2.85, 2)}}
    (beach,) = page_of(stored({"beach": 1.0}, crossed, n=7)).rows
    assert (beach.interval, beach.low, beach.high) == ("too few: 7 of 8", "", "")
    assert [cell.interval for cell in beach.cells] == ["0.90 to 1.10", "2 images"]


def test_what_may_be_concluded() -> None:
    page = page_of(stored(PROMPTS, values(beach=(1.0, 3.0), arena=(2.0, 0.9), sofa=(0.1, 2.0))))
    assert [(said.word, f"{said.bold} {said.rest}") for said in page.conclusions] == [
        (
            "Not tested",
            "Whether prompts differ is not tested: their annotators and generators may differ too.",
        ),
        ("By count", "x has the lowest mean on 2 of 3 prompts; single means may differ by chance."),
        (
            "Limited",
            "These 3 prompts only. The comparison says whether the generators differ on other prompts too.",
        ),
    ]
