"""Announcements: who sees them, who has read them, and what a repeated request does."""

from __future__ import annotations

from uuid import uuid4

import pytest

from annotator.annotations.announcements import (
    announce,
    announcements_for,
    announcements_of,
    mark_announcement_read,
    withdraw,
)
from annotator.annotations.questions import InvalidText
from annotator.models import Announcement, Assignment, Batch, Event, Membership
from tests.factories import LEAD, make_assignment, make_batch, make_member, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead() -> Membership:
    return make_member(make_project("pilot"), LEAD, code="lead")


@pytest.fixture
def batch(lead: Membership) -> Batch:
    return make_batch(lead.project, name="first")


def told(batch: Batch, lead: Membership, text: str = "Label by Friday.") -> Announcement:
    assert lead.user is not None
    return announce(batch=batch, author=lead, actor=lead.user, text=text, request_key=uuid4())


def test_everybody_with_images_in_the_batch_sees_it(batch: Batch, lead: Membership) -> None:
    there, done, withdrawn, elsewhere = (make_member(lead.project) for _ in range(4))
    make_assignment(there, batch=batch)
    make_assignment(done, batch=batch, status="done")
    gone = make_assignment(withdrawn, batch=batch)
    Assignment.objects.filter(pk=gone.pk).update(status="withdrawn", position=None)
    make_assignment(elsewhere)
    announcement = told(batch, lead)
    seen = [list(announcements_for(each)) for each in (there, done, withdrawn, elsewhere, lead)]
    assert seen == [[announcement], [announcement], [], [], []]
    newcomer = make_member(lead.project)
    make_assignment(newcomer, batch=batch)
    assert list(announcements_for(newcomer)) == [announcement]


def test_a_batch_in_preparation_tells_nothing_yet(batch: Batch, lead: Membership) -> None:
    ada = make_member(lead.project)
    make_assignment(ada, batch=batch)
    told(batch, lead)
    Batch.objects.update(status="preparing")
    assert not announcements_for(ada)


def test_read_once_by_each(batch: Batch, lead: Membership) -> None:
    ada, bob = make_member(lead.project), make_member(lead.project)
    for member in (ada, bob):
        make_assignment(member, batch=batch)
    announcement = told(batch, lead)
    assert [mark_announcement_read(announcement=announcement, reader=ada) for _ in range(2)] == [True, False]
    assert not announcements_for(ada, unread=True)
    assert list(announcements_for(bob, unread=True)) == [announcement]
    [row] = announcements_of(batch)
    assert row.read_by == 1  # type: ignore[attr-defined]


def test_withdrawn_is_seen_by_leads_only(batch: Batch, lead: Membership) -> None:
    ada = make_member(lead.project)
    make_assignment(ada, batch=batch)
    announcement = told(batch, lead)
    assert lead.user is not None
    assert [withdraw(announcement=announcement, actor=lead.user) for _ in range(2)] == [True, False]
    assert not announcements_for(ada)
    assert [row.withdrawn_at is not None for row in announcements_of(batch)] == [True]
    assert list(Event.objects.values_list("verb", "data__name")) == [
        ("announced", "first"),
        ("announcement_withdrawn", "first"),
    ]


@pytest.mark.parametrize("text", ["", "x" * 2001, "a\u202eb", "a\0b"])
def test_a_bad_text_is_not_announced(batch: Batch, lead: Membership, text: str) -> None:
    with pytest.raises(InvalidText):
        told(batch, lead, text)
    assert not Announcement.objects.exists()
