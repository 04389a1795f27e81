"""The page of prompts: heading, rows and what follows."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.prompts import FIRST, MOST, PromptsPage, prompts_page
from tests.analysis.blank import blank
from tests.analysis.first_screen.making import mean, pair

THREE = {"beach": 4.0, "arena": 2.0, "sofa": 1.0}


def stored(
    means: dict[str, float], clear: set[frozenset[str]], p: float = 0.001, **keys: Any
) -> dict[str, Any]:
    """A result with prompts, of which these pairs differ clearly."""
    names = list(means)
    pairs = [
        pair(a, b, means[a] - means[b], clear=frozenset((a, b)) in clear)
        for place, a in enumerate(names)
        for b in names[place + 1 :]
    ]
    tests = {
        "overall": {"f": 3.0, "df1": 2, "df2": 60, "p": p, "refused": None},
        "refused": None,
        "tested": len(pairs),
        "clear": sum(frozenset((each["a"], each["b"])) in clear for each in pairs),
        "pairs": pairs,
        "pairs_left_out": 0,
    }
    rows = [{"prompt": name, "images": 24, "image_mean": mean(value)} for name, value in means.items()]
    return blank("comparison", prompts=rows, group_tests={"prompts": tests}, **keys)


def crossed(values: dict[str, dict[str, float]], p: float) -> dict[str, Any]:
    """The part of a result with generators by prompt."""
    rows = [
        {
            "prompt": prompt,
            "images": 24,
            "generators": [{"generator": name, "mean": mean(value, 0.1, 8)} for name, value in own.items()],
        }
        for prompt, own in values.items()
    ]
    names = list(next(iter(values.values())))
    return {
        "generators_by_prompt": {"interaction": {"f": 3.0, "df1": 2, "df2": 50, "p": p}, "prompts": rows},
        "weights": {"ranking": names},
    }


def page_of(found: dict[str, Any]) -> PromptsPage:
    page = prompts_page(found)
    assert page is not None
    return page


def test_the_heading_names_a_prompt_only_if_it_differs_clearly_from_all_others() -> None:
    apart = {frozenset(("beach", "arena")), frozenset(("beach", "sofa"))}
    assert page_of(stored(THREE, apart)).heading == "“beach” is the hardest prompt"
    two = {frozenset(("beach", "sofa")), frozenset(("arena", "sofa"))}
    assert page_of(stored(THREE, two)).heading == "“beach” and “arena” are the hardest prompts"
    assert (
        page_of(stored(THREE, {frozenset(("beach", "sofa"))})).heading
        == "Some prompts are harder than others"
    )
    assert page_of(stored(THREE, set(), p=0.3)).heading == "No prompt is clearly harder than another"
    # One pair may differ although the test of all does not, and the other way round.
    one = page_of(stored(THREE, {frozenset(("arena", "sofa"))}, p=0.3))
    assert one.heading == "Some prompts are harder than others"
    assert (one.conclusions[0].bold, one.conclusions[0].rest) == (
        "1 of 3 pairs of prompts",
        "differs clearly.",
    )
    none = page_of(stored(THREE, set(), p=0.001))
    assert none.heading == "No prompt is clearly harder than another"
    assert none.conclusions[0].rest == "differ clearly, of 3 pairs of prompts."
    assert page_of(stored({"beach": 4.0}, set())).heading == "There is one prompt"


def test_rows_go_from_most_errors_to_fewest_on_one_axis() -> None:
    page = page_of(stored(dict(reversed(THREE.items())), set()))
    assert [(row.prompt, row.value, row.interval) for row in page.rows] == [
        ("beach", "4.00", "3.80 to 4.20"),
        ("arena", "2.00", "1.80 to 2.20"),
        ("sofa", "1.00", "0.80 to 1.20"),
    ]
    assert [row.at for row in page.rows] == ["80.00%", "40.00%", "20.00%"]
    assert (
        page.lede
        == "Mean per image over all generators, from “beach”, 4.00, to “sofa”, 1.00. A higher mean means "
        "more errors."
    )


@pytest.mark.parametrize(
    ("prompts", "shown"), [(FIRST + 1, (FIRST + 1, 0, 0)), (MOST + 3, (FIRST, MOST - FIRST, 3))]
)
def test_many_prompts_are_folded_or_left_out(prompts: int, shown: tuple[int, int, int]) -> None:
    means = {f"prompt {place:03}": 1 + place / 10 for place in range(prompts)}
    page = page_of(stored(means, set()))
    assert (len(page.rows), len(page.further), page.left_out) == shown
    names = [row.prompt for row in (*page.rows, *page.further)]
    assert names == sorted(means, reverse=True)[:MOST]


def test_each_generator_is_shaded_by_the_largest_mean() -> None:
    values = {"beach": {"x": 5.0, "y": 3.9}, "arena": {"x": 2.1, "y": 0.9}, "sofa": {"x": 0.0, "y": 2.0}}
    page = page_of(stored(THREE, set(), **crossed(values, 0.0001)))
    assert page.generators == ["x", "y"]
    cells = page.rows[0].cells
    assert [(cell.value, cell.shade, cell.link) for cell in cells] == [
        ("5.00", 4, "prompt=beach&generator=x"),
        ("3.90", 3, "prompt=beach&generator=y"),
    ]
    assert [cell.shade for row in page.rows[1:] for cell in row.cells] == [2, 0, 0, 2]
    assert page.rows[0].beside == "view=compare&prompt=beach"


def test_a_mean_of_few_images_has_no_interval_as_in_the_comparison() -> None:
    """Two images gave 0.00 to 4.85: such limits say nothing, and 4.85 sets the axis of all rows."""
    found = stored(THREE, set(), **crossed({"beach": {"x": 1.0, "y": 2.0}}, 0.5), **adjusted({"beach": 2.5}))
    found["prompts"] = [
        {"prompt": "beach", "images": 7, "image_mean": mean(1.0, 40.0, 7)},
        {"prompt": "arena", "images": 8, "image_mean": mean(0.5, 0.3, 8)},
    ]
    found["generators_by_prompt"]["prompts"][0]["generators"][1]["mean"] = mean(2.0, 2.85, 2)
    beach, arena = page_of(found).rows
    assert (beach.interval, beach.low, beach.high, beach.at) == ("too few: 7 of 8", "", "", "83.33%")
    assert (beach.other, beach.other_interval) == ("2.50", "too few: 7 of 8")
    assert [cell.interval for cell in beach.cells] == ["0.90 to 1.10", "2 images"]
    assert arena.interval == "0.20 to 0.80"


def said(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one.word, f"{one.bold} {one.rest}") for one in page_of(found).conclusions]


def test_what_may_be_concluded() -> None:
    values = {"beach": {"x": 1.0, "y": 3.0}, "arena": {"x": 2.0, "y": 0.9}, "sofa": {"x": 0.1, "y": 2.0}}
    clear = {frozenset(("beach", "sofa"))}
    assert said(stored(THREE, clear, **crossed(values, 0.0001))) == [
        ("Clear", "1 of 3 pairs of prompts differs clearly."),
        (
            "Clear",
            "How far generators differ depends on the prompt. Chance alone would do that in fewer than 1 of "
            "1,000 studies (p < 0.001).",
        ),
        ("By count", "x has the lowest mean on 2 of 3 prompts; single means may differ by chance."),
        (
            "Limited",
            "These 3 prompts only. The comparison says whether the generators differ on other prompts too.",
        ),
    ]
    open_one = said(stored(THREE, set(), **crossed(values, 0.2)))
    assert open_one[0] == ("Inconclusive", "No two prompts differ clearly, of 3 pairs of prompts.")
    assert open_one[1][0] == "Inconclusive"


def test_results_of_other_protocols_have_rows_without_tests() -> None:
    table = {
        "name": "prompts",
        "columns": [{"name": name} for name in ("prompt", "images", "mean")],
        "rows": [["beach", 30, mean(4.0)], ["sofa", 30, mean(None)], ["arena", 10, mean(5.0)]],
    }
    page = page_of({"tables": [table]})
    assert [(row.prompt, row.few, row.cells) for row in page.rows] == [
        ("arena", True, ()),
        ("beach", False, ()),
    ]
    assert page.heading == "“arena” has the highest mean"
    assert page.lede == "Mean per image over all generators, from “arena”, 5.00, to “beach”, 4.00."
    assert [one.word for one in page.conclusions] == ["Not tested", "Limited"]
    assert prompts_page({"tables": []}) is None
    assert prompts_page({"tables": []}) is None


def adjusted(means: dict[str, float], **states: str) -> dict[str, Any]:
    """The part of a result with adjusted means and the states of balance."""
    spread = {name: {"state": states.get(name, "even")} for name in ("annotators_by_prompt", "prompts")}
    rows = [{"prompt": name, "mean": mean(value, 0.3)} for name, value in means.items()]
    return {"adjusted": {"prompts": rows}, "balance": {"spread": spread}}


ADJUSTED = {"beach": 2.5, "arena": 3.0, "sofa": 1.1}


def test_the_adjusted_mean_stands_beside_the_raw_one() -> None:
    page = page_of(stored(THREE, set(), **adjusted(ADJUSTED, annotators_by_prompt="chance")))
    assert (page.measure, page.other) == ("Mean per image", "Adjusted mean")
    assert [(row.prompt, row.value, row.other, row.other_interval) for row in page.rows] == [
        ("beach", "4.00", "2.50", "2.20 to 2.80"),
        ("arena", "2.00", "3.00", "2.70 to 3.30"),
        ("sofa", "1.00", "1.10", "0.80 to 1.40"),
    ]
    bare = page_of(stored(THREE, set()))
    assert (bare.other, {row.other for row in bare.rows}) == ("", {""})


def test_the_adjusted_mean_leads_where_prompts_are_skewed_over_annotators() -> None:
    apart = {frozenset(("beach", "arena")), frozenset(("beach", "sofa"))}
    found = stored(THREE, apart, **adjusted(ADJUSTED, annotators_by_prompt="skewed"))
    page = page_of(found)
    assert (page.measure, page.other) == ("Adjusted mean per image", "Raw mean")
    assert [(row.prompt, row.value, row.interval, row.other) for row in page.rows] == [
        ("arena", "3.00", "2.70 to 3.30", "2.00"),
        ("beach", "2.50", "2.20 to 2.80", "4.00"),
        ("sofa", "1.10", "0.80 to 1.40", "1.00"),
    ]
    # Raw means make beach the hardest; their tests say nothing about the adjusted ones.
    assert page.heading == "“arena” has the highest adjusted mean"
    assert page.lede == (
        "Adjusted mean per image over all generators, from “arena”, 3.00, to “sofa”, 1.10. A higher mean "
        "means more errors."
    )
    assert said(found)[0] == (
        "Adjusted",
        "Means are adjusted for annotators, over which the prompts are spread unevenly; they are not tested.",
    )
    both = said(stored(THREE, apart, **adjusted(ADJUSTED, annotators_by_prompt="skewed", prompts="skewed")))
    assert "adjusted for annotators and generators, over which" in both[0][1]
    # Beyond the prompts that are listed, there is no adjusted mean.
    fewer = page_of(stored(THREE, apart, **adjusted({"arena": 3.0}, prompts="skewed")))
    assert ([row.prompt for row in fewer.rows], fewer.left_out) == (["arena"], 2)
