"""Standings: exemptions and lapses."""

from __future__ import annotations

import pytest

from annotator.models import Event, Membership, Project, Standing
from annotator.people.standings import lacking, lapse, move, qualified_for, standings_of, waive
from tests.factories import make_member, make_project, user_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db: None) -> Project:
    return make_project("pilot", guideline_versions={"anatomy": "1.2"})


@pytest.fixture
def ada(project: Project) -> Membership:
    return make_member(project, code="ada")


def test_a_lead_exempts_with_a_reason_once(lead: Membership, ada: Membership) -> None:
    asked = {"project": ada.project, "protocol": "anatomy", "members": [ada.pk], "actor": user_of(lead)}
    assert waive(**asked, reason="  Trained us\nall. ") == 1  # type: ignore[arg-type]
    held = Standing.objects.get()
    values = (held.state, held.reason, held.guideline, held.changed_by)
    assert values == ("waived", "Trained us all.", "1.2", lead)
    assert waive(**asked, reason="again") == 0  # type: ignore[arg-type]
    [event] = Event.objects.filter(verb="standing_changed")
    assert (event.actor, event.data["replaced"]) == (user_of(lead), {"state": "none"})
    assert lacking(ada.project, "anatomy", [ada.pk]) == []
    assert lacking(ada.project, "presence", [ada.pk]) == [ada]
    assert qualified_for(ada.project) == {ada.pk: ["anatomy"]}


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.3", "qualified"), ("1.10", "qualified"), ("2.0", "lapsed"), ("12.1", "lapsed")],
)
def test_a_new_major_version_lapses_it(ada: Membership, version: str, expected: str) -> None:
    move(ada, "anatomy", Standing.State.QUALIFIED, actor=None, evidence=[7])
    Project.objects.update(guideline_versions={"anatomy": version})
    lapse(ada.project, "anatomy")
    assert standings_of("anatomy", [ada])[ada.pk].state == expected
    if expected == "lapsed":
        held = Standing.objects.get()
        assert held.reason == f"Guideline {version} is a new major version."
        assert (held.evidence, held.changed_by) == ([7], None)
        event = Event.objects.filter(verb="standing_changed").latest("pk")
        assert event.data["replaced"] == {
            "state": "qualified",
            "guideline": "1.2",
            "evidence": [7],
            "reason": "",
        }
