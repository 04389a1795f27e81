"""Mean opinion scores of the worked table, imported as a sheet; corrected means from sureal 0.9.0."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from analysis.exports.files import Export
from analysis.exports.registry import layout_of, layouts_of
from annotator.protocols.rating_form.stored import save_form
from scoring.rating_form.definition import FormDefinition, Item
from tests.analysis.reading import rows_in
from tests.analysis.stats.generic.test_rating_forms import MISSING, POINTS, QUALITY, RATERS
from tests.factories import make_image, make_project

pytestmark = pytest.mark.django_db
SCALE = Item("quality", "scale", "How good?", cannot_judge=True, points=POINTS)
FORM = FormDefinition("q", "Q", "quality", (SCALE, Item("bad", "yes_no", "Bad?")))


def opinions(folder: Path, unsure: Collection[Any] = ()) -> list[dict[str, str]]:
    project = make_project("pilot")
    save_form(project, FORM, None)
    lines = ["generator,prompt,number,annotator,quality,bad"]
    for image, points in enumerate(QUALITY):
        make_image(project, generator="flux", prompt="jogging", number=image)
        for rater, point in zip(RATERS, points, strict=True):
            said = "cannot judge" if (image, rater) in unsure else point
            lines.append(f"flux,jogging,{image},{rater},{said},no")
    file = folder / "answers.csv"
    file.write_text("\n".join(lines))
    call_command("import_answers", file, project="pilot", protocol=FORM.slug, verbosity=0)
    rows = rows_in(Export(project, layout_of(FORM.slug, "mos"), protocol=FORM.slug))
    return sorted(rows, key=lambda row: int(row["Pic Num."]))


def test_complete_ratings_have_means_that_biases_do_not_change(tmp_path: Path) -> None:
    first, *others = rows = opinions(tmp_path)
    assert {row["item"] for row in rows} == {"quality"}
    assert (len(others), first["ratings"], first["mean"]) == (7, "8", "3.875")
    assert float(first["sd"]) == pytest.approx(1.356203, abs=1e-6)
    assert float(first["high"]) - 3.875 == pytest.approx(1.133814, abs=1e-6)
    assert 3.875 - float(first["low"]) == pytest.approx(1.133814, abs=1e-6)
    assert all(row["corrected"] == row["mean"] for row in rows)


def test_missing_ratings_are_corrected_for_who_is_missing(tmp_path: Path) -> None:
    rows = opinions(tmp_path, MISSING)
    assert [int(row["cannot_judge"]) for row in rows] == [1, 0, 0, 1, 0, 0, 1, 0]
    means = [3.857143, 3.875, 3.125, 3.714286, 3.125, 3.625, 2.285714, 1.75]
    corrected = [3.827077, 3.875478, 3.125478, 3.640488, 3.125478, 3.625478, 2.386844, 1.750478]
    assert [float(row["mean"]) for row in rows] == pytest.approx(means, abs=1e-6)
    assert [float(row["corrected"]) for row in rows] == pytest.approx(corrected, abs=1e-6)


def test_a_form_without_scales_has_no_such_file() -> None:
    project = make_project("pilot")
    form = FormDefinition("b", "B", "bad", FORM.items[1:])
    save_form(project, form, None)
    assert set(layouts_of(form.slug)) == {"sheet", "scores", "ratings", "images"}
