"""The page of prompts: heading, rows and what follows."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.prompts import FIRST, MOST, PromptsPage, prompts_page
from tests.analysis.first_screen.making import mean

THREE: dict[str, float | None] = {"beach": 4.0, "arena": 2.0, "sofa": 1.0}


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
    assert page_of(stored(THREE)).heading == "“beach” has the highest mean"
    assert page_of(stored({"beach": 4.0})).heading == "There is one prompt"
    assert prompts_page(stored({})) is None
    assert prompts_page(stored({"beach": None})) is None


def test_rows_go_from_the_highest_mean_to_the_lowest_on_one_axis() -> None:
    page = page_of(stored(dict(reversed(THREE.items()))))
    assert [(row.prompt, row.value, row.interval) for row in page.rows] == [
        ("beach", "4.00", "3.80 to 4.20"),
        ("arena", "2.00", "1.80 to 2.20"),
        ("sofa", "1.00", "0.80 to 1.20"),
    ]
    assert [row.at for row in page.rows] == ["80.00%", "40.00%", "20.00%"]
    assert [tick.text for tick in page.ticks] == ["0", "1", "2", "3", "4", "5"]
    assert page.lede == "Mean per image over all generators, from “beach”, 4.00, to “sofa”, 1.00."


@pytest.mark.parametrize(
    ("prompts", "shown"), [(FIRST + 1, (FIRST + 1, 0, 0)), (MOST + 3, (FIRST, MOST - FIRST, 3))]
)
def test_many_prompts_are_folded_or_left_out(prompts: int, shown: tuple[int, int, int]) -> None:
    means: dict[str, float | None] = {f"prompt {place:03}": 1 + place / 10 for place in range(prompts)}
    page = page_of(stored(means))
    assert (len(page.rows), len(page.further), page.left_out) == shown
    names = [row.prompt for row in (*page.rows, *page.further)]
    assert names == sorted(means, reverse=True)[:MOST]


def test_each_generator_is_shaded_by_the_largest_mean() -> None:
    page = page_of(stored(THREE, values(beach=(5.0, 3.9), arena=(2.1, 0.9), sofa=(0.0, 2.0))))
    assert page.generators == ["x", "y"]
    cells = page.rows[0].cells
    assert [(cell.value, cell.shade, cell.link) for cell in cells] == [
        ("5.00", 4, "prompt=beach&generator=x"),
        ("3.90", 3, "prompt=beach&generator=y"),
    ]
    assert [cell.shade for row in page.rows[1:] for cell in row.cells] == [2, 0, 0, 2]
    assert page.rows[0].beside == "view=compare&prompt=beach"


def test_a_mean_of_few_images_has_no_interval() -> None:
    """Two images gave 0.00 to 4.85: such limits say nothing, and 4.85 sets the axis of all rows."""
    crossed = {"beach": {"x": mean(1.0, 0.1, 8), "y": mean(2.0, 2.85, 2)}}
    (beach,) = page_of(stored({"beach": 1.0}, crossed, n=7)).rows
    assert (beach.interval, beach.low, beach.high) == ("too few: 7 of 8", "", "")
    assert [cell.interval for cell in beach.cells] == ["0.90 to 1.10", "2 images"]


def test_what_may_be_concluded() -> None:
    page = page_of(stored(THREE, values(beach=(1.0, 3.0), arena=(2.0, 0.9), sofa=(0.1, 2.0))))
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
