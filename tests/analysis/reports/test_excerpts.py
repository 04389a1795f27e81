"""The excerpt of a report: what it holds, and that it is read in place of the result."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.trust import alpha_of
from analysis.home.image_needs import image_needs
from analysis.models import Report
from analysis.reports.excerpts import excerpt_in
from tests.factories import make_image, make_project

ALPHA = {"value": 0.8, "low": 0.6, "high": 0.9, "n_units": 40}


def pair(names: str, images: int, value: float | None) -> dict[str, Any]:
    return {"annotators": names.split(), "images": images, "cumulative_score": {"value": value}}


def result_about(image: int) -> dict[str, Any]:
    rows = [
        {"image": image, "scores": [0.2, 2.5], "cells": [{"cell": "missing.limbs"}], "annotations": [1, 2]},
        {"image": image + 1, "scores": [0.3, 0.3], "cells": []},
    ]
    return {
        "pooled": {"cumulative_score": ALPHA},
        "pairs": [pair("ada bob", 10, 0.5), pair("ada eve", 30, 0.9), pair("bob eve", 2, None)],
        "disagreements": {"rows": rows},
    }


def test_what_it_holds() -> None:
    assert excerpt_in("agreement", result_about(3), "anatomy") == {
        "alpha": ALPHA,
        "alphas": {"ada": pytest.approx(0.8), "bob": 0.5, "eve": 0.9},
        "disagreements": [{"image": 3, "scores": [0.2, 2.5]}],
    }


def test_alpha_is_that_of_the_headline_of_any_protocol() -> None:
    rows = [["Error present", "nominal", {"value": 0.1}], ["Cells marked", "interval", ALPHA]]
    tables = [{"name": "agreement", "rows": rows}, {"name": "pairs", "rows": []}]
    result = {"tables": tables, "disagreements": {"rows": []}}
    assert excerpt_in("agreement", result, "presence") == {"alpha": ALPHA, "alphas": {}, "disagreements": []}


@pytest.mark.django_db
def test_it_is_read_in_place_of_the_result() -> None:
    project = make_project()
    result = result_about(make_image(project).pk)
    excerpt = excerpt_in("agreement", result, "anatomy")
    Report.objects.create(project=project, kind="agreement", status="done", result={}, excerpt=excerpt)
    assert alpha_of(project, "anatomy") == ALPHA
    assert [(need.code, need.evidence) for need in image_needs([project])] == [
        ("disagreements", "Largest: scores 0.20 and 2.50 for one image")
    ]
