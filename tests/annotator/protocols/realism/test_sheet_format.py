"""Ratings made elsewhere come in: repaired, refused by row and column, and only once."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.core.management import CommandError, call_command

from annotator.models import Annotation, Project
from annotator.protocols.realism.sheet_format import read, written
from scoring.realism.protocol import REALISM, clean
from tests.factories import make_image, make_project

HEADER = "generator,prompt,number,annotator,rating,invalid,note"


@pytest.mark.parametrize("payload", [{"rating": 7}, {"rating": 10, "note": "n"}, {"invalid": "no_person"}])
def test_what_is_written_is_read_as_the_same(payload: dict[str, Any]) -> None:
    said = clean(payload).payload()
    assert read(written(said)).payload == said


@pytest.mark.parametrize(
    ("cells", "payload"),
    [
        ({"rating": " 7 "}, {"rating": 7}),
        ({"rating": "7.0", "invalid": "no"}, {"rating": 7}),
        ({"rating": "10,00"}, {"rating": 10}),
        ({"invalid": "Several people"}, {"invalid": "multiple_people"}),
        ({"invalid": "NO_PERSON"}, {"invalid": "no_person"}),
        ({"invalid": "Multiple  People"}, {"invalid": "multiple_people"}),
        ({"invalid": "not-photorealistic"}, {"invalid": "not_photorealistic"}),
        ({"invalid": "yes", "note": "a statue"}, {"invalid": "other", "note": "a statue"}),
    ],
)
def test_what_is_meant_is_repaired(cells: dict[str, str], payload: dict[str, Any]) -> None:
    assert read(cells).payload == {**REALISM.empty(), **payload}


@pytest.mark.parametrize(
    ("cells", "column"),
    [
        ({}, "rating"),
        ({"rating": "11"}, "rating"),
        ({"rating": "0"}, "rating"),
        ({"rating": "7.5"}, "rating"),
        ({"rating": "-3"}, "rating"),
        ({"rating": "seven"}, "rating"),
        ({"rating": "٧"}, "rating"),
        ({"invalid": "ugly"}, "invalid"),
        ({"invalid": "yes"}, "note"),
        ({"rating": "7", "invalid": "no_person"}, "invalid"),
        ({"rating": "7", "note": "x" * 2001}, "note"),
    ],
)
def test_anything_else_is_named_by_its_column(cells: dict[str, str], column: str) -> None:
    reading = read(cells)
    assert reading.payload is None
    assert [problem[0] for problem in reading.problems] == [column]


@pytest.fixture
def pilot(db: None) -> Project:
    """A project with three images."""
    project = make_project("pilot")
    for number in (1, 2, 3):
        image = make_image(project, generator="gA", prompt="a man", number=number)
        image.source_name = f"gA-{number}.png"
        image.save()
    return project


def imported(file: Path, *more: str) -> dict[str, Any]:
    """Import a file and return the outcome."""
    out = StringIO()
    call_command(
        "import_answers", str(file), "--project=pilot", "--protocol=realism", "--json", *more, stdout=out
    )
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


def said() -> list[tuple[int | None, str, int | None, str | None]]:
    """Return what is stored."""
    rows = Annotation.objects.select_related("assignment__image", "assignment__annotator")
    return sorted(
        (
            row.assignment.image.number,
            row.assignment.annotator.code,
            row.payload["rating"],
            row.payload["invalid"],
        )
        for row in rows
    )


def test_a_table_comes_in_once(pilot: Project, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text(f"{HEADER}\ngA,a man,1,r1,7,,\nga,A man,1,r2,8.0,,\ngA,a man,2,r1,,no person,\n")
    assert imported(file)["annotations"]["added"] == 3
    expected = [(1, "r1", 7, None), (1, "r2", 8, None), (2, "r1", None, "no_person")]
    assert said() == expected
    again = imported(file)["annotations"]
    assert (again["added"], again["existing"], said()) == (0, 3, expected)
    assert Annotation.objects.first().ratings == [["rating", "", "7/1"]]  # type: ignore[union-attr]


def test_a_workbook_names_images_by_file(pilot: Project, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (("file", "annotator", "rating"), ("out/gA-3.png", "r1", 9), ("nowhere.png", "r1", 9)):
        book.active.append(row)
    book.save(tmp_path / "ratings.xlsx")
    found = imported(tmp_path / "ratings.xlsx")
    assert said() == [(3, "r1", 9, None)]
    assert [row["row"] for row in found["unmatched"]["rows"]] == [3]


def paths_of(*names: str, generator: str = "sdxl", prompt: str = "waving") -> None:
    """Replace the images of the project by some with these paths and without numbers."""
    project = Project.objects.get(slug="pilot")
    project.images.all().delete()
    for name in names:
        image = make_image(project, generator=generator, prompt=prompt, number=None)
        image.source_name = name
        image.save()


def rated(folder: Path, *paths: str) -> tuple[list[str], list[tuple[int, str]]]:
    """Import a rating of each path; return the paths of the rated images, and the rows refused."""
    file = folder / "ratings.csv"
    rows = (f'r1,"{path}",{number % 10 + 1}\n' for number, path in enumerate(paths))
    file.write_text("annotator,file,rating\n" + "".join(rows))
    outcome = imported(file)
    stored = Annotation.objects.order_by("pk").values_list("assignment__image__source_name", flat=True)
    return list(stored), [(row["row"], row["reason"]) for row in outcome["unmatched"]["rows"]]


def test_a_path_is_compared_in_one_unicode_form(pilot: Project, tmp_path: Path) -> None:
    paths_of("images/hände/k_01.png")
    assert rated(tmp_path, "ha\u0308nde/k_01.png") == (["images/hände/k_01.png"], [])


def test_bad_rows_are_refused_and_lose_nothing(pilot: Project, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    lines = ["gA,a man,1,r1,7,,", "gA,a man,2,r1,11,,", ",a man,2,r1,4,,", "gA,a man,9,r1,4,,"]
    file.write_text("\n".join([HEADER, *lines, "gA,a man,3,r1,4,,", "gA,a man,3,r1,5,,"]))
    found = imported(file)
    assert said() == [(1, "r1", 7, None)]
    refused = [(row["row"], row["column"]) for row in found["unmatched"]["rows"]]
    assert refused == [(3, "rating"), (4, "generator"), (5, "Pic Num."), (6, "Annotator"), (7, "Annotator")]
    # Another rating of the same image by the same person is named, and changes nothing.
    file.write_text(f"{HEADER}\ngA,a man,1,r1,2,,\n")
    with pytest.raises(CommandError, match="Nothing was imported"):
        imported(file)
    assert said() == [(1, "r1", 7, None)]
