"""One image judged under two protocols: each is adjudicated, shown and computed by itself."""

from __future__ import annotations

import json
import re
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from analysis.models import Report
from analysis.reports.lifecycle import request_report, run_report
from analysis.reports.status import Changes, changes_since
from analysis.reports.stored import newest_done
from annotator.annotations.adjudication import adjudicate, annotations_of, seen
from annotator.models import Adjudication, Project
from annotator.records.image_deletion import delete_image
from scoring.protocol import Payload
from tests.analysis.stats.generic.making import rows_of
from tests.annotator.adjudicating import ADJUDICATED, FIRST, Case, judged, make_case, reopen, settle
from tests.factories import make_batch, make_project

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
        assert found == {
            "anatomy": ("7/24", ADJUDICATED),
            "presence": ("1/1", present("extra.hands")),
        }

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

    def test_without_a_name_it_is_the_latest_batch_s(self, case: Case, client: Client) -> None:
        assert client.get(address(case)).context["chosen"].slug == "presence"
        judged(case.a.assignment.annotator, make_batch(case.project, name="third"), case.image, FIRST)
        assert client.get(address(case)).context["chosen"].slug == "anatomy"

    def test_what_is_ticked_is_stored(self, case: Case, client: Client) -> None:
        page = client.get(address(case, "?protocol=presence"))
        sent = {name: str(page.context[name]) for name in ("version", "seen", "request_key")}
        sent |= {"cells.configuration.face": "=error", "cells.orientation.torso": "="}
        sent |= {"cells.extra.hands.other": "error", "cells.missing.feet.other": "error"}
        assert client.post(address(case, "?protocol=presence"), sent).status_code == 302
        (row,) = Adjudication.objects.all()
        assert (row.protocol, row.score) == ("presence", "3/1")
        assert row.payload["cells"] == ["missing.feet", "extra.hands", "configuration.face"]

    def test_what_is_not_ticked_or_not_known_is_refused_and_kept(self, case: Case, client: Client) -> None:
        page = client.get(address(case, "?protocol=presence"))
        sent = {name: str(page.context[name]) for name in ("version", "seen", "request_key")}
        sent |= {"cells.configuration.face": "=error", "cells.missing.feet.other": "1/4c"}
        refused = client.post(address(case, "?protocol=presence"), sent)
        assert (refused.status_code, Adjudication.objects.count()) == (422, 0)
        assert set(refused.context["form"].errors) == {"cells.orientation.torso", "cells.missing.feet"}
        assert 'value="1/4c"' in refused.content.decode()

    def test_a_protocol_nobody_judged_by_is_not_found(self, case: Case, client: Client) -> None:
        assert client.get(address(case, "?protocol=stars")).status_code == 404
        Adjudication.objects.all().delete()
        only = make_case(make_project("other"))
        client.force_login(only.user)
        assert (
            client.get(f"/projects/other/images/{only.image.public_id}/adjudicate/?protocol=x").status_code
            == 404
        )


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

    def test_a_adjudicated_value_counts_in_its_own_comparison_alone(self, case: Case) -> None:
        before = computed(case.project, "comparison", "anatomy").result
        settle_presence(case)
        found = computed(case.project, "comparison", "presence").result
        assert found is not None
        (row,) = rows_of(found, "generators")
        values = [row[name]["value"] for name in ("mean", "adjudicated_mean")]
        assert (row["annotations"], row["images"], values) == (2, 1, [2.0, 0.0])
        assert found["settings"]["images_adjudicated"] == 1
        assert not run_report(request_report(project=case.project, kind="comparison").pk) or (
            computed(case.project, "comparison", "anatomy").result == before
        )

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

    def test_reports_about_two_protocols_are_not_put_side_by_side(self, case: Case, client: Client) -> None:
        first = computed(case.project, "agreement", "presence")
        second = computed(case.project, "agreement", "anatomy")
        both = f"before={first.pk}&after={second.pk}"
        assert client.get(f"/projects/pilot/reports/agreement/changes/?{both}").status_code == 404

    def test_refreshing_asks_for_the_protocol_in_view(self, case: Case, client: Client) -> None:
        Report.objects.all().delete()
        answer = client.post("/projects/pilot/reports/agreement/refresh/?protocol=presence")
        assert answer["Location"] == "/projects/pilot/reports/agreement/?protocol=presence"
        assert [row.protocol for row in Report.objects.all()] == ["presence"]


def test_images_show_the_values_of_one_protocol(case: Case, client: Client) -> None:
    settle_presence(case, "extra.hands", "missing.limbs")
    page = client.get(f"/projects/pilot/images/{case.image.public_id}/?protocol=presence")
    assert (page.context["scores"].answers, page.context["scores"].mean) == (2, 2.0)
    assert page.context["adjudicated"].score == "2/1"
    own = client.get(f"/projects/pilot/images/{case.image.public_id}/?protocol=anatomy")
    assert (own.context["scores"].answers, own.context["adjudicated"]) == (2, None)
    listed = client.get("/projects/pilot/images/?protocol=presence&sort=high")
    assert [tile.summary.mean for tile in listed.context["tiles"]] == [2.0]
