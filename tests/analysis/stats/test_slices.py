"""Alphas by group, part of the grid and quarter, against the library on a filtered table."""

from __future__ import annotations

from typing import Any

import krippendorff
import numpy as np
import pytest

from analysis.stats.agreement.agreement import agreement
from analysis.stats.agreement.grid_parts import by_piece
from analysis.stats.agreement.groups import NO_TIMES, by_column, by_quarter
from analysis.stats.agreement.values import values_of, z_scores
from analysis.stats.agreement.variables import COMPUTED
from analysis.stats.bands import severity_bands
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from scoring.grid.taxonomy import CELLS
from tests.analysis.stats.conftest import framed, rated

HOUR = 3_600_000_000


def random_rows(seed: int, images: int = 48) -> list[RatedAnnotation]:
    """Random marks; every image is judged by one to four of five annotators."""
    rng = np.random.default_rng(seed)
    rows = []
    for image in range(images):
        for annotator in rng.permutation(5)[: rng.integers(1, 5)]:
            cells = {
                CELLS[cell].key: f"1/{rng.integers(1, 9)}{'abc'[rng.integers(3)]}"
                for cell in rng.permutation(25)[: rng.integers(0, 8)]
            }
            rows.append(
                rated(image, f"annotator {annotator}", cells, generator="xyz"[image % 3])._replace(
                    submitted=int(rng.integers(1, 1000)) * HOUR
                )
            )
    return rows


def table(frame: RatingsFrame, values: Any, rows: Any) -> Any:
    """Annotators x images (x cells, one after the other) of some rows, NaN where nobody judged."""
    people = len(frame.labels("annotator"))
    wide = np.full((people, int(frame.image_codes.max()) + 1, *values.shape[1:]), np.nan)
    wide[frame.codes("annotator")[rows], frame.image_codes[rows]] = values[rows]
    return wide.reshape(people, -1)


def library(frame: RatingsFrame, rows: Any) -> dict[str, float]:
    judged = values_of(frame)
    shared = np.zeros(len(frame))
    shared[judged.pairable] = severity_bands(
        frame.scores[judged.pairable], frame.codes("annotator")[judged.pairable]
    )
    every = severity_bands(frame.scores, frame.codes("annotator")).astype(float)
    values: dict[str, tuple[Any, Any]] = {
        "cumulative_score": (frame.scores, "interval"),
        "overall_severity": (shared, "ordinal"),
        "overall_severity_all_images": (every, "ordinal"),
        "cells": (frame.cells.astype(float), "nominal"),
        "cumulative_score_adjusted": (z_scores(frame.scores, frame.codes("annotator")), "interval"),
    }
    found = {name: (table(frame, column, rows), level) for name, (column, level) in values.items()}
    # Equal values have no alpha; the library refuses them.
    return {
        name: krippendorff.alpha(wide, level_of_measurement=level)
        for name, (wide, level) in found.items()
        if len(np.unique(wide[~np.isnan(wide)])) > 1
    }


@pytest.mark.parametrize("seed", range(4))
def test_groups_equal_the_library_on_their_images(seed: int) -> None:
    frame = framed(*random_rows(seed))
    judged = values_of(frame)
    found = by_column(frame, judged, "generator")
    assert [row["name"] for row in found["rows"]] == ["x", "y", "z"]
    for code, row in enumerate(found["rows"]):
        rows = np.flatnonzero((frame.codes("generator") == code) & judged.pairable)
        assert row["images"] == len(np.unique(frame.image_codes[rows]))
        for name, value in library(frame, rows).items():
            assert row[name]["value"] == pytest.approx(value, abs=1e-12), (row["name"], name)
            assert row[name]["low"] < value < row[name]["high"]
            assert (row[name]["n_units"], row[name]["n_coders"]) == (row["images"], 5)


@pytest.mark.parametrize("column", ["generator", "prompt", "prompt_group", "batch"])
def test_groups_of_the_published_study_equal_the_library(study_frame: RatingsFrame, column: str) -> None:
    judged = values_of(study_frame)
    for code, row in enumerate(by_column(study_frame, judged, column)["rows"]):
        rows = np.flatnonzero((study_frame.codes(column) == code) & judged.pairable)
        expected = library(study_frame, rows)
        for name in COMPUTED:
            assert row[name]["value"] == pytest.approx(expected.get(name), abs=1e-12), (row["name"], name)


