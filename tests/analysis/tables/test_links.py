"""Which rows and numbers of a table open which images."""

from __future__ import annotations

import pytest

from analysis.tables.links import filter_of, linked_rows
from analysis.tables.table import Heading, TableCell, count, name, number


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Generator", "sdxl", (("generator", "sdxl"),)),
        ("Prompt group", "pair", (("prompt_group", "pair"),)),
        ("Generators", "a – b", (("generator", "a"), ("generator", "b"))),
        ("Annotators", "ann1 – ann2", (("annotator", "ann1"), ("annotator", "ann2"))),
        ("Agreement on", "Cells", (("disagreement", "1"),)),
        ("Error type", "Missing", (("type", "missing"),)),
        ("Body part", "Face", (("part", "face"),)),
        ("Cell", "Missing · Torso", (("cell", "missing.torso"),)),
        ("Part of the grid", "hands", (("part", "hands"),)),
        ("Severity", "moderate", (("severity", "b"),)),
        ("Severity", "high", ()),
        ("Prompt", "(none)", ()),
        ("Coefficient", "sdxl", ()),
    ],
)
def test_names(title: str, text: str, found: tuple[tuple[str, str], ...]) -> None:
    assert filter_of(title, text) == found


def links(headings: list[Heading], row: list[TableCell]) -> list[str]:
    [found] = linked_rows(headings, [tuple(row)])
    return [cell.link for cell in found]


def test_a_row_is_what_all_its_names_say() -> None:
    headings = [Heading("Prompt"), Heading("Generator"), Heading("Images", numeric=True)]
    assert links(headings, [name("a b"), name("sdxl"), count(3)]) == ["prompt=a+b&generator=sdxl", "", ""]


def test_numbers_by_severity_and_of_cells() -> None:
    headings = [
        Heading("Error type"),
        Heading("Torso", numeric=True),
        Heading("", numeric=True, severity="c", meaning="severe"),
        Heading("Mild", numeric=True),
        Heading("Mean", numeric=True),
    ]
    row = [name("Extra"), number(0.5, 2), number(1, 2), number(None, 2), number(2, 2)]
    assert links(headings, row) == ["type=extra", "cell=extra.torso", "type=extra&severity=c", "", ""]


def test_a_row_without_names_has_no_links() -> None:
    headings = [Heading("What is compared"), Heading("Mild", numeric=True)]
    assert links(headings, [name("Overall severity"), number(1, 2)]) == ["", ""]
