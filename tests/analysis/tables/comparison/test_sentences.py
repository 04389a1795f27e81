"""The methods of a comparison name everything that a paper has to, under every protocol."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.protocols.realism.comparison import realism_comparison
from analysis.stats.comparison.generators import LOG
from analysis.stats.comparison.generic import comparison
from analysis.tables.comparison.sentences import comparison_methods
from scoring.grid.taxonomy import BODY_PARTS
from scoring.realism.reliability import DRAWN, SEED
from tests.analysis.protocols.realism.making import WORKED, rated
from tests.analysis.stats.generic.making import presence, rows_of, stars

RULE = (
    "The score of an image is consolidated from its ratings: where none is above 8, it is the mean of the "
    "two highest; otherwise the mean of the ratings strictly inside median ± half the interquartile range, "
    "or of all if there are none. Images with 3 or more invalid votes have no score (1), nor have those "
    "with fewer than 3 ratings (0)."
)


def methods(result: dict[str, Any], title: str, headline: str) -> str:
    return comparison_methods({**result, "protocol": {"title": title, "headline": headline}})


def test_realism_names_raters_scale_and_rule_and_averages_nothing() -> None:
    """Once: “averaging several annotations of an image”, and neither algorithm, raters nor scale."""
    generators, prompts = ["gA", "gB"] * 3, ["p", "p", "q", "q", "r", "r"]
    text = methods(realism_comparison(rated(WORKED, generators, prompts)), "Realism", "Realism")
    assert text.startswith("Five annotators made 24 annotations of 5 images, 4 to 5 of each. ")
    assert "The protocol “Realism” measures “realism”, from 1 to 10." in text
    assert RULE in text
    assert "by a linear mixed model of all annotations, with the generator as a fixed effect" in text
    assert "by Holm's method (Holm 1979)" in text
    for absent in ("averag", "the mean of its annotations", "random sample", "seed"):
        assert absent not in text


def test_resamples_that_are_drawn_have_their_seed() -> None:
    many = {f"rater {number}": "9 8 7" for number in range(7)}
    text = methods(realism_comparison(rated(many)), "Realism", "Realism")
    assert f"are from {DRAWN:,} resamples of an image's votes, seed {SEED}." in text


def test_presence_averages_and_counts_from_0_to_25() -> None:
    frame = presence([(image, who, "missing.face") for image in range(4) for who in "ab"])
    text = methods(comparison(frame), "Presence", "Cells marked")
    assert "Two annotators made 8 annotations of 4 images, 2 of each." in text
    assert (
        "measures “cells marked”, from 0 to 25. The score of an image annotated more than once is the "
        in text
    )


@pytest.mark.parametrize("starts_at_0", [True, False])
def test_methods_name_the_plain_tests_that_the_page_has(starts_at_0: bool) -> None:
    """Realism and stars do not start at 0; their methods named a row that no page had."""
    answers = [(image, who, 1 + (2 * image + (who == "b")) % 5) for image in range(8) for who in "ab"]
    marked = [
        (image, who, " ".join(f"missing.{part}" for part in BODY_PARTS[:n])) for image, who, n in answers
    ]
    result = comparison(presence(marked) if starts_at_0 else stars(answers))
    text = methods(result, "Protocol", "Headline")
    (plain,) = (table for table in result["tables"] if table["name"] == "plain")
    assert [
        LOG in {row["method"] for row in rows_of(result, "plain")},
        LOG in text,
        LOG in plain["words"],
    ] == [starts_at_0] * 3