@pytest.mark.parametrize("seed", range(4))
def test_pieces_equal_the_library(seed: int) -> None:
    assert_pieces_equal_the_library(framed(*random_rows(seed)))


def test_pieces_of_the_published_study_equal_the_library(study_frame: RatingsFrame) -> None:
    assert_pieces_equal_the_library(study_frame)


def assert_pieces_equal_the_library(frame: RatingsFrame) -> None:
    """Every error type, body part and cell: marked or not, and the part of the score."""
    judged = values_of(frame)
    found = by_piece(frame, judged)
    rows = np.flatnonzero(judged.pairable)
    for key, of in (("error_type", "error_type"), ("body_part", "body_part"), ("cell", "key")):
        for row in found[key]:
            members = [place for place, cell in enumerate(CELLS) if getattr(cell, of) == row["name"]]
            marked = table(frame, frame.cells[:, members].astype(float), rows)
            part = table(frame, frame.cell_scores[:, members].sum(axis=1), rows)
            expected = krippendorff.alpha(marked, level_of_measurement="nominal")
            assert row["cells"]["value"] == pytest.approx(expected, abs=1e-12)
            expected = krippendorff.alpha(part, level_of_measurement="interval")
            assert row["cumulative_score"]["value"] == pytest.approx(expected, abs=1e-12)
            assert row["marked"] == int(np.nansum(marked))


def test_an_image_of_two_batches_counts_where_two_people_judged_it() -> None:
    rows = [
        rated(i, name, {"missing.face": f"1/{1 + (i + k) % 5}c"})._replace(batch=batch)
        for i in range(8)
        for k, (name, batch) in enumerate([("A", "first"), ("B", "first"), ("C", "second")])
    ]
    frame = framed(*rows)
    found = by_column(frame, values_of(frame), "batch")["rows"]
    assert [(row["name"], row["images"], row["cells"]["n_coders"]) for row in found] == [
        ("first", 8, 2),
        ("second", 0, 0),
    ]
    assert found[1]["cells"]["refused"] == "too few: 0 images"


def test_quarters_are_equal_numbers_of_images_in_the_order_of_their_last_answer() -> None:
    frame = framed(*random_rows(9, images=60))
    judged = values_of(frame)
    found = by_quarter(frame, judged)
    pairable = len(np.unique(frame.image_codes[judged.pairable]))
    sizes = [row["images"] for row in found["rows"]]
    assert sum(sizes) == pairable
    assert max(sizes) - min(sizes) <= 1
    edges = [edge for row in found["rows"] for edge in (row["from"], row["to"])]
    assert edges == sorted(edges)
    last = frame.annotations[judged.pairable].groupby("image")["submitted"].max().sort_values(kind="stable")
    rows = np.flatnonzero(frame.annotations["image"].isin(last.index[: sizes[0]]))
    expected = library(frame, rows)["cells"]
    assert found["rows"][0]["cells"]["value"] == pytest.approx(expected, abs=1e-12)


def test_imported_answers_have_no_order() -> None:
    frame = framed(*(row._replace(submitted=-1) for row in random_rows(1)))
    found = by_quarter(frame, values_of(frame))
    assert found["rows"] == []
    assert found["refused"] == NO_TIMES


@pytest.mark.thorough
def test_an_annotator_without_spread_is_left_out_of_the_adjusted_score() -> None:
    steady = [rated(i, "annotator 9", {"missing.face": "1/2c"}) for i in range(48)]
    frame = framed(*random_rows(2), *steady)
    scores, annotators = z_scores(frame.scores, frame.codes("annotator")), frame.codes("annotator")
    assert np.isnan(scores[annotators == 5]).all()
    for code in range(5):
        of = scores[annotators == code]
        assert (of.mean(), of.std(ddof=1)) == (pytest.approx(0, abs=1e-12), pytest.approx(1))
    with_steady = agreement(frame)["pooled"]["cumulative_score_adjusted"]
    without = agreement(framed(*random_rows(2)))["pooled"]["cumulative_score_adjusted"]
    assert with_steady["value"] == pytest.approx(without["value"], abs=1e-12)
    assert with_steady["n_units"] == without["n_units"]
