"""One image under two protocols, and answers of one shown as another: each computed by itself."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from analysis.reports.status import Changes, changes_since
from annotator.annotations.adjudication import adjudicate, annotations_of, seen
from annotator.models import Adjudication, Project
from annotator.records.image_deletion import delete_image
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Payload
from tests.analysis.mixed import answered
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.adjudicating import ADJUDICATED, Case, judged, make_case, reopen, settle
from tests.factories import make_batch, make_image, make_member, make_project

pytestmark = pytest.mark.django_db
BOTH = ("anatomy", "presence")


def present(*cells: str) -> Payload:
    return {"cells": list(cells), "no_errors": not cells, "unsure": [], "flag": None, "note": ""}


@pytest.fixture
def case(sent: list[int], client: Client) -> Case:
    """Two people count errors in an image, then say of it which cells have any."""
    made = make_case(make_project("pilot"))
    second = make_batch(made.project, name="first look", protocol="presence")
    people = [answer.assignment.annotator for answer in (made.a, made.b)]
    judged(people[0], second, made.image, present("extra.hands", "configuration.face"))
    judged(people[1], second, made.image, present("extra.hands", "orientation.torso"))
    client.force_login(made.user)
    return made


def settle_presence(case: Case, *cells: str) -> Adjudication:
    return adjudicate(
        image=case.image,
        protocol="presence",
        actor=case.user,
        payload=present(*cells),
        replaces=0,
        adjudicated_from=seen(annotations_of(case.image, "presence")),
        request_key=uuid4(),
    )


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


def make_presence(project: Project, answers: dict[tuple[int, str], list[str]]) -> None:
    """Submitted answers of the presence protocol, by image and annotator."""
    batch = make_batch(project, name="first look", protocol="presence")
    images = {number: make_image(project, generator="alpha") for number in {number for number, _ in answers}}
    people = {code: make_member(project, code=code) for code in {code for _, code in answers}}
    for (number, code), cells in answers.items():
        answered(PRESENCE, people[code], images[number], batch, {"cells": cells, "no_errors": not cells})


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


@pytest.mark.thorough
def test_nothing_of_one_protocol_is_in_the_numbers_of_another(project: Project) -> None:
    before = printed(project, "comparison")
    cells = {(1, "anno3"): ["extra.face"], (1, "anno4"): [], (2, "anno3"): ["extra.face", "extra.feet"]}
    make_presence(project, cells)
    after = printed(project, "comparison", protocol="anatomy")
    assert after.pop("answers") == {
        "submitted": 10,
        "counted": 7,
        "not_counted": [{"reason": "other_protocol", "count": 3}],
    }
    before.pop("answers")
    assert after == before
    found = printed(project, "comparison", protocol="presence")
    assert "shown_from" not in found["protocol"]
    assert [row["annotator"] for row in rows_of(found, "annotators")] == ["anno3", "anno4"]
    assert found["answers"]["not_counted"] == [{"reason": "other_protocol", "count": 7}]


def test_a_project_with_several_protocols_asks_which(project: Project) -> None:
    make_presence(project, {(1, "anno3"): []})
    with pytest.raises(CommandError, match=r"^study has several .* --protocol anatomy or presence\.$"):
        printed(project, "agreement")
