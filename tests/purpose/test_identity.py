"""What is not work changes no number; how images were given out is recorded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from itertools import count, product
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from analysis.data.ratings_table import load_counted
from analysis.exports.files import Export
from analysis.exports.filters import Filters
from analysis.exports.registry import layouts_of
from analysis.models import KEPT_UP_TO_DATE
from analysis.reports.lifecycle import computation
from analysis.reports.status import changes_since
from annotator.annotations.adjudication import annotations_of, seen
from annotator.batches.designs import Selection, design_of, images_of
from annotator.batches.people_changes import outcome_of, people_of_batch, propose_people_change
from annotator.images import signed_urls
from annotator.models import Annotation, Assignment, Batch, Event, Image, Membership, Project
from annotator.models.counting import is_work, mark_random
from tests.analysis.api.callers import calling
from tests.analysis.bundles.making import unpacked
from tests.analysis.factories import EARLIER, make_submitted
from tests.analysis.mixed import make_mixed
from tests.annotator.acting import delete_with_all
from tests.annotator.planned import changed, make_study, people_of, released
from tests.annotator.web.views.test_hidden import blind
from tests.factories import (
    ANNOTATOR,
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_project,
    user_of,
)
from tests.protocols.stars.living import let_live

PURPOSES: Final = ("training", "qualification", "anchor", "repeat", "norming")
LATER: Final = EARLIER + timedelta(hours=1)
# A lead's steps say whether training was released, and how many of how many steps are done.
_TRAINING: Final = re.compile(
    r'<li class="step[^>]*data-code="step-training".*?</li>|<span data-code="setup">\d+ of \d+', re.S
)
# What goes with a deleted image are all its rows.
_DELETION: Final = re.compile(r'<form[^>]*/delete/".*?</form>', re.S)
# In the bundle these count every row.
_OF_ALL_ROWS: Final = re.compile(r"project\.json$|sha256sums\.txt$")
_OF_OTHER_PURPOSES: Final = re.compile(r"data/(\w+-)?(anchors|repeats)\.csv$")


def with_others(project: Project) -> int:
    """Give every annotator every image in each batch for every other purpose; return how many are submitted.

    The answers contradict those that count, are later and doubtful. Of each purpose one is a draft, one
    reopened, one skipped, and one withdrawn.
    """
    people = list(project.memberships.filter(role=ANNOTATOR).order_by("pk"))
    submitted = 0
    for batch in project.batches.order_by("pk"):
        kept = Annotation.objects.filter(assignment__batch__protocol=batch.protocol, status="submitted")
        said = kept.order_by("-pk").first()
        assert said is not None
        for number, purpose in enumerate(PURPOSES, 1):
            states = iter(("draft", "reopened", "skipped", "withdrawn"))
            for image, person in product(project.images.order_by("pk"), people):
                state = next(states, "submitted")
                _give(batch.pk, image, person, purpose, number, state, said)
                submitted += state in {"submitted", "reopened"}
    return submitted


def _give(
    batch: int, image: Image, person: Membership, purpose: str, number: int, state: str, said: Annotation
) -> None:
    queue = Assignment.objects.filter(batch=batch, annotator=person)
    row = Assignment.objects.create(
        batch_id=batch,
        image=image,
        annotator=person,
        position=None if state == "withdrawn" else queue.count() + 1,
        status={"submitted": "done", "draft": "open", "reopened": "open"}.get(state, state),
        purpose=purpose,
        pass_no=number,
    )
    if state == "submitted":
        Event.objects.create(project=image.project, assignment=row, actor=person.user, verb="submitted")
    if state not in {"skipped", "withdrawn"}:
        Annotation.objects.create(
            assignment=row,
            payload=said.payload,
            ratings=None if state == "draft" else said.ratings,
            status=state,
            flagged=True,
            active_ms=3_600_000,
            saved_at=LATER,
            submitted_at=LATER if state == "submitted" else None,
        )


def artefacts(project: Project, lead: Membership, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what leads, programs and readers of papers get of a project, by name."""
    protocols = sorted(set(project.batches.values_list("protocol", flat=True)))
    for protocol in protocols:
        frame, _ = load_counted(project, protocol)
        for kind in KEPT_UP_TO_DATE:
            yield f"{protocol} {kind}", json.dumps(computation(kind, protocol)(frame)).encode()
        for layout in layouts_of(protocol).values():
            yield f"{protocol} {layout.slug}", _file(project, layout, protocol)
        yield f"{protocol} changes", repr(changes_since(project, EARLIER, protocol=protocol)).encode()
    for name, contents in unpacked(project, folder).items():
        if not _OF_ALL_ROWS.search(name) and not _OF_OTHER_PURPOSES.search(name):
            yield f"bundle {name}", _without_other_purposes(name, contents)
    yield from _rows(project)
    yield from _answers(project, lead)


