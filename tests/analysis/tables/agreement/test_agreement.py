"""The agreement and annotators reports as people read them."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.agreement.agreement import agreement
from analysis.stats.annotators.annotators import annotators
from analysis.tables.agreement.agreement import agreement_tables
from analysis.tables.annotators.annotators import annotator_tables
from analysis.tables.estimates import estimated, shared_out
from analysis.tables.table import Table, TableCell
from tests.analysis.stats.conftest import framed, rated

HOUR = 3_600_000_000


def estimate(value: float | None, low: float | None, high: float | None, refused: str | None = None) -> Any:
    return {"value": value, "low": low, "high": high, "refused": refused}


def test_an_estimate_with_what_is_known_of_it() -> None:
    assert estimated(estimate(-0.554, -0.6, 0.001)) == TableCell("−0.55 [−0.60, 0.00]", numeric=True)
    assert estimated(estimate(1.0, None, None, "it never varies")) == TableCell(
        "1.00", numeric=True, note="no interval: it never varies"
    )
    assert estimated(estimate(None, None, None, "too few: 3 images")) == TableCell(
        "–", numeric=True, note="not defined: too few: 3 images"
    )
    assert shared_out(estimate(0.389, 0.3349, 0.444)) == TableCell("39 % [33, 44]", numeric=True)


@pytest.fixture(scope="module")
def tables() -> dict[str, Table]:
    frame = framed(
        *(
            rated(
                i, name, {"missing.limbs": f"{1 + (i + k) % 3}/4c", "extra.face": f"1/{1 + i % 5}a"}
            )._replace(submitted=(i + k) * HOUR)
            for i in range(24)
            for k, name in enumerate(("ada", "bo", "cy"))
        )
    )
    found = [*agreement_tables(agreement(frame)), *annotator_tables(annotators(frame))]
    return {table.slug: table for table in found}


def test_what_is_shown(tables: dict[str, Table]) -> None:
    assert list(tables) == [
        "overall",
        "pairs",
        "by_generator",
        "by_prompt",
        "by_prompt_group",
        "by_batch",
        "by_quarter",
        "by_error_type",
        "by_body_part",
        "by_cell",
        "ladder",
        "cell_coefficients",
        "score_coefficients",
        "planner",
        "disagreements",
        "levels",
        "beside_others",
        "drift",
    ]
    assert all(len(row) == len(table.headings) for table in tables.values() for row in table.rows)


def test_names_of_rows(tables: dict[str, Table]) -> None:
    first = {slug: [row[0].text for row in table.rows] for slug, table in tables.items()}
    assert first["pairs"] == ["ada – bo", "ada – cy", "bo – cy"]
    assert first["by_quarter"][0] == "1: 1970-01-01 to 1970-01-01"
    assert first["by_error_type"] == ["Missing", "Extra", "Configuration", "Orientation", "Proportion"]
    assert first["ladder"][:2] == ["All cells", "Missing"]
    assert first["levels"] == ["ada", "bo", "cy"]


def test_the_map_has_each_cell_in_its_place(tables: dict[str, Table]) -> None:
    table = tables["by_cell"]
    types = ["Missing", "Extra", "Configuration", "Orientation", "Proportion"]
    assert [heading.text for heading in table.headings] == ["Body part", *types]
    assert [row[0].text for row in table.rows] == ["Torso", "Limbs", "Feet", "Hands", "Face"]
    notes = [[cell.note for cell in row[1:]] for row in table.rows]
    never = "not defined: nobody marked an error here"
    everywhere = "not defined: all values are equal"
    assert notes[1] == [everywhere, never, never, never, never]
    assert notes[4] == [never, everywhere, never, never, never]


def test_every_slice_says_over_how_many_images_and_annotators(tables: dict[str, Table]) -> None:
    for slug in ("by_generator", "by_prompt", "by_prompt_group", "by_batch"):
        table = tables[slug]
        assert [heading.text for heading in table.headings[1:3]] == ["Images", "Annotators"]
        assert [[cell.text for cell in row[1:3]] for row in table.rows] == [["24", "3"]]
        assert "With fewer than 40 images, the interval is likely too narrow." in table.words
    assert [[cell.text for cell in row[1:3]] for row in tables["by_quarter"].rows] == [["6", "3"]] * 4
    for slug in ("by_error_type", "by_body_part", "by_cell"):
        assert "pooled over 24 images and 3 annotators" in tables[slug].words


def test_agreement_over_time_says_why_it_is_missing() -> None:
    imported = framed(
        *(rated(i, name, {"missing.limbs": f"{1 + i % 3}/4c"}) for i in range(24) for name in ("ada", "bo"))
    )
    found = {table.slug: table for table in agreement_tables(agreement(imported))}["by_quarter"]
    why = "imported annotations have no timestamps"
    assert (found.rows, found.words) == ((), f"Cannot be computed: {why}.")


def test_the_planner_names_its_widths(tables: dict[str, Table]) -> None:
    headings = [heading.text for heading in tables["planner"].headings]
    assert headings == ["What is compared", "Now", "± 0.05", "± 0.10", "± 0.15", "± 0.20"]
    wanted = [int(cell.text.replace(",", "")) for cell in tables["planner"].rows[0][2:]]
    assert wanted == sorted(wanted, reverse=True)
