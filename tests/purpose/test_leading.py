"""What is not work, as leads see it: changes, qualifications, norming."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from pytest_django.fixtures import Settings

from analysis.data.ratings_table import load_counted
from analysis.exports.files import Export
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import computation
from analysis.reports.status import changes_since
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.models import Assignment, Batch, Event, Membership, NormingSession, Project
from annotator.norming.closing import close_session
from annotator.norming.discussing import agree, comment
from annotator.norming.revealing import reveal
from annotator.norming.starting import start_session
from annotator.people.standings import waive
from annotator.records.image_deletion import delete_image
from tests.analysis.factories import EARLIER, make_submitted
from tests.analysis.mixed import make_mixed
from tests.annotator.norming.making import BOB, answer_all
from tests.annotator.planned import make_study, people_of, released
from tests.annotator.training.making import Course
from tests.annotator.training.qualifying import WRONG, add, finish, release
from tests.factories import (
    ANNOTATOR,
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_payload,
    make_project,
    make_stored_image,
)
from tests.protocols.stars.living import let_live
from tests.purpose.making import artefacts

pytestmark = pytest.mark.django_db


def give_others(batch: Batch) -> list[int]:
    """Five anchors for everybody, which are nobody's work, and a repeat of each one's first image."""
    made = []
    images = [make_image(batch.project) for _ in range(5)]
    for person in batch.project.memberships.order_by("code"):
        own = Assignment.objects.filter(batch=batch, annotator=person).order_by("position").first()
        given = [(image, "anchor", 1) for image in images] + ([(own.image, "repeat", 2)] if own else [])
        for image, purpose, number in given:
            row = make_assignment(person, image=image, batch=batch, purpose=purpose, pass_no=number)
            made.append(row.pk)
    return made


def rows(keys: list[int]) -> list[tuple[str, str, int]]:
    found = Assignment.objects.filter(pk__in=keys).order_by("pk")
    return list(found.values_list("status", "purpose", "pass_no"))


@pytest.mark.parametrize("planned", [True, False])
def test_a_change_of_people(planned: bool) -> None:
    """The same proposal with and without them; carried out, it moves none of them."""
    project = make_study("pilot", "ABCDE")
    batch = released(project, "ABCD", coders=2)
    if not planned:
        batch.plans.all().delete()
    leaving, joining = people_of(project, "B"), people_of(project, "E")
    before = propose_people_change(batch=batch, leaving=leaving, joining=joining)
    others = give_others(batch)
    outcome = outcome_of(propose_people_change(batch=batch, leaving=leaving, joining=joining))
    assert outcome == outcome_of(before)
    given = rows(others)
    apply_people_change(
        batch=batch, leaving=leaving, joining=joining, outcome=outcome, reason="E for B", actor=None
    )
    assert rows(others) == given
    for person in people_of(project, "ABCDE"):
        placed = batch.assignments.filter(annotator=person, position__isnull=False)
        positions = list(placed.order_by("position").values_list("position", flat=True))
        assert positions == list(range(1, len(positions) + 1))


def test_a_deleted_image_takes_its_work_from_the_reports() -> None:
    """All of its answers are kept and named; a report has lost those that it had counted."""
    project = make_project()
    person, image, batch = make_member(project), make_image(project), make_batch(project)
    make_submitted(person, image=image, batch=batch, submitted_at=EARLIER)
    for number in (1, 2):
        repeat = make_assignment(person, image=image, batch=batch, purpose="repeat", pass_no=number)
        make_submitted(person, assignment=repeat, submitted_at=EARLIER)
    delete_image(image=image, reason="not ours", actor=None)
    event = Event.objects.get(verb="image_deleted")
    assert (event.data["submitted"], event.data["by_protocol"]) == (3, {"anatomy": 1})
    assert len(event.data["assignments"]) == 3
    assert changes_since(project, EARLIER).deleted == 1


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch, settings: Settings, db: None) -> Project:
    """Images judged under three protocols."""
    let_live(monkeypatch, settings)
    return make_mixed()


def normed(project: Project, lead: Membership) -> NormingSession:
    """Hold a session on images that count, whose answers contradict the counted ones, and close it."""
    assert lead.user is not None
    people = list(project.memberships.filter(role=ANNOTATOR).order_by("pk"))
    images = list(project.images.order_by("pk").values_list("pk", flat=True)[:4])
    session = start_session(
        project=project,
        name="norming",
        protocol="anatomy",
        people=people[:2],
        picked="chosen",
        count=len(images),
        images=images,
        actor=lead.user,
    )
    answer_all(session, {one.code: BOB for one in people[:2]})
    reveal(session=session, actor=lead.user)
    for row in session.images.select_related("session__batch"):
        comment(normed=row, author=people[0], text="So be it.", request_key=uuid4())
        agree(normed=row, actor=lead.user, payload=make_payload(BOB), gaps={}, replaces=0)
    # No references: a bundle has a table of them.
    close_session(session=session, references=[], actor=lead.user)
    return session


def numbers(project: Project, lead: Membership, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield reports, exports and the bundle's tables; pages list the session's batch and may differ."""
    for name, made in artefacts(project, lead, folder):
        if not name[0].isdigit() and not name.startswith(("api ", "queues of ", "people of ")):
            yield name, made


@pytest.mark.thorough  # test_identity has norming among the purposes
@pytest.mark.slow  # every file and report twice, under three protocols
def test_not_a_byte_of_a_number_changes(project: Project, tmp_path: Path) -> None:
    lead = project.memberships.get(role=LEAD)
    before = dict(numbers(project, lead, tmp_path))
    assert normed(project, lead).images.filter(agreed__isnull=False).count() == 4
    after = dict(numbers(project, lead, tmp_path))
    assert after.keys() == before.keys()
    assert [name for name in before if after[name] != before[name]] == []
    assert len([name for name in before if name.startswith("anatomy ")]) > 5


def numbers_of(project: Project) -> Iterator[tuple[str, bytes]]:
    frame, _ = load_counted(project, "anatomy")
    for kind in KEPT_UP_TO_DATE:
        yield kind, json.dumps(computation(kind, "anatomy")(frame)).encode()
    for layout in layouts_of("anatomy").values():
        yield layout.slug, b"".join(Export(project, layout, protocol="anatomy"))


@pytest.fixture
def course(db: None) -> Course:
    project = make_mixed()
    lead = project.memberships.get(role=LEAD)
    ada, bob = make_member(project, code="ada"), make_member(project, code="bob")
    images = [make_stored_image(project, number=90 + number) for number in range(4)]
    return Course(project, lead, ada, bob, images)


@pytest.mark.slow  # every report twice
@pytest.mark.thorough
def test_no_number_changes(course: Course) -> None:
    before = dict(numbers_of(course.project))
    course.references = [add(course, image) for image in course.images]
    batch = release(course, people=[course.ada, course.bob])
    finish(batch, course.ada)
    finish(batch, course.bob, WRONG)
    workers = course.project.memberships.exclude(pk__in=[course.ada.pk, course.bob.pk])
    waive(
        project=course.project,
        protocol="anatomy",
        members=[member.pk for member in workers],
        reason="known",
        actor=course.actor,
    )
    assert dict(numbers_of(course.project)) == before
