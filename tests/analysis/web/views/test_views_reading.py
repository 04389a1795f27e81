"""Figures as files, disagreements: what is sent, to whom, and with how many queries."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from analysis.figures import drawing_process
from analysis.stats.generic.tables import rows_of
from annotator.models import Annotation, Membership, Project
from tests.analysis.reading import whole_page
from tests.analysis.wider_study import report_of
from tests.factories import REVIEWER, make_member
from tests.support.codes import codes

REPORTS = "/projects/wide/reports"


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as caught:
        assert client.get(address).status_code == 200
    return len(caught)


class TestFigures:
    """One address a figure and form."""

    @pytest.mark.thorough
    def test_forms(self, wide: Project, client: Client) -> None:
        report = report_of(wide, "agreement")
        place = f"{REPORTS}/agreement/{report.pk}/figures/pair-alphas"
        drawing = json.loads(client.get(f"{place}.json").content)
        assert set(drawing) == {"spec", "themes"}
        assert set(drawing["themes"]) == {"light", "dark"}
        assert "title" not in drawing["spec"]
        numbers = client.get(f"{place}.csv")
        assert numbers.content.decode("utf-8-sig").startswith(
            "Agreement on,Annotators,Value,Low,High,Images,Refused"
        )
        named = f'attachment; filename="wide-pair-alphas-{report.finished_at:%Y-%m-%d}.csv"'
        assert numbers["Content-Disposition"] == named
        drawn = client.get(f"{place}.svg")
        assert (drawn["Content-Type"], drawn.content[:4]) == ("image/svg+xml", b"<svg")
        assert client.get(f"{place}.png").content[:8] == b"\x89PNG\r\n\x1a\n"

    @pytest.mark.thorough
    def test_a_drawing_that_takes_too_long(
        self, wide: Project, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        report = report_of(wide, "agreement")
        monkeypatch.setattr(drawing_process, "LONGEST_SECONDS", 0.001)
        answer = client.get(f"{REPORTS}/agreement/{report.pk}/figures/ladder.svg")
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert answer.content == b"Not drawn: the figure could not be drawn. Try again in a moment."

    def test_one_drawing_at_a_time(
        self, wide: Project, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        report = report_of(wide, "agreement")
        monkeypatch.setattr(drawing_process, "PATIENCE_SECONDS", 0.01)
        with drawing_process._ONE_AT_A_TIME:
            answer = client.get(f"{REPORTS}/agreement/{report.pk}/figures/ladder.svg")
        assert answer.status_code == 503
        assert b"other figures are being drawn" in answer.content


class TestDisagreements:
    """Images in the order of distance."""

    @pytest.mark.thorough
    def test_the_furthest_apart_come_first(self, wide: Project, client: Client) -> None:
        report = report_of(wide, "agreement")
        rows = rows_of(report.result or {}, "disagreements")
        answer = client.get(f"{REPORTS}/agreement/{report.pk}/disagreements/")
        shown = answer.context["disagreements"]
        assert [each.entry for each in shown] == rows[:3]
        assert [each.place for each in shown] == [1, 2, 3]
        assert answer.context["page"].paginator.num_pages == 4
        first = rows[0]["annotations"][0]
        assert f'href="/annotations/{first}/"' in answer.content.decode()

    def test_the_grid_tells_what_differs(self, wide: Project, client: Client) -> None:
        report = report_of(wide, "agreement")
        shown = client.get(f"{REPORTS}/agreement/{report.pk}/disagreements/").context["disagreements"]
        for each in shown:
            stored = {cell["cell"]: tuple(cell["marks"]) for cell in each.entry["cells"]}
            differing = [cell for row in each.rows for cell in row.cells if cell.kind == "differs"]
            assert [(cell.first, cell.second) for cell in differing] == list(stored.values())
            two = Annotation.objects.in_bulk(each.entry["annotations"])
            marked = [
                {f"{mark['type']}.{mark['part']}" for mark in answer.payload["marks"]}
                for answer in two.values()
            ]
            alike = sum(cell.kind == "agrees" for row in each.rows for cell in row.cells)
            assert alike == len((marked[0] & marked[1]) - set(stored))
            assert not each.changed

    def test_a_changed_answer_is_not_taken_for_the_old_one(self, wide: Project, client: Client) -> None:
        report = report_of(wide, "agreement")
        first = rows_of(report.result or {}, "disagreements")[0]
        Annotation.objects.filter(pk=first["annotations"][0]).update(status="reopened", submitted_at=None)
        answer = client.get(f"{REPORTS}/agreement/{report.pk}/disagreements/")
        shown = answer.context["disagreements"][0]
        assert shown.changed
        assert {cell.kind for row in shown.rows for cell in row.cells} == {"differs", "empty"}
        assert "changed" in codes(answer)

    def test_reviewers_see_it_without_the_way_to_single_annotations(self, wide: Project) -> None:
        report = report_of(wide, "agreement")
        reviewer: Membership = make_member(wide, REVIEWER)
        client = Client()
        assert reviewer.user is not None
        client.force_login(reviewer.user)
        page = client.get(f"{REPORTS}/agreement/{report.pk}/disagreements/").content.decode()
        assert "anno1" in page
        assert 'href="/annotations/' not in page


class TestLinksToImages:
    """Marks and rows open the gallery for leads, who may see it."""

    @pytest.mark.thorough
    def test_of_a_lead(self, wide: Project, client: Client) -> None:
        report_of(wide, "comparison")
        html = whole_page(client, f"{REPORTS}/comparison/")
        place = "/projects/wide/images/?"
        assert f'data-images="{place}sort=high&amp;from=comparison.generators&amp;"' in html
        assert f'href="{place}generator=alpha&amp;sort=high&amp;from=comparison.generators"' in html
        severe = "type=missing&amp;severity=c&amp;sort=high&amp;from=comparison.errors"
        assert f'href="{place}{severe}"' in html
        assert client.get("/projects/wide/images/?from=comparison.errors").context["asked"].back
