"""What a file says when it is read back: every value, in every format, and by another project."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.exports.anatomy.layouts import MARKS, SCORES, SHEET
from analysis.exports.columns import Column, Kind, Line, Value
from analysis.exports.files import Export, write_whole
from analysis.exports.filters import Filters
from analysis.exports.formats import FORMATS
from analysis.exports.layout import Layout
from analysis.exports.registry import layouts_of
from analysis.exports.source import ExportSource
from annotator.exchange.annotation_files import check_annotations, store_checked
from annotator.models import Annotation, Image, Project
from scoring.grid.notation import Term, format_cell
from scoring.grid.taxonomy import CELLS, SEVERITIES
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_member, make_project
from tests.support.examples import examples

pytestmark = pytest.mark.django_db

HOSTILE = ("=1+1", "1/5", "1/5c", "+1", "@SUM(A1)", "-", "'", "_x0041_", "\r\n", " a ", "\x01", "0x1", "")
# An apostrophe before a formula is what CSV itself puts there: who writes one loses it on the way back.
texts = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=6)).filter(
    lambda text: not re.match(r"'[=+\-@\t\r].", text, re.DOTALL)
)
whole = st.integers(min_value=0, max_value=2**40)
VALUES: dict[Kind, st.SearchStrategy[Value]] = {
    Kind.TEXT: texts,
    Kind.INTEGER: st.none() | whole,
    Kind.NUMBER: st.none()
    | whole
    | st.floats(min_value=1e-9, max_value=1e6).map(lambda value: int(value) if value % 1 == 0 else value),
    Kind.TRUTH: st.booleans(),
}


def lines_of(layout: Layout) -> st.SearchStrategy[list[Line]]:
    """Lines that the layout could have."""
    line = st.tuples(*(VALUES[column.kind] for column in layout.columns)).map(list)
    return st.lists(line, max_size=2)


def written(layout: Layout, lines: list[Line], form: str) -> bytes:
    """The lines as a file; the values go through the format's dialect, as the layouts have it."""
    dialect = FORMATS[form].dialect

    def value(column: Column, found: Value) -> Value:
        if isinstance(found, str):
            return dialect.text(found)
        if isinstance(found, bool):
            return dialect.truth(found)
        return dialect.number(*found.as_integer_ratio()) if found is not None else None

    ready = [[value(*each) for each in zip(layout.columns, line, strict=True)] for line in lines]
    given_lines = replace(layout, lines=lambda _: iter(ready))
    reading = ExportSource(Project(), Filters(), dialect, hidden=False)
    return b"".join(FORMATS[form].pieces(given_lines, reading))


def from_csv(layout: Layout, file: bytes) -> list[Line]:
    read: dict[Kind, Callable[[str], Value]] = {
        Kind.TEXT: lambda text: re.sub(
            r"^'(?=[' \u00a0\u3000]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])", "", text
        ),
        Kind.INTEGER: lambda text: int(text) if text else None,
        Kind.NUMBER: lambda text: (float(text) if re.search(r"[.e]", text) else int(text)) if text else None,
        Kind.TRUTH: {"true": True, "false": False}.__getitem__,
    }
    rows = list(csv.reader(io.StringIO(file.decode(), newline="")))
    assert rows[0] == list(layout.headings)
    return [
        [read[column.kind](text) for column, text in zip(layout.columns, row, strict=True)]
        for row in rows[1:]
    ]


def from_xlsx(layout: Layout, file: bytes) -> list[Line]:
    sheet = openpyxl.load_workbook(io.BytesIO(file))[layout.title]

    def value(column: Column, cell: Any) -> Value:
        if column.kind is not Kind.TEXT:
            return cell.value  # type: ignore[no-any-return]
        assert cell.value is None or (cell.data_type, cell.number_format) == ("s", "@")
        return re.sub(r"_x([0-9A-F]{4})_", lambda found: chr(int(found[1], 16)), cell.value or "")

    heading, *rows = sheet.iter_rows(max_col=len(layout.columns))
    assert [cell.value for cell in heading] == list(layout.headings)
    return [[value(*each) for each in zip(layout.columns, row, strict=True)] for row in rows]


def from_parquet(layout: Layout, file: bytes) -> list[Line]:
    table = pq.read_table(io.BytesIO(file))
    assert table.column_names == list(layout.headings)
    return [list(row.values()) for row in table.to_pylist()]


READERS = {"csv": from_csv, "xlsx": from_xlsx, "parquet": from_parquet}


@pytest.mark.parametrize(
    "layout", [MARKS, SCORES, layouts_of("realism")["pairs"]], ids=lambda found: found.slug
)
@pytest.mark.parametrize("form", READERS)
@pytest.mark.few(3)
@pytest.mark.slow  # as many generated examples as the run is told
def test_every_value_is_read_back(layout: Layout, form: str) -> None:
    @settings(max_examples=examples(15), deadline=None, suppress_health_check=list(HealthCheck))
    @given(lines_of(layout))
    def reads_back(lines: list[Line]) -> None:
        file = written(layout, lines, form)
        assert READERS[form](layout, file) == lines
        assert written(layout, lines, form) == file

    reads_back()


@pytest.mark.parametrize("form", READERS)
def test_hostile_texts_are_read_back(form: str) -> None:
    empty: dict[Kind, Value] = dict.fromkeys(Kind) | {Kind.TRUTH: True}
    lines = [[{**empty, Kind.TEXT: text}[each.kind] for each in MARKS.columns] for text in HOSTILE]
    assert READERS[form](MARKS, written(MARKS, lines, form)) == lines


