"""What is stored of a report: an excerpt, and keys in one order."""

from __future__ import annotations

from typing import Any

import pytest

from analysis.first_screen.trust import alpha_of
from analysis.home.image_needs import image_needs
from analysis.models import Report
from analysis.reports.key_order import in_order
from analysis.reports.storing import excerpt_in
from analysis.stats.generic.tables import ResultColumn, table
from tests.factories import make_image, make_project

ALPHA = {"value": 0.8, "low": 0.6, "high": 0.9, "n_units": 40}
SCORE, MARKED = "Cumulative score", "Cells marked"


def made(name: str, columns: str, *rows: list[Any]) -> dict[str, Any]:
    return table(name, name, "", [ResultColumn(column, column) for column in columns.split()], rows)


def pair(names: str, title: str, value: float | None, images: int) -> list[Any]:
    return [names.split(), title, {"value": value}, images]


def result_about(image: int) -> dict[str, Any]:
    rows = [[image, [0.2, 2.5], [{"cell": "missing.limbs"}], [1, 2]], [image + 1, [0.3, 0.3], [], [3, 4]]]
    pairs = [
        pair("ada bob", SCORE, 0.5, 10),
        pair("ada bob", "Cells", 0.1, 10),
        pair("ada eve", SCORE, 0.9, 30),
        pair("bob eve", SCORE, None, 2),
    ]
    return {
        "tables": [
            made("agreement", "variable pooled", [MARKED, {"value": 0.1}], [SCORE, ALPHA]),
            made("pairs", "annotators variable agreement images", *pairs),
            made("disagreements", "image scores cells annotations", *rows),
        ]
    }


def test_what_it_holds() -> None:
    assert excerpt_in("agreement", result_about(3), "anatomy") == {
        "alpha": ALPHA,
        "alphas": {"ada": pytest.approx(0.8), "bob": 0.5, "eve": 0.9},
        "disagreements": [{"image": 3, "scores": [0.2, 2.5]}],
    }


def test_alpha_is_that_of_the_headline_of_any_protocol() -> None:
    found = excerpt_in("agreement", result_about(3), "presence")
    assert found is not None
    assert (found["alpha"], found["alphas"]) == ({"value": 0.1}, {})


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


def test_keys_are_ordered_at_every_depth() -> None:
    mixed = {
        "settings": {"needed": 3, "width": 0.1},
        "tables": [{"rows": [[{"refused": None, "value": 0.5}]], "name": "pairs"}],
    }
    ordered = in_order(mixed)
    assert ordered == mixed
    assert list(ordered) == ["tables", "settings"]
    assert list(ordered["settings"]) == ["width", "needed"]
    assert list(ordered["tables"][0]) == ["name", "rows"]
    assert list(ordered["tables"][0]["rows"][0][0]) == ["value", "refused"]


def test_unknown_keys_come_last_by_name() -> None:
    assert list(in_order({"zebra": 1, "ant": 2, "tables": 3})) == ["tables", "ant", "zebra"]
