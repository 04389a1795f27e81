"""Grids of cells outside the annotation page stand as on it: rows body parts, columns error types."""

from __future__ import annotations

import pytest

from annotator.protocols.registry import adjudication_for
from scoring.grid.taxonomy import BODY_PART_TITLES, CELL_BY_KEY, ERROR_TYPE_TITLES


@pytest.mark.parametrize("protocol", ["anatomy", "presence"])
def test_rows_are_body_parts_and_columns_error_types(protocol: str) -> None:
    form = adjudication_for(protocol)
    assert list(form.heads) == list(ERROR_TYPE_TITLES.values())
    assert [title for title, _ in form.rows] == list(BODY_PART_TITLES.values())
    for title, keys in form.rows:
        cells = [CELL_BY_KEY[key] for key in keys]
        assert {BODY_PART_TITLES[cell.body_part] for cell in cells} == {title}
        assert [cell.error_type for cell in cells] == list(ERROR_TYPE_TITLES)
