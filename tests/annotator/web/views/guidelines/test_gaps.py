"""Guideline gaps: from the cause, or a norming session, to a decision in the guideline."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone

from annotator.annotations.causes import CauseChoice
from annotator.guidelines.content import Decision
from annotator.models import Adjudication
from tests.annotator.adjudicating import Case, make_case, settle
from tests.annotator.guidelines.making import drafted, publication
from tests.annotator.norming.making import discussed
from tests.annotator.web.views.conftest import signed_in
from tests.factories import make_project
from tests.support.codes import codes, numbers

GAP = CauseChoice(("guideline_gap",), "Is a sleeve a limb?")
PLACE = "/projects/pilot/guideline/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Case:
    """Two who disagree, in a project of a known address."""
    return make_case(make_project("pilot"))


@pytest.fixture
def client(case: Case) -> Client:
    """The lead's."""
    return signed_in(case.lead)


def test_open_drafted_published(case: Case, client: Client) -> None:
    assert "no-gaps" in codes(client.get(PLACE))
    settle(case, causes={"missing.limbs": GAP})
    page = client.get(PLACE)
    assert (numbers(page, "open-gaps"), codes(page).count("gap-open")) == (["1"], 1)
    (link,) = re.findall(r'href="([^"]*guideline/edit/[^"]*about=[^"]*)"', page.content.decode())
    form = client.get(link.replace("&amp;", "&")).content.decode()
    assert "Is a sleeve a limb?</textarea>" in form
    assert '<option value="missing.limbs" selected>' in form
    today = Adjudication.objects.get().decided_at.date().isoformat()
    drafted(case.lead, decisions=(Decision("Yes.", "missing.limbs", today),))
    assert "gap-draft" in codes(client.get(PLACE))
    publication(case.lead)
    assert "gap-published" in codes(client.get(PLACE))


def listed(page: object) -> list[str]:
    """The gaps and their origin, in order."""
    return [code for code in codes(page) if code.startswith("gap-")]


def test_those_of_norming_sessions_are_listed_with_their_origin(case: Case, client: Client) -> None:
    normed = discussed(case)
    assert numbers(client.get(PLACE), "open-gaps") == ["2"]
    settle(case, causes={"missing.limbs": GAP})
    page = client.get(PLACE)
    assert numbers(page, "open-gaps") == ["3"]
    # The adjudication is the latest.
    assert listed(page) == ["gap-open", "gap-open", "gap-normed", "gap-open", "gap-normed"]
    html = page.content.decode()
    assert html.count(f'href="/projects/pilot/norming/{normed.session_id}/?image={normed.place}"') == 2
    links = re.findall(r"guideline/edit/\?protocol=anatomy&amp;([^\"]*)\"", html)
    assert links[1:] == [
        "about=missing.hands&amp;decision=Count+hidden+fingers%3F",
        "about=missing.limbs&amp;decision=A+stump+is+missing.",
    ]
    today = normed.decided_at.date().isoformat()  # type: ignore[union-attr]
    drafted(case.lead, decisions=(Decision("Yes.", "missing.hands", today),))
    assert listed(client.get(PLACE)) == ["gap-open", "gap-open", "gap-normed", "gap-draft", "gap-normed"]
    normed.image.goes_at = timezone.now()
    normed.image.save()
    assert "gap-normed" not in codes(client.get(PLACE))
