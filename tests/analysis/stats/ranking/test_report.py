"""The ranking report: the worked example, which way is better, and what makes generators incomparable."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.stats.ranking.report import ranking
from analysis.tables.generic import result_findings, result_methods
from tests.analysis.stats.generic.making import rows_of
from tests.analysis.stats.ranking.making import WORKED, scored


def by_name(result: dict[str, Any], table: str) -> dict[str, dict[str, Any]]:
    return {row["generator"]: row for row in rows_of(result, table)}


def test_the_worked_example_to_its_digits() -> None:
    result = ranking(scored(WORKED))
    assert [row["mean"]["value"] for row in rows_of(result, "generators")] == [8.25, 4.625, 4.125]
    tests = {(row["a"], row["b"]): row for row in rows_of(result, "generator_comparisons")}
    first, second = tests["gA", "gB"]["difference"], tests["gB", "gC"]["difference"]
    assert [round(first[key], 3) for key in ("value", "low", "high")] == [3.625, 2.624, 4.626]
    assert [round(second[key], 3) for key in ("value", "low", "high")] == [0.5, -1.75, 2.75]
    assert round(tests["gB", "gC"]["p"], 3) == 0.530


def test_all_resamples_of_the_worked_example_are_counted() -> None:
    result = ranking(scored(WORKED))
    shares = {
        name: [row[f"rank {place}"] for place in (1, 2, 3)] for name, row in by_name(result, "ranks").items()
    }
    # gB and gC are level in 24 of 256 resamples and then share the second rank.
    assert shares == {"gA": [1, 0, 0], "gB": [0, 0.8125, 0.1875], "gC": [0, 0.28125, 0.71875]}
    assert (result["ranking"]["resamples"], result["ranking"]["exact"]) == (4**4, True)
    ranks = {name: (row["rank_from"], row["rank_to"]) for name, row in by_name(result, "generators").items()}
    assert ranks == {"gA": (1, 1), "gB": (2, 3), "gC": (2, 3)}


def test_the_example_is_said_in_sentences() -> None:
    said = {(found.kind, found.text.split(":")[0]) for found in result_findings(ranking(scored(WORKED)))}
    assert said == {
        ("clear", "gA is ranked above gB"),
        ("clear", "gA is ranked above gC"),
        ("open", "gB and gC are not ranked apart"),
    }
    assert "higher values are better" in result_methods(ranking(scored(WORKED)))


def test_where_lower_is_better_the_order_turns_and_nothing_else() -> None:
    higher, lower = ranking(scored(WORKED)), ranking(scored(WORKED, higher_is_better=False))
    assert [row["generator"] for row in rows_of(lower, "generators")] == ["gC", "gB", "gA"]
    assert rows_of(lower, "generator_comparisons") == rows_of(higher, "generator_comparisons")
    assert by_name(lower, "ranks")["gA"]["rank 3"] == 1
    assert "gB is ranked above gA: difference −3.63 (joint 95% interval −5.15 to −2.10)" in " ".join(
        found.text for found in result_findings(lower)
    )
    assert "lower values are better" in result_methods(lower)


def test_images_of_a_prompt_are_averaged_first() -> None:
    one = rows_of(ranking(scored({"gA": [(1, 1, 1, 1, 1), 9], "gB": [5, 5]})), "generators")
    assert {row["generator"]: row["mean"]["value"] for row in one} == {"gA": 5.0, "gB": 5.0}
    assert {row["generator"]: row["images"] for row in one} == {"gA": 6, "gB": 2}


def test_different_prompts_and_numbers_are_noted_and_differences_use_common_prompts() -> None:
    result = ranking(scored({"gA": [8, 9, 2, None], "gB": [(4, 6), 6, None, 9]}))
    (test,) = rows_of(result, "generator_comparisons")
    assert (test["prompts_shared"], test["difference"]["value"]) == (2, 3.0)
    notes = [row["note"] for row in rows_of(result, "design")]
    assert "2 of 4 are common to all" in notes[0]
    assert "1 to 2 for a prompt" in notes[1]
    assert "design" not in {table["name"] for table in ranking(scored(WORKED))["tables"]}


def test_resamples_without_a_prompt_of_some_generator_are_left_out_and_counted() -> None:
    result = ranking(scored({"gA": [8, 9], "gB": [4, None]}))
    # Of the four resamples of two prompts, one has only the prompt that gB lacks.
    assert (result["ranking"]["resamples"], result["ranking"]["drawn"]) == (3, 4)
    (words,) = (table["words"] for table in result["tables"] if table["name"] == "ranks")
    assert "1 resamples without" in words


@pytest.mark.parametrize(
    "table", [{"gA": [8, 9]}, {"gA": [8], "gB": [4]}, {"gA": [8, None], "gB": [None, 4]}]
)
def test_too_little_to_compare_is_refused_with_its_reason(table: dict[str, list[float | None]]) -> None:
    result = ranking(scored(table))
    for row in rows_of(result, "generators"):
        if row["prompts"] == 1:
            assert row["mean"]["refused"] == "fewer than 2 prompts"
    for row in rows_of(result, "generator_comparisons"):
        assert row["difference"]["refused"] == "fewer than 2 prompts that both drew"
        assert row["p_holm"] is None
    assert all(found.kind != "clear" for found in result_findings(result))


def test_many_prompts_are_resampled_by_a_fixed_seed() -> None:
    table: dict[str, list[float]] = {
        "gA": [(7 * place) % 10 + 0.2 for place in range(700)],
        "gB": [(3 * place) % 10 for place in range(700)],
    }
    one, two = ranking(scored(table)), ranking(scored(table))
    assert one == two
    assert (one["ranking"]["drawn"], one["ranking"]["exact"]) == (2000, False)
    assert 0.5 < by_name(one, "ranks")["gA"]["rank 1"] < 1
