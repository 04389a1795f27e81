"""The list of disagreements, with hidden codes and without, and those that are open elsewhere."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from analysis.models import Report
from analysis.reports.disagreements import open_elsewhere
from analysis.stats.generic.tables import rows_of
from annotator.annotations.adjudication import in_hidden_order
from annotator.models import Adjudication, Annotation, Event, Membership, Project
from annotator.people.preferences import change_preferences
from scoring.presence.protocol import PRESENCE, clean
from tests.analysis.factories import make_submitted
from tests.analysis.wider_study import make_wider_study, report_of
from tests.annotator.adjudicating import SECOND, Case, judged, page_of, settle, typed
from tests.factories import REVIEWER, make_batch, make_image, make_member, make_project, user_of
from tests.support.codes import codes
from tests.support.signing_in import signed_in

REPORTS = "/projects/wide/reports"


class TestDisagreements:
    """Images in the order of distance."""

    def test_the_grid_tells_what_differs(self, wide: Project, client: Client) -> None:
        report = report_of(wide, "agreement")
        shown = client.get(f"{REPORTS}/agreement/{report.pk}/disagreements/").context["disagreements"]
        for each in shown:
            stored = {cell["cell"]: tuple(cell["marks"]) for cell in each["entry"]["cells"]}
            differing = [cell for row in each["rows"] for cell in row["cells"] if cell["kind"] == "differs"]
            assert [(cell["first"], cell["second"]) for cell in differing] == list(stored.values())
            two = Annotation.objects.in_bulk(each["entry"]["annotations"])
            marked = [
                {f"{mark['type']}.{mark['part']}" for mark in answer.payload["marks"]}
                for answer in two.values()
            ]
            alike = sum(cell["kind"] == "agrees" for row in each["rows"] for cell in row["cells"])
            assert alike == len((marked[0] & marked[1]) - set(stored))
            assert not each["changed"]

    def test_a_changed_answer_is_not_taken_for_the_old_one(self, wide: Project, client: Client) -> None:
        report = report_of(wide, "agreement")
        first = rows_of(report.result or {}, "disagreements")[0]
        Annotation.objects.filter(pk=first["annotations"][0]).update(status="reopened", submitted_at=None)
        answer = client.get(f"{REPORTS}/agreement/{report.pk}/disagreements/")
        shown = answer.context["disagreements"][0]
        assert shown["changed"]
        assert {cell["kind"] for row in shown["rows"] for cell in row["cells"]} == {"differs", "empty"}
        assert "changed" in codes(answer)

    def test_reviewers_see_it_without_the_way_to_single_annotations(self, wide: Project) -> None:
        report = report_of(wide, "agreement")
        client = signed_in(make_member(wide, REVIEWER))
        page = client.get(f"{REPORTS}/agreement/{report.pk}/disagreements/").content.decode()
        assert "anno1" in page
        assert 'href="/annotations/' not in page


def apart(project: Project, report: Report) -> str:
    return f"/projects/{project.slug}/reports/agreement/{report.pk}/disagreements/"


def test_review_leads_to_the_protocol_where_something_is_open(case: Case, client: Client) -> None:
    first = report_of(case.project, "agreement")
    settle(case)
    batch = make_batch(case.project, protocol="presence")
    for annotation, cells in ((case.a, ["extra.hands"]), (case.b, [])):
        made = make_submitted(annotation.assignment.annotator, [], image=case.image, batch=batch)
        made.payload = {"cells": cells, "no_errors": not cells}
        made.ratings = [list(map(str, one)) for one in PRESENCE.ratings(clean(made.payload), {})]
        made.save()
    second = report_of(case.project, "agreement", protocol="presence")
    ((one, count),) = open_elsewhere(case.project, first)
    assert (one.pk, one.protocol, count) == (second.pk, "presence", 1)
    notice = r'href="([^"]*)" data-code="new-disagreements" data-count="(\d+)"'
    html = client.get(apart(case.project, first)).content.decode()
    assert re.findall(notice, html) == [(f"{apart(case.project, second)}?show=open", "1")]
    review = f"/projects/{case.project.slug}/disagreements/"
    assert client.get(review)["Location"] == f"{apart(case.project, second)}?show=open"
    listed = client.get(apart(case.project, second)).content.decode()
    (there,) = re.findall(r'href="([^"]*/adjudicate/[^"]*)"', listed)
    assert client.get(there.replace("&amp;", "&")).context["chosen"].slug == "presence"
    chosen = client.get(f"{review}?protocol=anatomy")["Location"]
    assert chosen == f"{apart(case.project, first)}?show=open"


CODES = (b"anno1", b"anno2")


KEPT = {"note": "Kept.", "marks__missing__limbs": "=1/4c", "marks__extra__hands__other": "1/3b"}


def hide(case: Case) -> None:
    change_preferences(user=case.user, changes={"hide_codes": True})


def test_no_byte_names_an_annotator(case: Case, client: Client) -> None:
    assert all(code in client.get(page_of(case.image)).content for code in CODES)
    hide(case)
    for change in ("nothing", "one left", "stored"):
        if change == "stored":
            settle(case, note="Because.")
        if change == "one left":
            Annotation.objects.filter(pk=case.b.pk).update(status="draft")
        page = client.get(page_of(case.image))
        assert not any(code in page.content for code in CODES), change
        assert f"/annotations/{case.a.pk}/".encode() not in page.content
        assert "codes-hidden" in codes(page)
        Annotation.objects.filter(pk=case.b.pk).update(status="submitted")
    refused = client.post(page_of(case.image), typed(**KEPT, codes_hidden="1", version="7"))
    assert refused.status_code == 409
    assert not any(code in refused.content for code in CODES)


def test_a_lead_who_annotated_is_not_named_either(case: Case, client: Client) -> None:
    judged(case.lead, case.batch, case.image, SECOND)
    Membership.objects.filter(pk=case.lead.pk).update(code="anno9")
    settle(case, adjudicated_from=[(row.pk, row.version) for row in Annotation.objects.order_by("pk")])
    assert b"anno9" in client.get(page_of(case.image)).content
    hide(case)
    assert b"anno9" not in client.get(page_of(case.image)).content


def test_the_order_is_fixed_for_an_image_and_not_by_code(case: Case) -> None:
    firsts = set()
    for _ in range(24):
        image = make_image(case.project)
        batch = make_batch(case.project)
        answers = [
            judged(person, batch, image, SECOND)
            for person in case.project.memberships.filter(role="annotator").order_by("code")
        ]
        order = in_hidden_order(image, answers)
        assert in_hidden_order(image, reversed(answers)) == order
        firsts.add(order[0].assignment.annotator.code)
    assert firsts == {"anno1", "anno2"}


def test_the_switch_is_remembered_and_keeps_what_was_entered(case: Case, client: Client) -> None:
    page = client.post(page_of(case.image), typed(**KEPT, action="hide-codes"))
    assert page.status_code == 200
    assert "codes-hidden" in codes(page)
    assert b"Kept.</textarea>" in page.content
    assert b'value="=1/4c" checked' in page.content
    assert "codes-hidden" in codes(client.get(page_of(case.image)))
    other = make_member(case.project, "lead", code="other")
    client.force_login(user_of(other))
    assert "codes-hidden" not in codes(client.get(page_of(case.image)))
    client.force_login(case.user)
    shown = client.post(page_of(case.image), typed(**KEPT, action="show-codes", codes_hidden="1"))
    assert all(code in shown.content for code in CODES)
    assert not Adjudication.objects.exists()


@pytest.mark.parametrize("hidden", [False, True])
def test_the_event_records_what_the_page_showed(case: Case, client: Client, hidden: bool) -> None:
    hide(case)  # in another tab, after this page was drawn
    answer = client.post(page_of(case.image), typed(**KEPT, **({"codes_hidden": "1"} if hidden else {})))
    assert answer.status_code == 302
    data = Event.objects.get(verb="adjudicated").data
    assert data.get("codes_hidden", False) is hidden


@pytest.mark.parametrize("hidden", ["", "1"])
def test_all_of_one_annotator(case: Case, client: Client, hidden: str) -> None:
    sent = {**typed(**KEPT), "marks.missing.limbs": "other", "marks.missing.limbs.other": "1/4a"}
    sent |= {"codes_hidden": hidden}
    drawn = client.post(page_of(case.image), sent | {"action": "all-of-A"})
    # The letter beside each option of the differing cell.
    letters = re.findall(r'value="=[^"]*"(?: checked)? data-letters="([A-Z]*)"', drawn.content.decode())
    assert sorted(letters) == ["A", "B"]
    for letter, page in (
        ("A", drawn),
        ("B", client.post(page_of(case.image), sent | {"action": "all-of-B"})),
    ):
        assert re.findall(r'checked data-letters="([AB])"', page.content.decode()) == [letter]
        assert b'name="marks.missing.limbs.other" value=""' in page.content
        assert b"Kept.</textarea>" in page.content
    nobody = client.post(page_of(case.image), sent | {"action": "all-of-Z"})
    assert b'name="marks.missing.limbs.other" value="1/4a"' in nobody.content
    assert not Adjudication.objects.exists()


@pytest.mark.slow  # a report of a wide study
def test_the_list_hides_them_too(case: Case, client: Client) -> None:
    project = make_project("wide")
    case.project.memberships.filter(pk=case.lead.pk).update(project=project)
    make_wider_study(project)
    report = report_of(project, "agreement")
    apart = f"/projects/wide/reports/agreement/{report.pk}/disagreements/"
    assert report.result is not None
    entry = rows_of(report.result, "disagreements")[0]
    names = [code.encode() for code in entry["annotators"]]
    assert all(name in client.get(apart).content for name in names)
    hide(case)
    page = client.get(apart)
    assert not any(b">" + name + b"<" in page.content or b"</b> " + name in page.content for name in names)
    assert b"/annotations/" not in page.content
    assert "codes-hidden" in codes(page)
