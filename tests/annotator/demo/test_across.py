"""The demo's figures under two protocols: both follow the planted errors, so the report relates them."""

from __future__ import annotations

import pytest

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from annotator.demo.projects import ACROSS, DATA, annotate, is_under_both
from tests.analysis.stats.generic.making import rows_of
from tests.factories import make_image, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.slow]  # two hundred annotations and a report


def test_the_more_errors_the_less_realistic() -> None:
    project = make_project(ACROSS)
    for path in filter(is_under_both, sorted((DATA / "images").glob("*/*/*"))):
        generator, prompt = path.parent.parent.name, path.parent.name.replace("_", " ")
        make_image(project, generator=generator, prompt=prompt, number=int(path.stem[-2:]))
    annotate(project)
    asked = request_report(project=project, kind=Report.Kind.ACROSS, protocol="anatomy", send=False)
    assert run_report(asked.pk)
    result = Report.objects.get(pk=asked.pk).result
    assert result is not None
    (row,) = rows_of(result, "across")
    rho = row["rho"]
    assert (row["images"], rho["n_units"], row["apart"]) == (24, 24, 0)
    assert round(rho["value"], 4) == -0.7867
    assert rho["low"] < rho["high"] < -0.5
