"""Settling on the page: what is shown, what is stored, and that nothing typed is lost."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from analysis.models import Report
from analysis.stats.generic.tables import rows_of
from annotator.models import Adjudication, Image, Project
from tests.analysis.wider_study import make_wider_study, report_of
from tests.annotator.adjudicating import (
    ADJUDICATED,
    SECOND,
    Case,
    page_of,
    reopen,
    settle,
    submit_again,
    typed,
)
from tests.factories import make_payload
from tests.support.codes import codes, numbers, said


def hidden(page: str) -> dict[str, str]:
    """The first form's hidden fields."""
    found = re.findall(r'<input type="hidden" name="(version|seen|request_key)" value="([^"]*)">', page)
    return dict(found[:3])


def moderate(**more: str) -> dict[str, Any]:
    """What the lead sends: limbs moderate, the rest as it is."""
    limbs = {"marks__missing__limbs": "other", "marks__missing__limbs__other": "1/4b"}
    return typed(**(limbs | {"marks__extra__hands__other": "1/3b"} | more))


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


class TestThePage:
    def test_cells_that_differ_are_to_be_ticked_the_others_are_filled_in(
        self, case: Case, client: Client
    ) -> None:
        page = text_of(client.get(page_of(case.image)))
        assert (numbers(page, "differing"), numbers(page, "agreeing")) == (["1"], ["24"])
        values = re.findall(r'type="radio" name="marks.missing.limbs" value="([^"]*)"', page)
        assert values == ["=1/4c", "=", "other"]
        assert page.count('type="radio"') == 3
        assert " checked" not in page
        assert 'name="marks.extra.hands.other" value="1/3b"' in page
        looked_at = f"{case.a.pk}:1,{case.b.pk}:1"
        assert (hidden(page)["version"], hidden(page)["seen"]) == ("0", looked_at)

    def test_what_is_adjudicated_is_ticked(self, case: Case, client: Client) -> None:
        settle(case, note="Because.")
        page = text_of(client.get(page_of(case.image)))
        assert 'value="other" checked' in page
        assert 'name="marks.missing.limbs.other" value="1/4b"' in page
        assert "Because.</textarea>" in page
        assert "Adjudicated at 0.292" in page
        assert hidden(page)["version"] == "1"
        settle(case, SECOND, replaces=1)
        page = text_of(client.get(page_of(case.image)))
        assert 'name="marks.missing.limbs" value="=" checked' in page

    def test_an_image_that_one_person_judged(self, case: Case, client: Client) -> None:
        reopen(case.a)
        page = text_of(client.get(page_of(case.image)))
        assert "anno2" in said(page, "too-few")
        assert 'id="adjudicate"' not in page


class TestSettling:
    def test_typed(self, case: Case, client: Client) -> None:
        answer = client.post(page_of(case.image), moderate(note="Seen\r\ntwice."))
        assert (answer.status_code, answer["Location"]) == (
            302,
            f"/projects/pilot/images/{case.image.public_id}/",
        )
        row = Adjudication.objects.get()
        assert (row.payload, row.note, row.decided_by) == (ADJUDICATED, "Seen\ntwice.", case.lead)
        said_of = f"Adjudicated: {case.image.prompt} {case.image.number}, {case.image.generator}, "
        assert said_of in text_of(client.get("/projects/pilot/images/"))

    def test_ticked_takes_the_pins_along(self, case: Case, client: Client) -> None:
        pinned = make_payload([("missing.limbs", "1/4c"), ("extra.hands", "1/3b")])
        pinned["marks"][0]["pins"] = [{"x": 0.25, "y": 0.5}]
        submit_again(case.a, pinned)
        sent = moderate(marks__missing__limbs="=1/4c", marks__missing__limbs__other="")
        assert client.post(page_of(case.image), sent).status_code == 302
        assert Adjudication.objects.get().payload["marks"] == pinned["marks"]

    def test_nothing_at_all_is_no_errors(self, case: Case, client: Client) -> None:
        sent = moderate(
            marks__missing__limbs="=", marks__missing__limbs__other="", marks__extra__hands__other=""
        )
        assert client.post(page_of(case.image), sent).status_code == 302
        row = Adjudication.objects.get()
        assert (row.score, row.payload["no_errors"]) == ("0/1", True)

    def test_withdrawing(self, case: Case, client: Client) -> None:
        settle(case)
        sent = {"action": "withdraw", "version": "1", "request_key": str(uuid4())}
        answer = client.post(page_of(case.image), sent, follow=True)
        assert "withdrawn" in codes(answer)
        assert Adjudication.objects.get().status == "withdrawn"
        stale = sent | {"request_key": str(uuid4())}
        assert "stale" in codes(client.post(page_of(case.image), stale, follow=True))


