"""The overview in the API says what the home of a project's leads shows."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from analysis.models import ProjectDay
from tests.analysis.api.callers import Caller
from tests.analysis.api.conftest import Study
from tests.annotator.asking import asked

pytestmark = pytest.mark.django_db


def test_the_overview_is_the_home_of_the_leads(study: Study, lee: Caller, ada: Caller) -> None:
    found = lee.get("/projects/pilot/overview").json()
    assert found["progress"] == {"done": 2, "total": 6, "left": 4, "days": [], "completion": None}
    assert {row["code"]: (row["verdict"], row["done"], row["total"]) for row in found["annotators"]} == {
        "ada": ("few", 1, 3),
        "bob": ("few", 1, 3),
    }
    assert (found["needs"], found["resolved"], found["more_annotators"], found["versions"]) == ([], 0, 0, [])
    assert (found["protocol"], found["headline"]) == ("anatomy", "Cumulative score")
    assert found["agreement"] == found["score"] == {"images": 0, "needed": 20, "days": []}
    assert {row["annotator"]: row["value"] for row in found["latest"]} == {"ada": 0.25, "bob": 0.25}
    steps = {row["step"]: (row["done"], row["current"], row["detail"]) for row in found["steps"]}
    assert list(steps) == [
        *("images", "people", "guideline", "training", "batch", "labelling", "adjudication", "export"),
    ]
    assert steps["batch"] == (True, False, "1 batch")
    assert steps["labelling"] == (False, True, "2 of 6")
    assert ada.get("/projects/pilot/overview").status_code == 404


def test_the_overview_says_all_that_the_page_says(study: Study, lee: Caller) -> None:
    asked(study.queue[1])
    day = timezone.now() - timedelta(days=1)
    number = {"value": 0.5, "low": 0.25, "high": 0.75, "images": 20}
    ProjectDay.objects.create(
        project=study.project, day=day.date(), protocol="anatomy", labelled=2, agreement=number
    )
    found = lee.get("/projects/pilot/overview").json()
    [need] = found["needs"]
    assert (need["code"], need["verb"], need["count"]) == ("questions", "Answer", 1)
    assert need["images"] == [str(study.queue[1].image.public_id)]
    assert found["agreement"] == {
        "images": 20,
        "needed": 20,
        "days": [{"day": str(day.date()), **number}],
    }
    assert found["progress"]["days"][-1]["done"] == 2
