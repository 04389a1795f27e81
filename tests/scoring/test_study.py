"""The published sheet read by the notation: every slip found, nothing else refused."""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from scoring.anatomy.protocol import clean, payload_from_cells
from scoring.grid.notation import LARGEST_COUNT, cell_warnings, format_cell, parse_cell, read_cell
from scoring.grid.taxonomy import CELLS

Row = tuple[int, dict[str, str]]


@pytest.fixture(scope="module")
def rows(study_data: Path) -> list[Row]:
    """Each row with its number, the header being row 1."""
    with (study_data / "data" / "annotations.csv").open(encoding="utf-8", newline="") as sheet:
        return list(enumerate(csv.DictReader(sheet), start=2))


def _cells(rows: list[Row]) -> Iterator[tuple[int, str, str]]:
    """Row, cell key and text of the cells that hold something."""
    return (
        (number, cell.key, row[cell.heading]) for number, row in rows for cell in CELLS if row[cell.heading]
    )


def test_the_six_malformed_cells(rows: list[Row]) -> None:
    assert len(rows) == 300
    found = [
        (number, key, text, format_cell(terms), [(problem.text, problem.code) for problem in problems])
        for number, key, text in _cells(rows)
        for terms, problems in [read_cell(text)]
        if problems
    ]
    assert found == [
        (59, "extra.hands", "1/5", "", [("1/5", "no_severity")]),
        (66, "missing.hands", "1/3,2/3b", "2/3b", [("1/3", "no_severity")]),
        (179, "proportion.limbs", "1/28b,3/28c,", "1/28b,3/28c", [("1/28b,3/28c,", "empty_term")]),
        (181, "orientation.feet", "1c/5c", "", [("1c/5c", "malformed")]),
        (231, "configuration.feet", "2/4,2/4b", "2/4b", [("2/4", "no_severity")]),
        (272, "configuration.hands", "1/3,2/3c", "2/3c", [("1/3", "no_severity")]),
    ]


def test_the_unusual_cells(rows: list[Row]) -> None:
    found = [
        (number, key, warning.code)
        for number, key, text in _cells(rows)
        for warning in cell_warnings(read_cell(text)[0])
    ]
    assert Counter(code for _, _, code in found) == {"different_totals": 17, "affected_sum_above_total": 5}
    assert [(number, key) for number, key, code in found if code == "affected_sum_above_total"] == [
        (25, "proportion.torso"),
        (28, "configuration.hands"),
        (66, "configuration.torso"),
        (67, "configuration.torso"),
        (98, "configuration.face"),
    ]


def test_how_much_there_is(rows: list[Row]) -> None:
    texts = [text for _, _, text in _cells(rows)]
    terms = [term for text in texts for term in read_cell(text)[0]]
    assert len(texts) == 1587
    assert Counter(term.severity for term in terms) == {"a": 680, "b": 542, "c": 604}
    assert max(term.total for term in terms) == 28 <= LARGEST_COUNT


def test_writing_what_was_read_loses_nothing(rows: list[Row]) -> None:
    for _, _, text in _cells(rows):
        terms, _ = read_cell(text)
        assert parse_cell(format_cell(terms)) == terms


def test_every_row_makes_a_payload(rows: list[Row]) -> None:
    warned = 0
    for _, row in rows:
        cells = {cell.key: read_cell(row[cell.heading])[0] for cell in CELLS}
        payload = payload_from_cells(cells, no_errors=not any(cells.values()))
        answer = clean(payload)
        assert answer.payload() == payload
        assert {key: answer.terms(key) for key in cells} == cells
        warned += len(answer.warnings)
    assert warned == 17 + 5
