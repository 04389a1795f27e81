"""One row per image: doubles averaged, decided values in their place."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.protocols.anatomy.comparison import anatomy_comparison as comparison
from analysis.stats.images import image_table
from tests.analysis.stats.conftest import framed, rated


def rows() -> list[object]:
    return [
        rated(7, "ada", {"missing.face": "1/2c"}, generator="x"),
        rated(7, "bo", {"missing.face": "1/1c", "extra.hands": "1/2b"}, generator="x"),
        rated(3, "ada", {"extra.hands": "1/5a"}, generator="y"),
    ]


def test_doubles_are_averaged() -> None:
    table = image_table(framed(*rows()))  # type: ignore[arg-type]
    assert table.scores.tolist() == [pytest.approx(0.04), pytest.approx(0.875)]
    assert table.severity.tolist() == [[0.2, 0, 0], [0, 0.25, 0.75]]
    assert table.types[1, 0].tolist() == [0, 0, 0.75]
    assert table.parts[1, 3].tolist() == [0, 0.25, 0]
    assert (table.coders.tolist(), table.codes("generator").tolist()) == ([1, 2], [1, 0])


def test_a_decided_value_takes_the_place_of_the_mean() -> None:
    decided = np.zeros((25, 3))
    decided[0, 2] = 0.25  # missing.torso, severe
    frame = framed(*rows())  # type: ignore[arg-type]
    table = image_table(frame, {7: decided, 99: decided})
    assert table.scores.tolist() == [pytest.approx(0.04), 0.25]
    assert (table.types[1].sum(), table.types[1, 0, 2], table.parts[1, 0, 2]) == (0.25, 0.25, 0.25)
    assert table.adjudicated == 1
    found = comparison(frame, adjudicated={7: decided})
    assert found["generators"][0]["image_mean"]["value"] == 0.25
    assert found["generators"][0]["mean"] == pytest.approx(0.875)
    assert found["settings"]["images_adjudicated"] == 1


def test_no_annotations() -> None:
    assert len(image_table(framed())) == 0
