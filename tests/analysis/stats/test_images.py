"""One row per image: doubles averaged."""

from __future__ import annotations

import pytest

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
    assert table.codes("generator").tolist() == [1, 0]


def test_no_annotations() -> None:
    assert len(image_table(framed())) == 0
