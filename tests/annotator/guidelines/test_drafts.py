"""Drafts: who may change them, and two leads at once."""

from __future__ import annotations

import pytest

from annotator.guidelines.content import Content, GuidelineRefused, ours
from annotator.guidelines.drafts import DraftChanged, draft_of, guide_of, save_draft
from annotator.models import Event, Guideline
from tests.annotator.guidelines.making import drafted, user_of
from tests.factories import ANNOTATOR, LEAD, REVIEWER, make_member, make_project

pytestmark = pytest.mark.django_db


def test_a_draft_begins_with_ours() -> None:
    project = make_project()
    draft = draft_of(project, "anatomy")
    assert draft.revision == 0
    assert not Guideline.objects.exists()
    assert Content.of(draft.content) == ours(guide_of("anatomy"))


def test_each_change_has_an_event_that_keeps_what_it_replaced() -> None:
    lead = make_member(make_project(), LEAD)
    drafted(lead, missing="First.")
    drafted(lead, missing="Second.")
    first, second = Event.objects.filter(verb="guideline_changed")
    assert (first.data["revision"], second.data["revision"]) == (1, 2)
    assert second.data["replaced"]["texts"]["missing"] == "First."
    assert draft_of(lead.project, "anatomy").edited_by == lead


def test_the_same_again_changes_nothing() -> None:
    lead = make_member(make_project(), LEAD)
    drafted(lead, missing="Same.")
    again = save_draft(
        project=lead.project,
        protocol="anatomy",
        actor=user_of(lead),
        content=Content({"missing": "Same."}),
        replaces=0,
    )
    assert (again.revision, Event.objects.count()) == (1, 1)


def test_the_second_lead_gets_what_the_first_has_stored() -> None:
    lead = make_member(make_project(), LEAD)
    other = make_member(lead.project, LEAD)
    drafted(lead, missing="Mine.")
    for replaces in (0, 7):
        with pytest.raises(DraftChanged) as conflict:
            save_draft(
                project=lead.project,
                protocol="anatomy",
                actor=user_of(other),
                content=Content({"missing": "Theirs."}),
                replaces=replaces,
            )
        assert conflict.value.current.content["texts"]["missing"] == "Mine."
    assert Guideline.objects.get().revision == 1


@pytest.mark.parametrize("role", [ANNOTATOR, REVIEWER])
def test_only_leads_may(role: str) -> None:
    member = make_member(make_project(), role)
    with pytest.raises(GuidelineRefused) as refused:
        drafted(member, missing="x")
    assert refused.value.code == "no-lead"
    assert not Guideline.objects.exists()


def test_a_protocol_without_a_guide_is_refused() -> None:
    with pytest.raises(GuidelineRefused, match="moons"):
        draft_of(make_project(), "moons")
