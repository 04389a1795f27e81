"""One image under two protocols, and answers of one shown as another: each computed by itself."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from analysis.reports.status import Changes, changes_since
from annotator.annotations.adjudication import annotations_of, seen
from annotator.models import Adjudication, Project
from annotator.records.image_deletion import delete_image
from scoring.protocol import Payload
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.adjudicating import ADJUDICATED, Case, judged, make_case, reopen, settle
from tests.factories import make_batch, make_project

pytestmark = pytest.mark.django_db
BOTH = ("anatomy", "presence")


def present(*cells: str) -> Payload:
    return {"cells": list(cells), "no_errors": not cells, "unsure": [], "flag": None, "note": ""}


@pytest.fixture
def case(sent: list[int]) -> Case:
    """Two people count errors in an image, then say of it which cells have any."""
    made = make_case(make_project("pilot"))
    second = make_batch(made.project, name="first look", protocol="presence")
    people = [answer.assignment.annotator for answer in (made.a, made.b)]
    judged(people[0], second, made.image, present("extra.hands", "configuration.face"))
    judged(people[1], second, made.image, present("extra.hands", "orientation.torso"))
    return made


def settle_presence(case: Case, *cells: str) -> Adjudication:
    looked_at = seen(annotations_of(case.image, "presence"))
    return settle(case, present(*cells), protocol="presence", adjudicated_from=looked_at)


def test_each_protocol_has_its_own_adjudicated_value(case: Case) -> None:
    settle(case)
    settle_presence(case, "extra.hands")
    found = {row.protocol: (row.score, row.payload) for row in Adjudication.objects.all()}
    assert found == {"anatomy": ("7/24", ADJUDICATED), "presence": ("1/1", present("extra.hands"))}


def test_settling_one_is_a_change_of_its_protocol_alone(case: Case) -> None:
    moment = timezone.now()
    settle_presence(case)
    found = {slug: changes_since(case.project, moment, adjudicated=True, protocol=slug) for slug in BOTH}
    assert found == {"anatomy": Changes(), "presence": Changes(adjudicated=1)}


def test_an_image_that_goes_takes_its_own_with_it(case: Case) -> None:
    reopen(case.a)
    moment = timezone.now()
    delete_image(image=case.image, reason="a test", actor=case.user)
    found = {slug: changes_since(case.project, moment, protocol=slug).deleted for slug in BOTH}
    assert found == {"anatomy": 1, "presence": 2}


def printed(project: Project, kind: str, **options: Any) -> dict[str, Any]:
    """What the command prints as JSON."""
    said = StringIO()
    call_command("report", kind, project=project.slug, json=True, stdout=said, **options)
    found: dict[str, Any] = json.loads(said.getvalue())
    return found


@pytest.mark.thorough
def test_the_published_study_shown_as_presence(published: Project) -> None:
    found = printed(published, "agreement", protocol="presence")
    assert found["protocol"] == {
        "slug": "presence",
        "title": "Presence of errors in 25 cells",
        "headline": "Cells marked",
        "shown_from": "anatomy",
    }
    present = rows_of(found, "agreement")[1]
    assert (present["variable"], present["images"]) == ("Error present", 60)
    assert round(present["pooled"]["value"], 6) == 0.450128
    own = printed(published, "agreement")
    # The alpha over cells that anatomy's own report has prints the same digits, interval included.
    (pooled,) = [row["pooled"] for row in rows_of(own, "agreement") if row["variable"] == "Cells"]
    assert [present["pooled"][end] for end in ("value", "low", "high")] == pytest.approx(
        [pooled[end] for end in ("value", "low", "high")], abs=1e-12
    )
