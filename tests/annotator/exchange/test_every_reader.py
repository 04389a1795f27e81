"""Every reader of rows about images: bad files are refused as a whole, bad rows by their number."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from analysis.data.metrics import check_metrics
from annotator.data_sets.detections import check_detections
from annotator.exchange.annotation_files import check_answers
from annotator.exchange.face_rows import check_faces
from annotator.exchange.formats.report import StudyRefused
from annotator.exchange.suggestion_rows import check_suggestions
from annotator.models import Project
from annotator.protocols.registry import SUGGESTED
from scoring.grid.taxonomy import CELLS
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db

COUNTS = SUGGESTED["counts"].columns


class Reader(NamedTuple):
    """A check of files, the columns after that with the path of the image, and a row of them."""

    check: Callable[[Path, Project], Any]
    columns: tuple[str, ...]
    row: tuple[str, ...]


READERS = {
    "sheet": Reader(
        check_answers,
        ("Model", "Prompt", "Pic Num.", *(cell.heading for cell in CELLS), "Annotator"),
        ("g", "p", "{number}", *("" for _ in CELLS), "anno1"),
    ),
    "ratings": Reader(partial(check_answers, protocol="realism"), ("annotator", "rating"), ("anno1", "5")),
    "faces": Reader(check_faces, ("x", "y", "w", "h"), ("1", "2", "3", "4")),
    "detections": Reader(check_detections, ("persons", "person_confidence"), ("1", "0.9")),
    "metrics": Reader(check_metrics, ("metric", "score"), ("clip", "0.5")),
    "descriptions": Reader(
        partial(check_suggestions, what="description"),
        ("model", "defective", "description"),
        ("m", "false", ""),
    ),
    "suggestions": Reader(
        check_suggestions, COUNTS, tuple("2" if name == "people" else "" for name in COUNTS)
    ),
}


def table(reader: Reader, *numbers: int) -> bytes:
    """A file with a row for each of the numbers of images."""
    named = "Image Id" if reader is READERS["sheet"] else "file"
    lines = [",".join((named, *reader.columns))]
    for number in numbers:
        name = f"g_p_0{number}" if named == "Image Id" else f"{number}.png"
        lines.append(",".join((name, *reader.row)).format(number=number))
    return "\n".join([*lines, ""]).encode()


@pytest.fixture
def project() -> Project:
    project = make_project("study")
    for number in (1, 2):
        make_image(project, generator="g", prompt="p", number=number, source_name=f"{number}.png", width=90)
    make_image(make_project("other"), generator="g", prompt="p", number=9, source_name="9.png")
    return project


@pytest.mark.parametrize("name", READERS)
def test_a_good_file_has_nothing_refused(project: Project, tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(table(READERS[name], 1, 2))
    assert READERS[name].check(path, project).refused == ()


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(
    ("contents", "words"),
    [
        (b"", "is empty"),
        (b"HEADER", "rows"),
        (b"HEADER\n\x81\x8d,\n", "neither UTF-8"),
        (b"\x89PNG\r\n", "is an image"),
        (b"%PDF-1.7\n", "is a PDF"),
        (b"\xd0\xcf\x11\xe0\0", "Excel 2003"),
        (b"<html>", "XML or HTML"),
        (b"PK\x03\x04", "damaged"),
        (b"a,b\n1,2\n", "column"),
    ],
)
def test_a_bad_file_is_refused_as_a_whole(
    project: Project, tmp_path: Path, name: str, contents: bytes, words: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(contents.replace(b"HEADER", table(READERS[name]).strip()))
    with pytest.raises(StudyRefused, match=words):
        READERS[name].check(path, project)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize(("number", "is_known"), [(1, True), (9, False)], ids=["twice", "of another project"])
def test_a_bad_row_is_refused_by_its_number(
    project: Project, tmp_path: Path, name: str, number: int, is_known: bool
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(table(READERS[name], 1, number))
    [note] = READERS[name].check(path, project).refused
    assert note.row == 3
    assert ("there is no image" in note.reason) is not is_known
