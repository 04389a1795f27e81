"""Every reader of tables answers a bad file with what is wrong and where, and stores nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analysis.models import ImageMetric
from annotator.models import Annotation, FaceDecision, Image, Project, Reference, Screening, Suggestion
from scoring.grid.taxonomy import SHEET_COLUMNS
from tests.annotator.uploads.bringing import picture
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Reader:
    """A command with the heading of its table, and a row for an image of a prompt and a number."""

    command: str
    heading: str
    row: Callable[[str, int], str]
    options: tuple[str, ...] = ()
    takes_others: bool = False
    """Whether other rows are stored although some are refused."""


def sheet_row(prompt: str, number: int) -> str:
    return f",sdxl,{prompt},{number}{',' * 25},1/4a,anno1".replace(",,1/4a", ",")


def by_file(*values: str) -> Callable[[str, int], str]:
    return lambda prompt, number: ",".join([f"sdxl/{prompt}/{number}.png", *values])


SHEET = ",".join(SHEET_COLUMNS)
READERS = {
    "sheet": Reader("import_answers", SHEET, sheet_row, ("--protocol", "anatomy"), takes_others=True),
    "ratings": Reader(
        "import_answers",
        "file,annotator,rating",
        by_file("r1", "5"),
        ("--protocol", "realism"),
        takes_others=True,
    ),
    "references": Reader(
        "import_answers", SHEET, sheet_row, ("--protocol", "anatomy", "--as", "imported"), takes_others=True
    ),
    "faces": Reader("import_faces", "file,x,y,w,h", by_file("1", "1", "4", "4")),
    "detections": Reader("import_detections", "file,persons", by_file("1")),
    "metrics": Reader("import_metrics", "file,metric,score", by_file("clip", "0.5")),
    "suggestions": Reader("import_suggestions", "file,people", by_file("2"), ("--source", "counter")),
}


@pytest.fixture
def project(media: Path) -> Project:
    project = make_project("here")
    for number in (1, 2):
        make_image(
            project, generator="sdxl", prompt="hug", number=number, source_name=f"sdxl/hug/{number}.png"
        )
    return project


def told(reader: Reader, path: Path, *options: str) -> str:
    """What the command prints, or why it refuses the file."""
    output = StringIO()
    try:
        call_command(reader.command, str(path), "--project", "here", *reader.options, *options, stdout=output)
    except CommandError as refused:
        return f"{output.getvalue()}{refused}"
    return output.getvalue()


def stored() -> int:
    kinds = (Annotation, Reference, FaceDecision, Screening, ImageMetric, Suggestion)
    return sum(kind.objects.count() for kind in kinds)


def lines(reader: Reader, *rows: tuple[str, int]) -> str:
    return "\n".join([reader.heading, *(reader.row(*row) for row in rows)]) + "\n"


HEADING, TABLE, WIDE = b"%HEADING%", b"%TABLE%", b"%WIDE%"
"""Stand for the heading of a reader, a table of one row, and that table in UTF-16 without its last byte."""
WHOLE = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "header only": (HEADING, "rows"),
    "image": (picture(1), "is an image. Save the table as CSV in UTF-8, or as XLSX"),
    "old workbook": (b"\xd0\xcf\x11\xe0" + b"\0" * 600, "Excel 2003 (XLS)"),
    "page": (b"<html><table></table></html>", "is XML or HTML"),
    "json": (b'[{"file": "a.png"}]', "is JSON"),
    "other columns": (b"colour,size\nred,1\n", " column"),
    "half a character": (b"\xff\xfe" + WIDE, "damaged"),
    "neither": (TABLE + b"\x81\x8d", "neither UTF-8"),
    "zero bytes": (TABLE + b"\0", "NUL byte in line 3"),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.few(12)
def test_a_file_that_is_no_table_is_refused_as_a_whole(
    project: Project, tmp_path: Path, name: str, kind: str
) -> None:
    contents, words = WHOLE[kind]
    path, table = tmp_path / "table.csv", lines(READERS[name], ("hug", 1))
    contents = contents.replace(HEADING, READERS[name].heading.encode()).replace(TABLE, table.encode())
    path.write_bytes(contents.replace(WIDE, table.encode("utf-16-le")[:-1]))
    assert words in told(READERS[name], path)
    assert stored() == 0


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
@pytest.mark.few(6)
def test_what_spreadsheets_write_is_read(project: Project, tmp_path: Path, name: str, encoding: str) -> None:
    make_image(project, generator="sdxl", prompt="Umärmung", number=1, source_name="sdxl/Umärmung/1.png")
    path = tmp_path / "table.csv"
    path.write_bytes(lines(READERS[name], ("Umärmung", 1)).encode(encoding))
    told(READERS[name], path)
    assert stored() == 1


@pytest.mark.parametrize("name", READERS)
def test_a_row_twice_counts_once_or_refuses_the_file(project: Project, tmp_path: Path, name: str) -> None:
    reader, path = READERS[name], tmp_path / "table.csv"
    path.write_text(lines(reader, ("hug", 1), ("hug", 1)))
    words = told(reader, path)
    assert "row 3" in words or '"row": 3' in words
    assert "row 2" in words or "earlier row" in words
    assert stored() == (1 if reader.takes_others else 0)


@pytest.mark.parametrize("name", READERS)
def test_a_row_of_another_projects_image_is_named(project: Project, tmp_path: Path, name: str) -> None:
    other = make_project("there")
    make_image(other, generator="sdxl", prompt="dance", number=7, source_name="sdxl/dance/7.png")
    reader, path = READERS[name], tmp_path / "table.csv"
    path.write_text(lines(reader, ("dance", 7)))
    assert "no image of" in told(reader, path)
    assert stored() == 0
    path.write_text(lines(reader, ("hug", 1), ("dance", 7)))
    words = told(reader, path)
    assert "row 3" in words or '"row": 3' in words
    assert "there is no image" in words
    assert stored() == (1 if reader.takes_others else 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("file,generator\na.png,sdxl\n", "lacks the columns “prompt”, “number”"),
        ("file,generator,prompt,number\n", "has no rows"),
        ("file,generator,prompt,number\nz.png,sdxl,hug,1\n", "Row 2: “z.png” names no file of this upload"),
    ],
)
def test_a_bad_manifest_stores_no_image(project: Project, tmp_path: Path, text: str, words: str) -> None:
    folder, manifest = tmp_path / "in", tmp_path / "manifest.csv"
    folder.mkdir()
    (folder / "a.png").write_bytes(picture(1))
    manifest.write_text(text)
    with pytest.raises(CommandError) as refused:
        call_command("import_images", str(folder), "--project", "new", "--manifest", str(manifest))
    assert words in str(refused.value)
    assert not Image.objects.filter(project__slug="new").exists()
