"""The declared primary analysis: an Event with its time, and what it says later."""

from __future__ import annotations

import pytest

from annotator.models import Event, Membership
from annotator.projects.primary_analysis import DECLARED, declaration_of, declarations_of, declare
from tests.factories import LEAD, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead() -> Membership:
    return make_member(make_project(), LEAD)


def test_a_declaration_is_an_event(lead: Membership) -> None:
    project = lead.project
    assert declaration_of(project) is None
    assert declare(project=project, analysis="adjusted", reports=0, actor=lead.user)
    event = Event.objects.get(project=project, verb=DECLARED)
    assert event.data == {"replaced": "", "primary_analysis": "adjusted", "reports": 0}
    assert event.actor == lead.user
    found = declaration_of(project)
    assert found is not None
    assert (found.at, found.when) == (event.created_at, "before the first report")


def test_the_newest_declaration_counts(lead: Membership) -> None:
    project = lead.project
    declare(project=project, analysis="image", reports=0, actor=lead.user)
    assert not declare(project=project, analysis="image", reports=4, actor=lead.user)
    declare(project=project, analysis="mixed", reports=2, actor=lead.user)
    found = declaration_of(project)
    assert found is not None
    assert found.when == "after 2 reports"
    assert Event.objects.filter(verb=DECLARED).count() == 2
    declare(project=project, analysis="", reports=3, actor=lead.user)
    assert declaration_of(project) is None


def test_every_declaration_is_kept_with_who_made_it(lead: Membership) -> None:
    project = lead.project
    declare(project=project, analysis="image", reports=0, actor=lead.user)
    other = make_member(make_project("other"), LEAD).user
    assert other is not None
    declare(project=project, analysis="mixed", reports=2, actor=other)
    declare(project=project, analysis="", reports=2, actor=None)
    assert [(each.title, each.by, each.when) for each in declarations_of(project)] == [
        ("not declared", "", "after 2 reports"),
        ("mixed model", other.username, "after 2 reports"),
        ("image means", lead.code, "before the first report"),
    ]


def test_an_unknown_analysis_changes_nothing(lead: Membership) -> None:
    with pytest.raises(ValueError, match="Choose one of the listed analyses"):
        declare(project=lead.project, analysis="best", reports=0, actor=lead.user)
    assert not Event.objects.filter(verb=DECLARED).exists()
