"""The pages of a guideline: reading, editing by two leads, publishing."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.guidelines.content import Content
from annotator.models import Guideline, GuidelineVersion
from tests.annotator.adjudicating import Case, make_case, settle
from tests.annotator.guidelines.making import RULED, drafted, example_of, publication
from tests.annotator.web.views.conftest import Study
from tests.factories import LEAD, make_member, make_stored_image
from tests.support.codes import codes
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db
READ, EDIT = "/projects/pilot/guideline/", "/projects/pilot/guideline/edit/"
PUBLISH = "/projects/pilot/guideline/publish/"


@pytest.fixture
def case(study: Study) -> Case:
    """An adjudicated image of the project."""
    make_member(study.project, LEAD, code="lead")
    case = make_case(study.project, make_stored_image(study.project, generator="Quillfern", prompt="dancers"))
    settle(case)
    return case


def form_in(page: str) -> dict[str, Any]:
    """What a browser would send back unchanged."""
    sent: dict[str, Any] = {}
    for name, value in re.findall(
        r'<input type="(?:hidden|text)"[^>]* name="([^"]+)"[^>]* value="([^"]*)"', page
    ):
        sent[name] = value
    for name, text in re.findall(r'<textarea[^>]* name="([^"]+)"[^>]*>([^<]*)</textarea>', page):
        sent[name] = text
    for name, value in re.findall(
        r'<input type="checkbox" name="([^"]+\.cells)" value="([^"]+)" checked', page
    ):
        sent.setdefault(name, []).append(value)
    if 'name="drawn" checked' in page:
        sent["drawn"] = "on"
    for name, options in re.findall(r'<select[^>]* name="([^"]+)">(.*?)</select>', page, re.S):
        sent[name] = "".join(re.findall(r'value="([^"]*)" selected', options))
    sent.pop("csrfmiddlewaretoken", None)
    return {name: unescape(value) if isinstance(value, str) else value for name, value in sent.items()}


def codes_in(page: str) -> set[str]:
    return set(codes(page))


def page_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_annotators_read_what_is_published_and_no_draft(study: Study, as_ada: Client) -> None:
    lead = make_member(study.project, LEAD, code="Quillfern")
    drafted(lead, missing="Published **text**.", decisions=(RULED,))
    publication(lead, "Hands ruled.")
    drafted(lead, missing="Not yet.")
    page = page_of(as_ada, READ)
    assert "Published <strong>text</strong>." in page
    assert "behind the back is <strong>not</strong>" in page
    assert "Not yet." not in page
    assert (lead.code in page, "unpublished" in codes_in(page)) == (False, False)
    assert "unpublished" in codes_in(page_of(signed_in(study.lead), READ))


def test_a_lead_edits_and_publishes(study: Study, as_lead: Client) -> None:
    sent = form_in(page_of(as_lead, EDIT))
    assert sent["revision"] == "0"
    sent |= {
        "text.missing": "Mine.",
        "decision.0.text": "Ruled.",
        "decision.0.about": "hands",
        "then": "publish",
    }
    answer = as_lead.post(EDIT, sent)
    assert answer["Location"] == PUBLISH
    content = Content.of(Guideline.objects.get().content)
    assert (content.texts["missing"], content.decisions[0].about, content.drawn) == ("Mine.", "hands", True)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", content.decisions[0].made_on)
    preview = page_of(as_lead, PUBLISH)
    assert re.search(r"<ins>.*Mine\.", preview, re.S)
    refused = as_lead.post(PUBLISH, {"revision": 0, "kind": "major", "summary": "First."})
    assert (refused.status_code, form_in(refused.content.decode())["summary"]) == (422, "First.")
    done = as_lead.post(PUBLISH, {"revision": 1, "summary": "First."})
    assert done["Location"] == f"{READ}?protocol=anatomy"
    assert GuidelineVersion.objects.get().number == "1.0"
    # Saving the page as it is changes nothing.
    as_lead.post(EDIT, form_in(page_of(as_lead, EDIT)))
    assert Guideline.objects.get().revision == 1


def test_of_two_leads_the_second_keeps_everything(study: Study, as_lead: Client) -> None:
    other = make_member(study.project, LEAD, code="zoe")
    sent = form_in(page_of(as_lead, EDIT))
    drafted(other, missing="Theirs.", hands="Only theirs.", decisions=(RULED,))
    sent |= {"text.missing": "Mine.", "text.face": "Only mine.", "decision.0.text": "My ruling."}
    answer = as_lead.post(EDIT, sent)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert {"draft-changed", "theirs"} <= codes_in(page)
    # All texts that differ, whoever changed them, and the lists of both.
    assert page.count('data-code="theirs"') == 3
    assert '<pre class="lines">Theirs.</pre>' in page
    again = form_in(page)
    values = (again["text.missing"], again["text.face"])
    assert values == ("Mine.", "Only mine.")
    assert {again["decision.0.text"], again["decision.1.text"]} == {RULED.text, "My ruling."}
    assert Content.of(Guideline.objects.get().content).texts["missing"] == "Theirs."
    # Saving again is a choice, made with both in sight.
    assert as_lead.post(EDIT, again).status_code == 302
    content = Content.of(Guideline.objects.get().content)
    assert (content.texts["missing"], len(content.decisions)) == ("Mine.", 2)


def test_the_image_of_an_example_is_shown_to_members(case: Case, study: Study, as_ada: Client) -> None:
    drafted(case.lead, examples=(example_of(case),))
    publication(case.lead)
    page = page_of(as_ada, READ)
    [source] = re.findall(r'src="(/pictures/[^"]+)"', page)
    picture = as_ada.get(source)
    assert (picture.status_code, picture["Content-Disposition"]) == (200, "inline")
    assert [told for told in ("Quillfern", "dancers", case.image.sha256) if told in page] == []
    told = as_ada.get(reverse("guideline_cells", args=[study.assignments[0].pk])).json()
    assert as_ada.get(told["examples"][0]["src"]).status_code == 200
    drafted(case.lead, missing="Without.")
    publication(case.lead)
    assert as_ada.get(source).status_code == 404
