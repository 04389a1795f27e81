"""Versions: numbers, repeated requests, and what annotations store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from annotator.guidelines import content as contents
from annotator.guidelines.content import Content, Decision, Example, GuidelineRefused, checked
from annotator.guidelines.publishing import DraftChanged, draft_of, guide_of, in_force, versions_of
from annotator.models import (
    Annotation,
    Assignment,
    Event,
    Guideline,
    GuidelineVersion,
    Membership,
    Project,
    Standing,
)
from annotator.people.access import assignment_for
from annotator.people.standings import move
from tests.annotator.acting import delete_with_all, fresh
from tests.annotator.acting import submit as submit_own
from tests.annotator.adjudicating import judged, make_case, settle, submit_again, withdraw
from tests.annotator.guidelines.making import drafted, example_of, publication
from tests.annotator.racing import race
from tests.factories import (
    LEAD,
    make_assignment,
    make_batch,
    make_member,
    make_payload,
    make_project,
    user_of,
)
from tests.support.codes import refused

pytestmark = pytest.mark.django_db
ROUNDS = 4


@pytest.fixture
def lead(db: None) -> Membership:
    return make_member(make_project(), LEAD)


def test_numbers_follow_what_a_lead_says(lead: Membership) -> None:
    numbers = []
    for text, major in (("a", True), ("b", False), ("c", True), ("d", False)):
        drafted(lead, missing=text)
        numbers.append(publication(lead, major=major).number)
    assert numbers == ["1.0", "1.1", "2.0", "2.1"]
    assert [version.number for version in versions_of(lead.project, "anatomy")] == numbers[::-1]
    project = Project.objects.get(pk=lead.project.pk)
    assert project.guideline_versions == {"anatomy": "2.1"}
    assert in_force(project, "anatomy") == GuidelineVersion.objects.latest("pk")
    events = Event.objects.filter(verb="guideline_published")
    assert [event.data["version"] for event in events] == numbers


def test_a_repeated_request_publishes_once_and_nothing_new_is_refused(lead: Membership) -> None:
    drafted(lead, missing="First.")
    first = publication(lead)
    assert publication(lead) == first
    with refused(GuidelineRefused, "unchanged"):
        publication(lead, "Another summary.")
    drafted(lead, missing="Second.")
    with refused(GuidelineRefused, "no-summary"):
        publication(lead, " ")
    with pytest.raises(DraftChanged):
        publication(lead, "x", replaces=1)
    assert GuidelineVersion.objects.count() == 1


@pytest.mark.parametrize("how", ["never", "withdrawn", "deleted"])
def test_an_image_that_is_not_adjudicated_is_no_example(how: str) -> None:
    case = make_case(make_project())
    if how != "never":
        settle(case)
    drafted(case.lead, examples=(example_of(case),))
    if how == "withdrawn":
        withdraw(case)
    if how == "deleted":
        delete_with_all(case.image)
    with refused(GuidelineRefused, "not-adjudicated"):
        publication(case.lead)


def test_an_annotation_names_the_version_in_force_when_it_was_submitted() -> None:
    case = make_case(make_project())
    assert {one.guideline for one in Annotation.objects.all()} == {None}
    drafted(case.lead, missing="First.")
    publication(case.lead)
    ada = make_member(case.project)
    batch = make_batch(Project.objects.get(pk=case.project.pk))
    first = judged(ada, batch, case.image, make_payload())
    assert first.guideline == "1.0"
    drafted(case.lead, missing="Second.")
    publication(case.lead, major=True)
    first.refresh_from_db()
    assert first.guideline == "1.0"
    first.assignment = assignment_for(user_of(ada), first.assignment_id)
    again = submit_again(first, make_payload([]))
    assert again.guideline == "2.0"
    event = Event.objects.filter(assignment=first.assignment, verb="reopened").get()
    assert event.data["replaced"]["guideline"] == "1.0"


def test_a_new_major_version_lapses_who_is_qualified(lead: Membership) -> None:
    publication(lead, "")
    move(make_member(lead.project), "anatomy", Standing.State.QUALIFIED, actor=None)
    states = []
    for text, major in (("First.", False), ("Second.", True)):
        drafted(lead, missing=text)
        publication(lead, major=major)
        states.append(Standing.objects.get().state)
    assert states == ["qualified", "lapsed"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.databases
def test_publishing_while_others_submit_loses_nothing(lead: Membership) -> None:
    """Every annotation is stored with the version before or after, never with none or another."""
    publication(lead, "")
    batch = make_batch(lead.project)
    people = [make_member(lead.project) for _ in range(ROUNDS)]
    held = [make_assignment(one, batch=batch).pk for one in people]
    drafted(lead, missing="Second.")

    def submit(pk: int) -> Any:
        return submit_own(fresh(pk)).guideline

    def put_in_force() -> Any:
        loaded = Membership.objects.select_related("project", "user").get(pk=lead.pk)
        return publication(loaded, "x", replaces=2).number

    jobs: list[Callable[[], Any]] = [partial(submit, pk) for pk in held]
    *stored, first, second = race([*jobs, put_in_force, put_in_force])
    assert [first, second] == ["1.1", "1.1"]
    assert {str(one) for one in stored} <= {"1.0", "1.1"}
    assert Counter(Annotation.objects.values_list("guideline", flat=True)) == Counter(map(str, stored))
    assert GuidelineVersion.objects.count() == 2
    assert Assignment.objects.filter(status="done").count() == ROUNDS


GUIDE = guide_of("anatomy")
IMAGE = str(uuid4())


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (Content({"missing": "x" * (contents.LONGEST_TEXT + 1)}), "too-long"),
        (Content({"moons": "x"}), "unknown-text"),
        (Content({"missing": "a\u202eb"}), "turned"),
        (Content(decisions=(Decision("x" * (contents.LONGEST_DECISION + 1)),)), "too-long"),
        (Content(decisions=(Decision("x", "moons"),)), "about"),
        (Content(decisions=(Decision("x"),) * (contents.MOST_DECISIONS + 1)), "too-many"),
        (Content(examples=(Example("nothing", ("missing.limbs",)),)), "no-image"),
        (Content(examples=(Example(IMAGE, ()),)), "no-cell"),
        (Content(examples=(Example(IMAGE, ("moons",)),)), "no-cell"),
        (Content(examples=(Example(IMAGE, ("missing.limbs",)),) * 2), "twice"),
        (
            Content(examples=(Example(IMAGE, ("missing.limbs",), "x" * (contents.LONGEST_CAPTION + 1)),)),
            "too-long",
        ),
    ],
)
def test_what_is_too_much_or_unknown_is_refused(content: Content, code: str) -> None:
    with refused(GuidelineRefused, code):
        checked(content, GUIDE)


def test_each_change_has_an_event_that_keeps_what_it_replaced(lead: Membership) -> None:
    drafted(lead, missing="First.")
    drafted(lead, missing="Second.")
    first, second = Event.objects.filter(verb="guideline_changed")
    assert (first.data["revision"], second.data["revision"]) == (1, 2)
    assert second.data["replaced"]["texts"]["missing"] == "First."
    assert draft_of(lead.project, "anatomy").edited_by == lead


def test_the_second_lead_gets_what_the_first_has_stored(lead: Membership) -> None:
    other = make_member(lead.project, LEAD)
    drafted(lead, missing="Mine.")
    for replaces in (0, 7):
        with pytest.raises(DraftChanged) as conflict:
            drafted(other, missing="Theirs.", replaces=replaces)
        assert conflict.value.current.content["texts"]["missing"] == "Mine."
    assert Guideline.objects.get().revision == 1
