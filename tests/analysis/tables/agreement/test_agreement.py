"""The agreement report as people read it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from analysis.stats.agreement.agreement import agreement
from analysis.tables.agreement.agreement import agreement_tables
from analysis.tables.estimates import estimated, shared_out
from analysis.tables.table import Table, TableCell, rounded
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
    assert shared_out(estimate(0.389, 0.3349, 0.444)) == TableCell("39% [33, 44]", numeric=True)


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
    return {table.slug: table for table in agreement_tables(agreement(frame))}


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
        "disagreements",
    ]
    assert all(len(row) == len(table.headings) for table in tables.values() for row in table.rows)


def test_names_of_rows(tables: dict[str, Table]) -> None:
    first = {slug: [row[0].text for row in table.rows] for slug, table in tables.items()}
    assert first["pairs"] == ["ada – bo", "ada – cy", "bo – cy"]
    assert first["by_quarter"][0] == "1: 1970-01-01 to 1970-01-01"
    assert first["by_error_type"] == ["Missing", "Extra", "Configuration", "Orientation", "Proportion"]
    assert first["ladder"][:2] == ["All cells", "Missing"]


def test_the_map_has_each_cell_in_its_place(tables: dict[str, Table]) -> None:
    table = tables["by_cell"]
    types = ["Missing", "Extra", "Configuration", "Orientation", "Proportion"]
    assert [heading.text for heading in table.headings] == ["Body part", *types]
    assert [row[0].text for row in table.rows] == ["Torso", "Limbs", "Feet", "Hands", "Face"]
    notes = [[cell.note for cell in row[1:]] for row in table.rows]
    never = "not defined: no error was marked"
    everywhere = "not defined: all values are equal"
    assert notes[1] == [everywhere, never, never, never, never]
    assert notes[4] == [never, everywhere, never, never, never]


def test_every_slice_says_over_how_many_images_and_annotators(tables: dict[str, Table]) -> None:
    for slug in ("by_generator", "by_prompt", "by_prompt_group", "by_batch"):
        table = tables[slug]
        assert [heading.text for heading in table.headings[1:3]] == ["Images", "Annotators"]
        assert [[cell.text for cell in row[1:3]] for row in table.rows] == [["24", "3"]]
        assert "With fewer than 20 images, alpha is too low on average." in table.words
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


def test_every_interval_says_what_it_holds_fixed(tables: dict[str, Table]) -> None:
    fixed = "it holds for these annotators and these prompts."
    for slug in ("overall", "pairs", "by_generator", "by_cell"):
        assert fixed in tables[slug].words


def test_sentences_that_did_not_follow_are_gone(tables: dict[str, Table]) -> None:
    """Alpha of a rare cell may be anything."""
    assert "near 0" not in tables["by_cell"].words
    assert "one mark more or less changes alpha a lot" in tables["by_cell"].words


def test_other_annotators_and_what_the_adjustment_changes_stand_beside_alpha() -> None:
    rng = np.random.default_rng(2)
    names = ("ada", "bo", "cy", "di")
    frame = framed(
        *(
            rated(
                i,
                name,
                {"missing.limbs": f"{rng.integers(1, 5)}/4c", "extra.face": f"1/{rng.integers(1, 9)}b"},
            )
            for i in range(24)
            for name in names
        )
    )
    result = agreement(frame)
    table = agreement_tables(result)[0]
    assert [heading.text for heading in table.headings] == [
        "What is compared",
        "Level of measurement",
        "Alpha, pooled",
        "Other annotators",
        "Images",
        "Annotators",
        "Mean of pairs",
    ]
    assert [row[0].text for row in table.rows] == [
        "Cumulative score",
        "Overall severity",
        "Overall severity, shared images",
        "Cells",
        "Cumulative score, adjusted",
        "Adjusted minus raw score",
    ]
    score, difference = table.rows[0], table.rows[-1]
    others = result["over_annotators"]["cumulative_score"]
    assert score[3].text == f"{rounded(others['low'] or 0, 2)} to {rounded(others['high'] or 0, 2)}"
    assert score[6] == estimated(result["mean_of_pairs_estimates"]["cumulative_score"])
    few = agreement_tables({**result, "pairs": [{**pair, "images": 9} for pair in result["pairs"]]})[0]
    assert few.rows[0][6].note == "pairs share about 9 images: alpha is too low on average"
    assert difference[2] == estimated(result["adjusted_minus_raw"])


def test_bands_from_few_scores_have_no_interval_or_carry_a_caution() -> None:
    """anno and bo share 7 images, bo and cy 12."""
    rows = [rated(i, "ann", {"missing.limbs": f"1/{1 + i % 4}c"}) for i in range(30)]
    rows += [rated(i, "bo", {"missing.limbs": f"1/{1 + i % 3}c"}) for i in range(23, 60)]
    rows += [rated(i, "cy", {"missing.limbs": f"1/{1 + i % 5}c"}) for i in range(48, 80)]
    result = agreement(framed(*rows))
    tables = {table.slug: table for table in agreement_tables(result)}
    shared = [heading.text for heading in tables["pairs"].headings].index("Overall severity, shared images")
    first, second = (row[shared] for row in tables["pairs"].rows)
    assert first.text.startswith("0.35")
    assert first.note.endswith("7 images: bands cut from 7 scores; at least 8 are needed")
    assert second.note == "bands cut from as few as 12 scores: alpha is too low on average"
    mean = {row[0].text: row[-1] for row in tables["overall"].rows}["Overall severity, shared images"]
    assert mean.note == "includes 1 of 2 pairs with too few scores for bands"


@pytest.mark.thorough
def test_a_rarely_marked_cell_is_not_said_to_have_an_alpha_near_0() -> None:
    """Marked on the same one of 40 images, alpha is 1; on two different ones, it is near 0."""

    def cell(bo: int) -> Table:
        frame = framed(
            *(
                rated(i, name, {"extra.feet": "1/2c"} if i == marked else {"missing.face": "1/1a"})
                for i in range(40)
                for name, marked in (("ada", 3), ("bo", bo))
            )
        )
        return next(table for table in agreement_tables(agreement(frame)) if table.slug == "by_cell")

    (same,), (apart,) = ([row[2].text for row in cell(bo).rows if row[0].text == "Feet"] for bo in (3, 4))
    assert (same, apart[:5]) == ("1.00", "−0.01")
    assert "Where a cell is rarely marked, one mark more or less changes alpha a lot." in cell(3).words
