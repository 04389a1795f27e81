"""Adjudicating with hidden codes: no byte of the page names an annotator, and the Event records it."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from analysis.stats.generic.tables import rows_of
from annotator.annotations.adjudication_history import decisions_of, in_hidden_order
from annotator.models import Adjudication, Annotation, Event, Image, Membership
from annotator.people.preferences import change_preferences
from tests.analysis.wider_study import make_wider_study, report_of
from tests.annotator.adjudicating import SECOND, Case, judged, settle, submit_again, withdraw
from tests.factories import make_batch, make_image, make_member, make_payload, make_project
from tests.support.codes import codes, numbers

CODES = (b"anno1", b"anno2")


def address(image: Image) -> str:
    return f"/projects/{image.project.slug}/images/{image.public_id}/adjudicate/"


def typed(case: Case, **more: str) -> dict[str, Any]:
    looked_at = ",".join(f"{row.pk}:{row.version}" for row in Annotation.objects.order_by("pk"))
    sent = {"version": "0", "seen": looked_at, "request_key": str(uuid4()), "note": "Kept."}
    ticked = {"marks.missing.limbs": "=1/4c", "marks.extra.hands.other": "1/3b"}
    return sent | ticked | more


def hide(case: Case) -> None:
    change_preferences(user=case.user, changes={"hide_codes": True})


def letters_of(page: bytes) -> list[str]:
    """Return the letter beside each option of the differing cell."""
    return re.findall(r'value="=[^"]*"(?: checked)? data-letters="([A-Z]*)"', page.decode())


def test_no_byte_names_an_annotator(case: Case, client: Client) -> None:
    assert all(code in client.get(address(case.image)).content for code in CODES)
    hide(case)
    for change in ("nothing", "one left", "stored"):
        if change == "stored":
            settle(case, note="Because.")
        if change == "one left":
            Annotation.objects.filter(pk=case.b.pk).update(status="draft")
        page = client.get(address(case.image))
        assert not any(code in page.content for code in CODES), change
        assert f"/annotations/{case.a.pk}/".encode() not in page.content
        assert "codes-hidden" in codes(page)
        Annotation.objects.filter(pk=case.b.pk).update(status="submitted")
    refused = client.post(address(case.image), typed(case, codes_hidden="1", version="7"))
    assert refused.status_code == 409
    assert not any(code in refused.content for code in CODES)


def test_a_lead_who_annotated_is_not_named_either(case: Case, client: Client) -> None:
    judged(case.lead, case.batch, case.image, SECOND)
    Membership.objects.filter(pk=case.lead.pk).update(code="anno9")
    settle(case, adjudicated_from=[(row.pk, row.version) for row in Annotation.objects.order_by("pk")])
    assert b"anno9" in client.get(address(case.image)).content
    hide(case)
    assert b"anno9" not in client.get(address(case.image)).content


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
    page = client.post(address(case.image), typed(case, action="hide-codes"))
    assert page.status_code == 200
    assert "codes-hidden" in codes(page)
    assert b"Kept.</textarea>" in page.content
    assert b'value="=1/4c" checked' in page.content
    assert "codes-hidden" in codes(client.get(address(case.image)))
    other = make_member(case.project, "lead", code="other")
    assert other.user is not None
    client.force_login(other.user)
    assert "codes-hidden" not in codes(client.get(address(case.image)))
    client.force_login(case.user)
    shown = client.post(address(case.image), typed(case, action="show-codes", codes_hidden="1"))
    assert all(code in shown.content for code in CODES)
    assert not Adjudication.objects.exists()


@pytest.mark.parametrize("hidden", [False, True])
def test_the_event_records_what_the_page_showed(case: Case, client: Client, hidden: bool) -> None:
    hide(case)  # in another tab, after this page was drawn
    answer = client.post(address(case.image), typed(case, **({"codes_hidden": "1"} if hidden else {})))
    assert answer.status_code == 302
    data = Event.objects.get(verb="adjudicated").data
    assert data.get("codes_hidden", False) is hidden
    assert decisions_of(Adjudication.objects.get())[0].codes_hidden is hidden


@pytest.mark.parametrize("hidden", ["", "1"])
def test_all_of_one_annotator(case: Case, client: Client, hidden: str) -> None:
    sent = {**typed(case), "marks.missing.limbs": "other", "marks.missing.limbs.other": "1/4a"}
    sent |= {"codes_hidden": hidden}
    drawn = client.post(address(case.image), sent | {"action": "all-of-A"})
    first, second = letters_of(drawn.content)
    assert {first, second} == {"A", "B"}
    for letter, page in (
        ("A", drawn),
        ("B", client.post(address(case.image), sent | {"action": "all-of-B"})),
    ):
        assert re.findall(r'checked data-letters="([AB])"', page.content.decode()) == [letter]
        assert b'name="marks.missing.limbs.other" value=""' in page.content
        assert b"Kept.</textarea>" in page.content
    nobody = client.post(address(case.image), sent | {"action": "all-of-Z"})
    assert b'name="marks.missing.limbs.other" value="1/4a"' in nobody.content
    assert not Adjudication.objects.exists()


def test_pins_and_notes_are_beside(case: Case, client: Client) -> None:
    pinned = make_payload([("missing.limbs", "1/4c"), ("extra.hands", "1/3b")]) | {"note": "<b>Left arm.</b>"}
    pinned["marks"][0]["pins"] = [{"x": 0.25, "y": 0.5}]
    submit_again(case.a, pinned)
    page = client.get(address(case.image))
    assert b'<svg x="25.00%" y="50.00%"' in page.content
    assert b'data-pin="missing.limbs"' in page.content
    assert b"&lt;b&gt;Left arm." in page.content
    assert codes(page).count("note-of") == codes(page).count("pins-of") == 1


class TestTheImagePage:
    """What was decided, by whom, when and why, and what that replaced."""

    def page(self, case: Case, client: Client) -> Any:
        return client.get(f"/projects/pilot/images/{case.image.public_id}/")

    def test_the_grid_with_who_when_and_why(self, case: Case, client: Client) -> None:
        assert "adjudicated" not in codes(self.page(case, client))
        row = settle(case, note="As the third look says.", codes_hidden=True)
        page = self.page(case, client)
        shown = page.content.decode().split('data-code="adjudicated"')[1].split("</section>")[0]
        assert '<span class="mark b">1/4b</span>' in shown
        assert "<b>lead</b>" in shown
        assert f"{row.decided_at:%H:%M} UTC" in shown
        assert "As the third look says." in shown
        assert {"decided-blind", "decided-because"} <= set(codes(page))
        assert "earlier-decisions" not in codes(page)
        submit_again(case.b, SECOND)
        assert "outdated" in codes(self.page(case, client))

    def test_earlier_and_withdrawn_ones(self, case: Case, client: Client) -> None:
        settle(case, note="One.")
        settle(case, SECOND, replaces=1, note="Two.")
        withdraw(case, replaces=2)
        page = self.page(case, client)
        assert "adjudication-withdrawn" in codes(page)
        assert numbers(page, "earlier-decisions") == ["2"]
        text = page.content.decode()
        assert 0 < text.index("Two.") < text.index("One.")
        settle(case, replaces=3, note="Three.")
        found = decisions_of(Adjudication.objects.get())
        assert [(each.version, each.withdrawn, each.score) for each in found] == [
            (4, False, "7/24"),
            (3, True, "1/6"),
            (2, False, "1/6"),
            (1, False, "7/24"),
        ]
        assert [each.note for each in found if not each.withdrawn] == ["Three.", "Two.", "One."]


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
