"""One image under two protocols, and answers of one shown as another: each computed by itself."""

from __future__ import annotations

import json
import re
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from analysis.reports.status import Changes, changes_since
from analysis.reports.stored import newest_done
from annotator.annotations.adjudication import adjudicate, annotations_of, seen
from annotator.annotations.saving import checked_annotation
from annotator.models import Adjudication, Annotation, Project
from annotator.records.image_deletion import delete_image
from scoring.presence.protocol import PRESENCE
from scoring.protocol import Payload
from tests.analysis.factories import EARLIER
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.adjudicating import ADJUDICATED, Case, judged, make_case, reopen, settle
from tests.factories import make_assignment, make_batch, make_image, make_member, make_project

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


def address(case: Case, query: str = "") -> str:
    return f"/projects/pilot/images/{case.image.public_id}/adjudicate/{query}"


def computed(project: Project, kind: str, protocol: str) -> Report:
    assert run_report(request_report(project=project, kind=kind, protocol=protocol).pk)
    found = newest_done(project, kind, protocol)
    assert found is not None
    return found


class TestSettling:
    """One value for each protocol."""

    def test_each_has_its_own_value(self, case: Case) -> None:
        settle(case)
        settle_presence(case, "extra.hands")
        found = {row.protocol: (row.score, row.payload) for row in Adjudication.objects.all()}
        assert found == {"anatomy": ("7/24", ADJUDICATED), "presence": ("1/1", present("extra.hands"))}

    def test_the_page_shows_the_annotations_of_its_protocol(self, case: Case, client: Client) -> None:
        page = client.get(address(case, "?protocol=presence"))
        found = page.context["differing"]
        assert [(cell.title, [option.text for option in cell.options]) for cell, *_ in found] == [
            ("Configuration · Face", ["error", ""]),
            ("Orientation · Torso", ["", "error"]),
        ]
        assert [person.score for person in page.context["form"].people] == ["2", "2"]
        own = client.get(address(case, "?protocol=anatomy"))
        assert [cell.title for cell, _ in own.context["differing"]] == ["Missing · Limbs"]

    def test_what_is_ticked_is_stored(self, case: Case, client: Client) -> None:
        page = client.get(address(case, "?protocol=presence"))
        sent = {name: str(page.context[name]) for name in ("version", "seen", "request_key")}
        sent |= {"cells.configuration.face": "=error", "cells.orientation.torso": "="}
        sent |= {"cells.extra.hands.other": "error", "cells.missing.feet.other": "error"}
        assert client.post(address(case, "?protocol=presence"), sent).status_code == 302
        (row,) = Adjudication.objects.all()
        assert (row.protocol, row.score) == ("presence", "3/1")
        assert row.payload["cells"] == ["missing.feet", "extra.hands", "configuration.face"]


class TestChanges:
    """What has happened since a report is counted for its own protocol."""

    def test_settling_one(self, case: Case) -> None:
        moment = timezone.now()
        settle_presence(case)
        found = {slug: changes_since(case.project, moment, adjudicated=True, protocol=slug) for slug in BOTH}
        assert found == {"anatomy": Changes(), "presence": Changes(adjudicated=1)}

    def test_an_image_that_goes_takes_its_own_with_it(self, case: Case) -> None:
        reopen(case.a)
        moment = timezone.now()
        delete_image(image=case.image, reason="a test", actor=case.user)
        found = {slug: changes_since(case.project, moment, protocol=slug).deleted for slug in BOTH}
        assert found == {"anatomy": 1, "presence": 2}