class TestNothingIsLost:
    """Refused, with everything that was entered."""

    def refused(self, case: Case, client: Client, status: int, **more: str) -> str:
        answer = client.post(page_of(case.image), moderate(**more))
        assert answer.status_code == status
        assert not Adjudication.objects.exists()
        return text_of(answer)

    @pytest.mark.parametrize(
        ("text", "reason"),
        [("1/4", "“1/4”"), ("5/4c", "“5/4c”"), ("<b>", "“&lt;b&gt;”"), ("", "Enter a value, such as 1/4c")],
    )
    def test_a_cell_that_cannot_be_read(self, case: Case, client: Client, text: str, reason: str) -> None:
        page = self.refused(case, client, 422, marks__missing__limbs__other=text, note="Keep me.")
        error = re.search(r'id="adjudicate-missing-limbs-error">(.*?)</div>', page, re.DOTALL)
        assert error is not None
        assert reason in error[1]
        assert "Keep me.</textarea>" in page
        assert "not-stored" in codes(page)
        assert 'value="other" checked' in page

    def test_nothing_ticked(self, case: Case, client: Client) -> None:
        sent = moderate(marks__missing__limbs__other="", marks__missing__torso__other="1/1a")
        del sent["marks.missing.limbs"]
        answer = client.post(page_of(case.image), sent)
        assert answer.status_code == 422
        page = text_of(answer)
        assert "Choose a value." in page
        assert 'name="marks.missing.torso.other" value="1/1a"' in page
        assert '<details class="card agreed" open>' in page

    def test_ticked_one_thing_and_typed_another(self, case: Case, client: Client) -> None:
        page = self.refused(case, client, 422, marks__missing__limbs="=1/4c")
        assert "You entered “1/4b” but chose another option" in page
        assert 'name="marks.missing.limbs" value="=1/4c" checked' in page
        assert 'name="marks.missing.limbs.other" value="1/4b"' in page

    @pytest.mark.parametrize("seen", ["", "1", "a:b", "1:1,2", "9" * 40 + ":1"])
    @pytest.mark.few(2)
    def test_a_form_that_somebody_tampered_with(self, case: Case, client: Client, seen: str) -> None:
        assert "an annotation of this image has changed" in self.refused(case, client, 409, seen=seen)

    def test_who_comes_second_is_told_and_keeps_what_they_entered(self, case: Case, client: Client) -> None:
        sent = moderate(note="Mine.")
        settle(case, SECOND)
        answer = client.post(page_of(case.image), sent)
        page = text_of(answer)
        assert answer.status_code == 409
        assert "lead adjudicated it at 0.167 in the meantime" in page
        assert "Currently adjudicated: <b>–</b>" in page
        assert "Mine.</textarea>" in page
        assert 'name="marks.missing.limbs.other" value="1/4b"' in page
        # Having been told, they may.
        again = sent | hidden(page)
        assert client.post(page_of(case.image), again).status_code == 302
        assert Adjudication.objects.get().payload == ADJUDICATED

    def test_an_annotation_that_changed_meanwhile(self, case: Case, client: Client) -> None:
        sent = moderate(marks__missing__limbs="=1/4c", marks__missing__limbs__other="")
        submit_again(case.a, make_payload([("missing.limbs", "1/4a"), ("extra.hands", "1/3c")]))
        answer = client.post(page_of(case.image), sent)
        page = text_of(answer)
        assert answer.status_code in {409, 422}
        # What was ticked is nobody's word any more: it stands in the field.
        assert 'name="marks.missing.limbs.other" value="1/4c"' in page
        assert 'name="marks.extra.hands.other" value="1/3b"' in page
        assert not Adjudication.objects.exists()


class TestTheOrder:
    """From the furthest apart to the next one."""

    @pytest.fixture
    def wide(self, case: Case) -> Report:
        project = Project.objects.create(slug="wide", name="Wide")
        case.project.memberships.filter(pk=case.lead.pk).update(project=project)
        make_wider_study(project)
        return report_of(project, "agreement")

    def images(self, report: Report) -> list[Image]:
        assert report.result is not None
        found = Image.objects.in_bulk([row["image"] for row in rows_of(report.result, "disagreements")])
        return [found[row["image"]] for row in rows_of(report.result, "disagreements")]

    def settle(self, client: Client, image: Image, report: Report) -> Any:
        page = text_of(client.get(f"{page_of(image)}?report={report.pk}"))
        ticks = dict.fromkeys(re.findall(r'type="radio" name="([^"]*)"', page), "=")
        kept = dict(re.findall(r'name="(marks[^"]*\.other)" value="([^"]*)"', page))
        sent = {**hidden(page), **kept, **ticks}
        return client.post(f"{page_of(image)}?report={report.pk}", sent)

    @pytest.mark.slow  # a report of a wide study, and a page for each image
    @pytest.mark.thorough
    def test_one_after_the_other(self, wide: Report, client: Client) -> None:
        images = self.images(wide)
        first, second, third = images[:3]
        assert self.settle(client, second, wide)["Location"] == f"{page_of(third)}?report={wide.pk}"
        # After the last one come those that were left open.
        assert self.settle(client, images[-1], wide)["Location"] == f"{page_of(first)}?report={wide.pk}"
        for image in [first, third, *images[3:-2]]:
            self.settle(client, image, wide)
        answer = self.settle(client, images[-2], wide)
        assert answer["Location"] == f"/projects/wide/reports/agreement/{wide.pk}/disagreements/"
        assert numbers(client.get(answer["Location"]), "all-adjudicated") == ["12"]
