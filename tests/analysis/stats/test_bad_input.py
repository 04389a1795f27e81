"""Projects with too little, or nothing that differs: every number is right or refused with the reason."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from analysis.protocols.anatomy.agreement import anatomy_agreement as agreement
from analysis.stats import bootstrap_intervals
from analysis.stats.bootstrap_intervals import NEVER_VARIES
from analysis.stats.frames import RatedAnnotation, RatingsFrame
from analysis.stats.generic.alphas import ALL_EQUAL
from analysis.stats.generic.tables import rows_of
from analysis.tables.generic import result_findings, result_methods, result_tables
from analysis.tables.table import as_text
from tests.analysis.stats.conftest import framed, rated

SOME = {"missing.limbs": "1/4c", "extra.hands": "1/2a"}


def everybody(images: int, *names: str, **fields: Any) -> list[RatedAnnotation]:
    """Each image judged by each annotator, with marks that differ."""
    return [
        rated(i, name, {"missing.limbs": f"1/{1 + (i + k) % 4}{'abc'[(i * k) % 3]}"}, **fields)
        for i in range(1, images + 1)
        for k, name in enumerate(names)
    ]


FRAMES: dict[str, list[RatedAnnotation]] = {
    "nothing": [],
    "one annotation": [rated(1, "A", SOME)],
    "one image": everybody(1, "A", "B", "C"),
    "two images": everybody(2, "A", "B"),
    "no doubles": [rated(i, "AB"[i % 2], SOME) for i in range(40)],
    "one annotator": everybody(30, "A"),
    "one generator": everybody(30, "A", "B"),
    "all scores equal": [rated(i, name, SOME) for i in range(30) for name in "AB"],
    "few, all scores equal": [rated(i, name, SOME) for i in range(7) for name in "AB"],
    "no errors anywhere": [rated(i, name, {}) for i in range(30) for name in "AB"],
    "few, no errors anywhere": [rated(i, name, {}) for i in range(6) for name in "AB"],
    "one mark in all": [
        rated(i, name, SOME if i + ord(name) == 65 else {}) for i in range(30) for name in "AB"
    ],
    "one of two never marks": [
        rated(i, name, SOME if name == "A" else {}) for i in range(30) for name in "AB"
    ],
    "somebody new": [*everybody(30, "A", "B"), rated(1, "C", SOME)],
    "few images, many annotators": everybody(5, *"ABCDEFGH"),
    "empty names": everybody(12, "A", "B", generator="", prompt="", prompt_group=""),
}


@pytest.fixture(autouse=True)
def few_replicates(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(bootstrap_intervals, "REPLICATES", 200)
    bootstrap_intervals._weightings.cache_clear()
    yield
    bootstrap_intervals._weightings.cache_clear()


def estimates(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, dict):
        if "refused" in value and "low" in value:
            yield value
        for inner in value.values():
            yield from estimates(inner)
    if isinstance(value, list):
        for inner in value:
            yield from estimates(inner)


def alpha_of(rows: list[RatedAnnotation]) -> Any:
    return rows_of(agreement(framed(*rows)), "agreement")[0]["pooled"]


@pytest.fixture(params=FRAMES, ids=str)
def frame(request: pytest.FixtureRequest) -> RatingsFrame:
    return framed(*FRAMES[request.param])


@pytest.mark.few(8)
def test_every_number_is_right_or_refused(frame: RatingsFrame) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = agreement(frame)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    for estimate in estimates(found):
        whole = None not in (estimate["value"], estimate["low"], estimate["high"])
        assert whole == (estimate["refused"] is None), estimate
        assert (estimate["low"] is None) == (estimate["high"] is None)
        if whole:
            assert estimate["low"] <= estimate["high"]
            assert estimate["n_units"] >= 5
        else:
            assert estimate["refused"]
        assert estimate["value"] is None or estimate["n_units"] >= 5


@pytest.mark.few(4)
def test_the_tables_say_it(frame: RatingsFrame) -> None:
    result = agreement(frame)
    assert "nan" not in " ".join(finding.text for finding in result_findings(result)).replace("annan", "")
    assert result_methods(result)
    tables = result_tables(result)
    assert {table.slug for table in tables} >= {"agreement", "by_cell"}
    for table in tables:
        text = as_text(table)
        assert "nan" not in text.lower().replace("annan", "")
        assert all(len(row) == len(table.headings) for row in table.rows)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nothing", "too few: 0 images"),
        ("one image", "too few: 1 image"),
        ("no doubles", "too few: 0 images"),
        ("one annotator", "too few: 0 images"),
        ("all scores equal", ALL_EQUAL),
        ("no errors anywhere", ALL_EQUAL),
        ("one of two never marks", NEVER_VARIES),
    ],
)
def test_the_reason_is_the_one_that_holds(name: str, reason: str | None) -> None:
    assert alpha_of(FRAMES[name])["refused"] == reason


def test_two_who_always_differ_alike_have_the_alpha_of_the_formula() -> None:
    # One half of the values is 0, the other 1.1: Do is twice De but for the pair a value makes with itself.
    assert alpha_of(FRAMES["one of two never marks"])["value"] == pytest.approx(1 - 59 / 30)