class TestReports:
    """Separate numbers at one address each."""

    def test_agreement_lists_who_is_furthest_apart(self, case: Case, client: Client) -> None:
        report = computed(case.project, "agreement", "presence")
        assert report.result is not None
        (entry,) = rows_of(report.result, "disagreements")
        assert (entry["one_sided"], entry["difference"], entry["scores"]) == (2, 0.0, [2.0, 2.0])
        assert entry["cells"] == [
            {"cell": "configuration.face", "marks": ["1", "0"]},
            {"cell": "orientation.torso", "marks": ["0", "1"]},
        ]
        page = client.get(f"/projects/pilot/reports/agreement/{report.pk}/disagreements/")
        cells = [cell for row in page.context["disagreements"][0].rows for cell in row.cells]
        assert [(cell.kind, cell.first, cell.second) for cell in cells if cell.kind != "empty"] == [
            ("differs", "", "error"),
            ("agrees", "error", "error"),
            ("differs", "error", ""),
        ]
        onwards = f"{address(case)}?report={report.pk}"
        assert onwards in page.content.decode()
        assert client.get(onwards).context["chosen"].slug == "presence"

    def test_every_page_and_file_says_what_it_is_about(self, case: Case, client: Client) -> None:
        report = computed(case.project, "agreement", "presence")
        computed(case.project, "agreement", "anatomy")
        page = client.get("/projects/pilot/reports/agreement/?protocol=presence")
        address = r'(?:href|action|hx-get)="(/projects/pilot/reports/agreement[^"]*)"'
        links = re.findall(address, page.content.decode())
        assert links
        of_this_report = re.compile(rf"/{report.pk}(/|\.json$)")
        about = {link for link in links if "?" not in link and not of_this_report.search(link)}
        assert about == set()
        assert page.context["report"].pk == report.pk
        named = client.get("/projects/pilot/reports/agreement.json?protocol=presence")
        assert json.loads(named.content)["protocol"]["slug"] == "presence"
        assert "pilot-agreement-presence-" in named["Content-Disposition"]
        own = client.get("/projects/pilot/reports/agreement/")
        assert own.context["chosen"].slug == "anatomy"
        assert own.context["report"].pk != report.pk


def test_images_show_the_values_of_one_protocol(case: Case, client: Client) -> None:
    settle_presence(case, "extra.hands", "missing.limbs")
    page = client.get(f"/projects/pilot/images/{case.image.public_id}/?protocol=presence")
    assert (page.context["scores"].answers, page.context["scores"].mean) == (2, 2.0)
    assert page.context["adjudicated"].score == "2/1"
    own = client.get(f"/projects/pilot/images/{case.image.public_id}/?protocol=anatomy")
    assert (own.context["scores"].answers, own.context["adjudicated"]) == (2, None)
    listed = client.get("/projects/pilot/images/?protocol=presence&sort=high")
    assert [summary.mean for _, summary, _ in listed.context["tiles"]] == [2.0]


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
        answer = PRESENCE.clean({"cells": cells, "no_errors": not cells})
        _, ratings = checked_annotation(answer.payload(), PRESENCE, {})
        assignment = make_assignment(people[code], image=images[number], batch=batch, status="done")
        Annotation.objects.create(
            assignment=assignment,
            payload=answer.payload(),
            ratings=ratings,
            status="submitted",
            submitted_at=EARLIER,
            saved_at=EARLIER,
        )


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


def test_counted_answers_are_shown_as_presence(project: Project) -> None:
    found = printed(project, "comparison", protocol="presence")
    rows = {row["component"]: row for row in rows_of(found, "components")}
    assert rows["extra.hands"]["generator beta"] == 0.5
    assert rows["missing.limbs"]["generator alpha"] == 0.5
    assert (found["answers"]["counted"], found["answers"]["not_counted"]) == (7, [])


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


def test_a_protocol_that_is_not_there_is_named(project: Project) -> None:
    known = "anatomy, defect-check, defect-marks, defect-quality, defect-verdict, presence, realism"
    with pytest.raises(CommandError, match=rf"^There is no protocol 'moons'; known: {known}\.$"):
        printed(project, "agreement", protocol="moons")
    other = make_project("other")
    make_presence(other, {(1, "anno3"): []})
    with pytest.raises(CommandError, match=r"^other has no .* 'anatomy'\. Known: presence\.$"):
        printed(other, "agreement", protocol="anatomy")
