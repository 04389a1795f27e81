"""What one project exports, another one with the same images imports and exports again, unchanged."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analysis.exports.anatomy.layouts import SHEET
from analysis.exports.files import Export, write_whole
from analysis.exports.formats import FORMATS
from analysis.exports.layout import Layout
from analysis.exports.registry import layouts_of
from annotator.exchange.annotation_files import check_annotations, store_checked
from annotator.models import Annotation, Image, Project
from scoring.grid.notation import Term, format_cell
from scoring.grid.taxonomy import CELLS, SEVERITIES
from tests.analysis.exports.test_round_trips import READERS
from tests.analysis.factories import make_submitted
from tests.factories import make_batch, make_image, make_member, make_project
from tests.support.examples import examples

LAYOUTS = layouts_of("anatomy")

pytestmark = pytest.mark.django_db

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


@pytest.mark.parametrize("form", ["xlsx", "parquet"])
@pytest.mark.parametrize("slug", LAYOUTS)
@pytest.mark.few(5)
def test_every_format_says_what_csv_says(project: Project, slug: str, form: str) -> None:
    layout = LAYOUTS[slug]
    files = {each: b"".join(Export(project, layout, FORMATS[each])) for each in ("csv", form)}
    plain = READERS["csv"](layout, files["csv"])
    assert READERS[form](layout, files[form]) == plain
    assert plain


@pytest.mark.parametrize("form", ["csv", "xlsx"])
@pytest.mark.thorough
def test_the_published_study_goes_out_and_comes_in_cell_by_cell(
    published: Project, study_data: Path, form: str, tmp_path: Path
) -> None:
    original = (study_data / "data" / "annotations.csv").read_bytes()
    path = exported(published, SHEET, form, tmp_path)
    if form == "xlsx":
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
