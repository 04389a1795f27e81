"""Standings: exemptions, lapses, and clocks that jump."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from annotator.annotations.queue import next_assignment
from annotator.models import Event, Membership, Project, Standing
from annotator.people.standings import (
    StandingRefused,
    lacking,
    move,
    qualified_for,
    standings_of,
    waive,
)
from tests.annotator.acting import submit
from tests.factories import LEAD, make_assignment, make_member, make_project, user_of

pytestmark = pytest.mark.django_db
Setting = Callable[..., None]


@pytest.fixture
def project(db: None) -> Project:
    return make_project("pilot", guideline_versions={"anatomy": "1.2"})


@pytest.fixture
def lead(project: Project) -> Membership:
    return make_member(project, LEAD, code="lead")


@pytest.fixture
def ada(project: Project) -> Membership:
    return make_member(project, code="ada")


def state(member: Membership, protocol: str = "anatomy") -> str:
    project = Project.objects.get(pk=member.project_id)
    return standings_of(project, protocol, [member])[member.pk].state


def qualify(member: Membership) -> Standing:
    return move(member, "anatomy", Standing.State.QUALIFIED, actor=None, evidence=[7])


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


def test_only_a_lead_exempts(ada: Membership) -> None:
    with pytest.raises(StandingRefused, match="lead"):
        waive(project=ada.project, protocol="anatomy", members=[ada.pk], reason="me", actor=user_of(ada))


@pytest.mark.parametrize(
    ("version", "expected"),
    [("1.3", "qualified"), ("1.10", "qualified"), ("2.0", "lapsed"), ("12.1", "lapsed")],
)
def test_a_new_major_version_lapses_it(ada: Membership, version: str, expected: str) -> None:
    qualify(ada)
    Project.objects.update(guideline_versions={"anatomy": version})
    assert state(ada) == expected
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


def test_work_under_the_protocol_keeps_it(ada: Membership, at: Setting) -> None:
    from annotator.models import Annotation

    at(2026, 1, 1)
    qualify(ada)
    row = make_assignment(ada, status="done")
    Annotation.objects.create(
        assignment=row,
        payload={},
        ratings=[],
        status="submitted",
        saved_at=datetime(2026, 3, 1, tzinfo=UTC),
        submitted_at=datetime(2026, 3, 1, tzinfo=UTC),
    )
    at(2026, 5, 1)
    assert state(ada) == "qualified"
    row.purpose = "training"
    row.save()
    assert state(ada) == "lapsed"


def test_a_new_major_version_lapses_it_in_mid_batch_and_the_work_stays(ada: Membership) -> None:
    qualify(ada)
    first, second = (make_assignment(ada) for _ in range(2))
    Project.objects.update(guideline_versions={"anatomy": "2.0"})
    assert state(ada) == "lapsed"
    assert lacking(ada.project, "anatomy", [ada.pk]) == [ada]
    assert next_assignment(ada) == first
    submit(first)
    assert next_assignment(ada) == second
