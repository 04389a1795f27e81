"""What is not work changes no number; how images were given out is recorded."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from analysis.reports.status import changes_since
from annotator.batches import releases
from annotator.batches.people_changes import outcome_of, propose_people_change
from annotator.images import signed_urls
from annotator.models import Assignment, Batch, Event, Membership, Project
from annotator.models.counting import mark_random
from annotator.records.image_deletion import delete_image
from tests.analysis.api.callers import calling
from tests.analysis.factories import EARLIER, make_submitted
from tests.analysis.mixed import SLUGS, make_mixed
from tests.annotator.planned import changed, make_study, people_of, released
from tests.factories import (
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
)
from tests.protocols.stars.living import let_live
from tests.purpose.making import PURPOSES, artefacts, with_others

pytestmark = pytest.mark.django_db

NOW = EARLIER + timedelta(days=1)
IMAGES, PEOPLE = 6, 3
"""Of each purpose in each batch; the first four are a draft, reopened, skipped, withdrawn."""


@pytest.fixture
def project(monkeypatch: pytest.MonkeyPatch, settings: Settings, db: None) -> Project:
    """Images judged under three protocols; an image and a person that nobody has given anything."""
    let_live(monkeypatch, settings)
    # Addresses of pictures change with the half hour.
    monkeypatch.setattr(signed_urls, "_end", lambda _: 2**31)
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    made = make_mixed()
    make_member(made, code="newcomer")
    make_image(made, generator="gamma", prompt="jogging", number=9)
    return made


@pytest.fixture
def lead(project: Project) -> Membership:
    return project.memberships.get(role=LEAD)


@pytest.mark.slow  # every file, report and page twice, under three protocols
@pytest.mark.databases
def test_not_a_byte_changes(project: Project, lead: Membership, tmp_path: Path) -> None:
    before = dict(artefacts(project, lead, tmp_path))
    with_others(project)
    after = dict(artefacts(project, lead, tmp_path))
    assert [name for name in before if after[name] != before[name]] == []
    assert after.keys() == before.keys()


def test_the_api_tells_annotators_of_no_purpose(project: Project) -> None:
    with_others(project)
    newcomer = project.memberships.get(code="newcomer")
    root, program = f"/projects/{project.slug}", calling(newcomer)
    refused = program.get(f"{root}/annotations?purpose=training")
    assert refused.status_code == 422
    assert list(refused.json()["error"]["fields"]) == ["purpose"]
    own = program.get(f"{root}/annotations?page_size=100").json()["results"]
    assert len(own) == (IMAGES - 1) * len(PURPOSES) * len(SLUGS)
    assert {program.get(f"/annotations/{row['id']}").json()["purpose"] for row in own} == {""}


def annotators_of_random(batch: Batch) -> dict[str, set[int]]:
    """For each way of drawing how many people hold an image that was drawn so."""
    held: dict[int, list[str]] = {}
    for image, drawn in batch.assignments.filter(position__isnull=False).values_list("image", "drawn"):
        held.setdefault(image, []).append(drawn)
    found: dict[str, set[int]] = {}
    for drawings in held.values():
        for drawn in drawings:
            found.setdefault(drawn, set()).add(len(drawings))
    return found


@pytest.mark.parametrize("chunk", [8, 5000])
def test_a_release(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one piece, and in several."""
    monkeypatch.setattr(releases, "CHUNK", chunk)
    batch = released(make_study("pilot"), per_image=3)
    assert annotators_of_random(batch) == {"single": {1}, "random": {3}}


def test_a_change_of_people() -> None:
    """Whoever takes an overlap image over has it for the same reason."""
    project = make_study("pilot", "ABCDE")
    batch = released(project, "ABCD", per_image=2)
    changed(batch, "B", "E")
    assert annotators_of_random(batch) == {"single": {1}, "random": {2}}
    of_the_newcomer = batch.assignments.filter(annotator__code="E", drawn="random")
    assert of_the_newcomer.exists()


def test_a_release_marks_what_the_rows_say() -> None:
    """A plan knows its images' annotators; the statement that looks at the rows finds nothing to add."""
    batch = released(make_study("pilot"), per_image=3)
    marked = set(batch.assignments.filter(drawn="random").values_list("pk", flat=True))
    assert marked
    assert mark_random(batch) == 0
    batch.assignments.update(drawn="single")
    assert mark_random(batch) == len(marked)
    assert set(batch.assignments.filter(drawn="random").values_list("pk", flat=True)) == marked


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
def test_a_change_of_people_moves_work_alone(planned: bool) -> None:
    """The same proposal with and without them; carried out, it moves none of them."""
    project = make_study("pilot", "ABCDE")
    batch = released(project, "ABCD", per_image=2)
    if not planned:
        batch.plans.all().delete()
    leaving, joining = people_of(project, "B"), people_of(project, "E")
    before = propose_people_change(batch=batch, leaving=leaving, joining=joining)
    others = give_others(batch)
    outcome = outcome_of(propose_people_change(batch=batch, leaving=leaving, joining=joining))
    assert outcome == outcome_of(before)
    given = rows(others)
    changed(batch, "B", "E")
    assert rows(others) == given
    for person in people_of(project, "ABCDE"):
        placed = batch.assignments.filter(annotator=person, position__isnull=False)
        positions = list(placed.order_by("position").values_list("position", flat=True))
        assert positions == list(range(1, len(positions) + 1))


def test_a_deleted_image_takes_its_work_from_the_reports() -> None:
    """All of its answers are kept and named; a report has lost those that it had counted."""
    project = make_project()
    person, image, batch = (
        make_member(project),
        make_image(project),
        make_batch(project),
    )
    make_submitted(person, image=image, batch=batch, submitted_at=EARLIER)
    for number in (1, 2):
        repeat = make_assignment(person, image=image, batch=batch, purpose="repeat", pass_no=number)
        make_submitted(person, assignment=repeat, submitted_at=EARLIER)
    delete_image(image=image, reason="not ours", actor=None)
    event = Event.objects.get(verb="image_deleted")
    assert (event.data["submitted"], event.data["by_protocol"]) == (3, {"anatomy": 1})
    assert len(event.data["assignments"]) == 3
    assert changes_since(project, EARLIER).deleted == 1
