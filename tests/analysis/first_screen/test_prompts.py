"""The page of prompts: heading, rows and what follows."""

from __future__ import annotations

from typing import Any

from analysis.first_screen.prompts import PromptsPage, prompts_page
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