def _without_other_purposes(name: str, contents: bytes) -> bytes:
    """A bundle's file without the sizes and sums of the files of anchors and repeats."""
    if name != "datapackage.json":
        return contents
    told = json.loads(contents)
    told["resources"] = [one for one in told["resources"] if not _OF_OTHER_PURPOSES.search(one["path"])]
    return json.dumps(told).encode()


def _file(project: Project, layout: Any, protocol: str, filters: Filters | None = None) -> bytes:
    return b"".join(Export(project, layout, protocol=protocol, filters=filters))


def _rows(project: Project) -> Iterator[tuple[str, bytes]]:
    """Yield what planning and adjudicating begin with."""
    for place, image in enumerate(project.images.order_by("pk")):
        there = {name: seen(annotations_of(image, name)) for name in ("anatomy", "presence")}
        yield f"answers to settle of image {place}", repr(there).encode()
    found = images_of(project, Selection(unassigned=True), "anatomy").order_by("pk")
    yield "images unassigned", repr(list(found.values_list("pk", flat=True))).encode()
    people = list(project.memberships.order_by("code"))
    yield (
        "what people hold",
        repr(
            design_of(project=project, images=project.images.all(), people=people, overlap=1, top_up=True)
        ).encode(),
    )
    for batch in project.batches.order_by("pk"):
        queues = batch.assignments.filter(is_work(), position__isnull=False).order_by("annotator", "position")
        held = list(queues.values_list("annotator__code", "image__sha256"))
        yield f"queues of {batch}", repr(held).encode()
        yield f"people of {batch}", repr(people_of_batch(batch)).encode()


def _answers(project: Project, lead: Membership) -> Iterator[tuple[str, bytes]]:
    """Yield the lead's pages and what the API tells a program of theirs."""
    client, caller, numbers = Client(), calling(lead), count(1)
    client.force_login(user_of(lead))
    root = f"/projects/{project.slug}"
    pages = [
        f"{root}/{name}" for name in ("", "people/", "images/", "images/?sort=high", "batches/", "causes/")
    ]
    pages += [f"{root}/images/{image.public_id}/" for image in project.images.order_by("pk")]
    pages += [f"{root}/people/{person.pk}/" for person in project.memberships.order_by("pk")]
    for batch in project.batches.order_by("pk"):
        progress = f"/batches/{batch.pk}/progress/"
        pages += [f"/batches/{batch.pk}/", progress]
        pages += [f"{progress}?state={state}" for state in ("flagged", "draft", "withdrawn")]
    for page in pages:
        answer = client.get(page)
        contents = answer.getvalue() if answer.streaming else answer.content
        assert answer.status_code == 200, page
        shown = _DELETION.sub("", _TRAINING.sub("", blind(contents.decode())))
        yield f"{next(numbers)} {page}", re.sub(r"\s+", " ", shown).encode()
    for path in ("", "/images", "/annotations"):
        answer = caller.get(f"{root}{path}")
        assert answer.status_code == 200, path
        yield f"api {root}{path}", answer.content


pytestmark = pytest.mark.django_db

NOW = EARLIER + timedelta(days=1)


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
    """All of its answers are named; a report has lost those that it had counted."""
    project = make_project()
    person, image, batch = (make_member(project), make_image(project), make_batch(project))
    make_submitted(person, image=image, batch=batch, submitted_at=EARLIER)
    for number in (1, 2):
        repeat = make_assignment(person, image=image, batch=batch, purpose="repeat", pass_no=number)
        make_submitted(person, assignment=repeat, submitted_at=EARLIER)
    delete_with_all(image)
    event = Event.objects.get(verb="image_deleted")
    assert (event.data["submitted"], event.data["by_protocol"]) == (3, {"anatomy": 1})
    assert len(event.data["assignments"]) == 3
    assert changes_since(project, EARLIER).deleted == 1