def test_a_spreadsheet_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("analysis.exports.spreadsheet.MOST_LINES", 2)
    line: Line = [None] * len(MARKS.columns)
    written(MARKS, [list(line)] * 2, "xlsx")
    with pytest.raises(ValueError, match=r"exceeds the 2 rows of a spreadsheet\. Use CSV or Parquet\."):
        written(MARKS, [list(line)] * 3, "xlsx")


# Not a name such as "'=x": its apostrophe is taken for the one that exports put there.
NAMES = ("=1+1", "1/5", "+49", "-", "@SUM(A1)", "1e5", "007", "東京", "Żółć", "مرحبا", 'a, "b"', "it's")
names = st.lists(
    st.sampled_from([name for name in NAMES if any(each.isalnum() for each in name)]),
    min_size=1,
    max_size=3,
    unique=True,
)
counts = st.integers(1, 99).flatmap(lambda total: st.tuples(st.integers(1, total), st.just(total)))
terms = st.dictionaries(st.sampled_from(SEVERITIES), counts, min_size=1).map(
    lambda found: format_cell(Term(*count, severity) for severity, count in found.items()).split(",")
)
cells = st.dictionaries(st.sampled_from([cell.key for cell in CELLS]), terms, max_size=4)
answers = st.lists(cells, min_size=1, max_size=3)


def twin(project: Project) -> Project:
    """Another project with the same images."""
    other = make_project()
    Image.objects.bulk_create(
        Image(
            project=other,
            **{
                name: getattr(image, name)
                for name in ("file", "sha256", "source_name", "format", "width", "height")
            },
            **{name: getattr(image, name) for name in ("generator", "prompt", "prompt_group", "number")},
        )
        for image in project.images.order_by("pk")
    )
    return other


def exported(project: Project, layout: Layout, form: str, folder: Path) -> Path:
    path = folder / f"{layout.slug}.{form}"
    write_whole(Export(project, layout, FORMATS[form]), path)
    return path


def lines(project: Project, layout: Layout) -> list[dict[str, str]]:
    """The rows as CSV has them, without the name of the batch and the plan, which are those of the import."""
    text = b"".join(Export(project, layout)).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    return [
        {heading: value for heading, value in row.items() if heading not in ("batch", "drawn")}
        for row in rows
    ]


def through(project: Project, layout: Layout, form: str, folder: Path) -> Project:
    """The twin after it has imported what the project exports."""
    other = twin(project)
    checked = check_annotations(exported(project, layout, form, folder), project=other)
    assert (checked.refused, checked.findings) == ((), ())
    store_checked(checked, project=other)
    return other


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.few(2)
@pytest.mark.slow  # as many generated examples as the run is told
def test_import_of_export_changes_nothing(form: str, tmp_path: Path) -> None:
    @settings(max_examples=examples(3), deadline=None, suppress_health_check=list(HealthCheck))
    @given(names, names, answers)
    def unchanged(generators: list[str], people: list[str], said: list[dict[str, list[str]]]) -> None:
        project = make_project()
        batch = make_batch(project)
        for code in people:
            member = make_member(project, code=code)
            for number, cells_said in enumerate(said):
                marks = [(cell.key, term) for cell in CELLS for term in cells_said.get(cell.key, ())]
                generator = generators[number % len(generators)]
                image, _ = Image.objects.get_or_create(
                    project=project,
                    generator=generator,
                    prompt=f"{generator} 1/5",
                    number=number,
                    defaults={"sha256": f"{number:064x}", "format": "PNG", "width": 8, "height": 8},
                )
                make_submitted(member, marks, image=image, batch=batch)
        assert lines(through(project, SHEET, form, tmp_path), SHEET) == lines(project, SHEET)

    unchanged()


def test_free_texts_of_a_source_come_back(tmp_path: Path) -> None:
    """Terms nobody can read travel with their annotation, formulas and dates among them."""
    project = make_project()
    texts = ["1/5", "=1+1", "see note, 1/4c", " 1/4B ", "東京", "-"]
    source = {"cells": {cell.heading: text for cell, text in zip(CELLS, texts, strict=False)}, "problems": []}
    make_submitted(
        make_member(project, code="annotator-a"),
        [("missing.feet", "1/4c"), ("missing.hands", "1/4b")],
        image=make_image(project, generator="alpha", prompt="hugging", number=1),
        source={"image_id": "1-2", **source},
    )
    for form in ("csv", "xlsx"):
        other = twin(project)
        checked = check_annotations(exported(project, SHEET, form, tmp_path), project=other)
        store_checked(checked, project=other)
        written = lines(other, SHEET)
        expected = lines(project, SHEET)
        if form == "csv":
            # In a cell the apostrophe stays: nobody can tell whether it was typed.
            assert written[0][CELLS[1].heading] == expected[0][CELLS[1].heading] == "'=1+1"
        assert written == expected, form


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.thorough
def test_the_published_study_goes_out_and_comes_in_cell_by_cell(
    published: Project, study_data: Path, form: str, tmp_path: Path
) -> None:
    original = (study_data / "data" / "annotations.csv").read_bytes()
    path = exported(published, SHEET, form, tmp_path)
    if form == "csv":
        assert path.read_bytes() == original
    else:
        rows: list[list[Any]] = [
            ["" if value is None else str(value) for value in row]
            for row in openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True)
        ]
        assert rows == list(csv.reader(io.StringIO(original.decode(), newline="")))
    other = twin(published)
    outcome = store_checked(check_annotations(path, project=other), project=other)
    assert (outcome.annotations_added, outcome.unmatched_rows) == (300, [])
    assert b"".join(Export(other, SHEET)) == original
    assert Annotation.objects.filter(assignment__batch__project=other, status="submitted").count() == 300
