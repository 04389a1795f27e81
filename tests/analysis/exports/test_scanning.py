"""Marks found in a stored text are those that decoding it finds, however it is written."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.exports.anatomy.scanning import Scanner
from scoring.grid.taxonomy import BODY_PARTS, ERROR_TYPES, SEVERITIES
from scoring.protocol import Payload
from tests.support.examples import examples

HOSTILE = (
    '"marks": [{"type": "missing"',
    '{"type": ',
    "[",
    "]}",
    '], "counts": {',
    "\\",
    "{\\",
    "“",
    "\u2028",
)
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8))
pins = st.fixed_dictionaries({"x": st.floats(0, 1), "y": st.floats(0, 1)})
marks = st.fixed_dictionaries(
    {
        "type": st.sampled_from(ERROR_TYPES),
        "part": st.sampled_from(BODY_PARTS),
        "severity": st.sampled_from(SEVERITIES),
        "affected": st.integers(1, 99),
        "total": st.none() | st.integers(1, 99),
        "own_total": st.booleans(),
        "pins": st.lists(pins, max_size=2),
    }
)
counts = st.dictionaries(st.sampled_from(BODY_PARTS), st.integers(0, 9), max_size=3)
both = st.fixed_dictionaries({"expected": counts, "visible": counts})
payloads = st.fixed_dictionaries(
    {
        "people": st.none() | st.integers(1, 9),
        "counts": both,
        "counts_set": st.fixed_dictionaries({"expected": st.just(["torso"]), "visible": st.just([])}),
        "marks": st.lists(marks, max_size=4),
        "no_errors": st.booleans(),
        "flag": st.none() | st.fixed_dictionaries({"reason": texts, "text": texts}),
        "note": texts,
    }
)


def as_saved(payload: Payload) -> str:
    """As SQLite keeps it."""
    return json.dumps(payload)


def as_sorted(value: Any) -> str:
    """As PostgreSQL writes it: keys by length, then by letter; characters as they are."""

    def ordered(found: Any) -> Any:
        if isinstance(found, list):
            return [ordered(each) for each in found]
        if isinstance(found, dict):
            return {key: ordered(found[key]) for key in sorted(found, key=lambda key: (len(key), key))}
        return found

    return json.dumps(ordered(value), ensure_ascii=False)


def as_nobody_writes_it(value: Any) -> str:
    """Keys in any order, another one in every mark."""
    draw = random.Random(7)

    def shuffled(found: Any) -> Any:
        if isinstance(found, list):
            return [shuffled(each) for each in found]
        if isinstance(found, dict):
            return {key: shuffled(found[key]) for key in draw.sample(sorted(found), len(found))}
        return found

    return json.dumps(shuffled(value))


def compact(payload: Payload) -> str:
    """Without spaces."""
    return json.dumps(payload, separators=(",", ":"))


def told(mark: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(mark[key] for key in ("type", "part", "severity", "affected", "total", "own_total"))


@pytest.mark.parametrize("write", [as_saved, as_sorted, as_nobody_writes_it, compact])
@pytest.mark.few(1)
@pytest.mark.slow  # thousands of answers, both ways
def test_marks_are_found_as_decoding_finds_them(write: Any) -> None:
    scan = Scanner(told)

    @settings(max_examples=examples(150), deadline=None)
    @given(st.lists(payloads, max_size=4))
    def found(answers: list[Payload]) -> None:
        expected = [[told(mark) for mark in answer["marks"]] for answer in answers]
        assert list(scan.marks(write(answer) for answer in answers)) == expected

    found()


@pytest.mark.parametrize("write", [as_saved, as_sorted])
def test_what_answers_are_written_as_is_not_decoded(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = payload_with_marks()
    scan = Scanner(told)
    list(scan.marks([write(answer)] * 2))  # which of the two forms it is, then every mark for the first time
    decoded: list[str] = []
    monkeypatch.setattr("analysis.exports.anatomy.scanning.decoded", decoded.append)
    expected = [told(mark) for mark in answer["marks"]]
    assert list(scan.marks([write(answer), write({**answer, "marks": []})])) == [expected, []]
    assert decoded == []


def test_no_more_kinds_of_marks_are_kept_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.exports.anatomy.scanning._MOST", 3)
    scan = Scanner(told)
    (found,) = scan.marks([as_saved(payload_with_marks(10))])
    assert len(found) == 10
    assert len(scan) <= 3


def payload_with_marks(count: int = 2) -> Payload:
    mark = {"type": "extra", "part": "hands", "severity": "c", "own_total": True}
    pinned = [{"x": 0.5, "y": 0.25}, {"x": 1e-05, "y": 1}]
    return {
        "people": 1,
        "counts": {"expected": {"hands": 2}, "visible": {}},
        "counts_set": {"expected": ["hands"], "visible": []},
        "marks": [
            {key: ({**mark, "affected": 1, "total": 2 + place, "pins": pinned})[key] for key in ORDER}
            for place in range(count)
        ],
        "no_errors": False,
        "flag": None,
        "note": 'a "quoted" [note]',
    }


ORDER = ("type", "part", "severity", "affected", "total", "own_total", "pins")
