"""Nothing that annotators receive says what an image is for, or how it came to them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from fractions import Fraction
from itertools import product
from operator import ne
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Q
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from annotator.batches.checks import with_checks
from annotator.batches.designs import design_of
from annotator.batches.planning import make_plan
from annotator.images import signed_urls
from annotator.models import Annotation, Assignment, Batch, Image, Membership, Project, Reference, User
from annotator.training.references import add_reference
from tests.analysis.api.callers import Caller, calling
from tests.analysis.factories import EARLIER, ratings_of
from tests.annotator.acting import queue_progress
from tests.annotator.planned import release_plan
from tests.annotator.web.views.test_hidden import blind
from tests.factories import (
    LEAD,
    make_assignment,
    make_batch,
    make_image,
    make_member,
    make_payload,
    make_project,
    make_stored_image,
    user_of,
)
from tests.support.signing_in import signed_in

pytestmark = pytest.mark.django_db

LATER: Final = EARLIER + timedelta(hours=1)
ANSWER: Final = make_payload([("missing.hands", "1/3b")], note="seen")
PAGES: Final = ("/", "/projects/pilot/queue/")
OPEN, BEGUN, DONE, SKIPPED = range(4)
WORK: Final = 32
"""Images of each annotator of a crowd: 5% as anchors and as repeats is one of each."""


@pytest.fixture
def ada(db: None, monkeypatch: pytest.MonkeyPatch) -> Membership:
    """Four images in a batch: not begun, begun, submitted, skipped; bob has the same."""
    # Addresses of pictures change with the half hour.
    monkeypatch.setattr(signed_urls, "_end", lambda _: 2**31)
    monkeypatch.setattr(timezone, "now", lambda: LATER)
    project = make_project("pilot")
    ada, bob = make_member(project, code="ada"), make_member(project, code="bob")
    # Whoever is in one project alone is led to its queue.
    make_member(make_project("another"), user=ada.user)
    batch = make_batch(project, name="First batch")
    for status in ("open", "open", "done", "skipped"):
        image = make_image(project)
        for person in (ada, bob):
            make_assignment(person, image=image, batch=batch, status=status)
    for row in ada.assignments.order_by("position")[BEGUN : DONE + 1]:
        Annotation.objects.create(
            assignment=row,
            payload=ANSWER,
            version=3,
            status="submitted" if row.status == "done" else "draft",
            saved_at=EARLIER,
            submitted_at=EARLIER if row.status == "done" else None,
            ratings=ratings_of(ANSWER, project) if row.status == "done" else None,
        )
    return ada


def received(ada: Membership, client: Client, caller: Caller) -> Iterator[tuple[str, bytes]]:
    """Yield everything that ada is sent: pages, their JSON, a sheet, the API, answers to what she does."""
    rows = list(ada.assignments.order_by("position"))
    for page in (*PAGES, *(reverse("label", args=[row.pk]) for row in rows)):
        answer = client.get(page)
        contents = answer.getvalue() if answer.streaming else answer.content
        assert answer.status_code == 200, page
        yield page, blind(contents.decode()).encode()
    for row in rows:
        yield f"state of {row.position}", client.get(reverse("answer_state", args=[row.pk])).content
    for path in ("", "/projects/pilot", "/projects/pilot/annotations"):
        yield f"api {path}", caller.get(path or "/projects").content
    yield "progress", repr(queue_progress(ada)).encode()
    yield from _acts(client, rows)


def _acts(client: Client, rows: list[Assignment]) -> Iterator[tuple[str, bytes]]:
    def told(name: str, row: Assignment, version: int, **more: Any) -> tuple[str, bytes]:
        said = {"version": version, "request_key": str(UUID(int=len(name))), **more}
        answer = client.post(reverse(name, args=[row.pk]), said, content_type="application/json")
        assert answer.status_code == 200, answer.content
        return f"{name} {row.position}", answer.content

    yield told("answer_save", rows[BEGUN], 3, payload=ANSWER, capture={})
    yield told("answer_submit", rows[BEGUN], 4, payload=ANSWER, capture={})
    yield told("answer_reopen", rows[DONE], 3, reason="a slip")
    yield told("answer_skip", rows[OPEN], 0, reason="broken", note="")
    stale = client.post(
        reverse("answer_save", args=[rows[BEGUN].pk]),
        {"payload": ANSWER, "version": 1, "request_key": str(UUID(int=99)), "capture": {}},
        content_type="application/json",
    )
    assert stale.status_code == 409
    yield "refused", stale.content


def visited(ada: Membership, client: Client, caller: Caller) -> dict[str, bytes]:
    """Everything that ada is sent; what she has done is undone."""
    with transaction.atomic():
        found = dict(received(ada, client, caller))
        transaction.set_rollback(True)
    return found


@pytest.mark.slow  # everything that somebody is sent, once for each purpose and drawing
def test_not_a_byte_differs(ada: Membership) -> None:
    client, caller = signed_in(ada), calling(ada)
    # The token remembers its first use.
    caller.get("/projects")
    as_work = visited(ada, client, caller)
    assert len(as_work) == 19
    every = list(product(Assignment.Purpose.values, Assignment.Drawn.values, (0, 1)))
    if not os.environ.get("THOROUGH"):
        # Each value once, beside the usual ones.
        every = [each for each in every if sum(map(ne, each, ("work", "single", 0))) == 1]
    for purpose, drawn, number in every:
        Assignment.objects.update(purpose=purpose, drawn=drawn, pass_no=number)
        found = visited(ada, client, caller)
        # Whoever trains is shown references, so the queue may lead there first.
        openly = {"/projects/pilot/queue/"} if purpose == Assignment.Purpose.TRAINING else set()
        differing = {name for name, sent in as_work.items() if found[name] != sent}
        assert differing <= openly, (purpose, drawn)
        assert not [name for name, sent in found.items() if _NAMES.search(sent)], (purpose, drawn)


def crowd(people: int, per_image: int, make: Callable[..., Image] = make_image) -> list[Membership]:
    """Annotators and as many images as fill their queues; the last four have references."""
    project = make_project("crowd")
    make_member(project, LEAD, code="lead")
    actor = lead_of(project)
    members = [make_member(project, code=f"ann{number:03}") for number in range(people)]
    images = [make(project, prompt=f"prompt {number}") for number in range(people * (WORK + 2) // per_image)]
    for image in images[-4:]:
        add_reference(
            image=image, protocol="anatomy", payload=ANSWER, origin=Reference.Origin.PLANTED, actor=actor
        )
    return members


def released(members: list[Membership], per_image: int, work: int, percent: int) -> None:
    """Release a plan of so many images of work for each, and of this percentage as anchors and repeats."""
    project = members[0].project
    kept = project.images.order_by("pk").values("pk")[: len(members) * work // per_image]
    design = design_of(
        project=project,
        images=project.images.filter(pk__in=kept),
        people=members,
        overlap=Fraction(1),
        per_image=per_image,
        seed=7,
    )
    checked = with_checks(project, design, members, protocol="anatomy", anchors=percent, repeats=percent)
    plan = make_plan(checked)
    release_plan(project=project, name="Batch 1", plan=plan, actor=lead_of(project), protocol="anatomy")


def lead_of(project: Project) -> User:
    return user_of(project.memberships.get(code="lead"))


def sent_to(member: Membership, client: Client, places: list[int]) -> Iterator[tuple[str, bytes]]:
    """Yield what a member is sent at these places of the queue and those beside them, and on submitting."""
    rows = {row.position: row for row in member.assignments.all()}
    assert sorted(rows, key=lambda place: place or 0) == list(range(1, WORK + 3))
    near = sorted({at for place in places for at in (place - 1, place, place + 1)} & rows.keys())
    pages = ["/projects/crowd/queue/", *(reverse("label", args=[rows[at].pk]) for at in places)]
    pages += [reverse("answer_state", args=[rows[at].pk]) for at in near]
    for page in pages:
        answer = client.get(page)
        assert answer.status_code == 200, page
        yield page, answer.content
    for at in places:
        said = {"version": 0, "request_key": str(UUID(int=at)), "payload": ANSWER, "capture": {}}
        page = reverse("answer_submit", args=[rows[at].pk])
        answer = client.post(page, said, content_type="application/json")
        assert answer.status_code == 200, answer.content
        yield page, answer.content
    yield "the queue afterwards", client.get("/projects/crowd/queue/").content


@pytest.mark.parametrize(
    ("people", "per_image"),
    [
        pytest.param(4, 2, marks=pytest.mark.slow),  # two releases, and the pages of four people for each
        pytest.param(60, 20, marks=[pytest.mark.thorough, pytest.mark.timeout(900)]),
    ],
)
def test_annotators_receive_the_same_from_a_release_without_anchors_and_repeats(
    db: None, monkeypatch: pytest.MonkeyPatch, people: int, per_image: int
) -> None:
    """The queues are equally long, of other images: no byte differs but in the addresses of pictures."""
    monkeypatch.setattr(timezone, "now", lambda: LATER)
    members = crowd(people, per_image)
    clients = {member.pk: signed_in(member) for member in members}
    special = Q(purpose="anchor") | Q(purpose="repeat")
    places: dict[int, list[int]] = {}

    def sent(work: int, percent: int) -> dict[tuple[int, str], bytes]:
        # The rows of both releases have the same keys.
        for statement in connection.ops.sequence_reset_sql(no_style(), [Batch, Assignment, Annotation]):
            with connection.cursor() as cursor:
                cursor.execute(statement)
        found = {}
        with transaction.atomic():
            released(members, per_image, work, percent)
            for member in members:
                own = member.assignments.filter(special).order_by("position")
                at = places.setdefault(member.pk, [row.position for row in own if row.position])
                assert sorted(row.purpose for row in own) == (["anchor", "repeat"] if percent else [])
                for name, page in sent_to(member, clients[member.pk], at):
                    found[member.pk, name] = _PICTURE.sub("", blind(page.decode())).encode()
            transaction.set_rollback(True)
        return found

    checked, unchecked = sent(WORK, 5), sent(WORK + 2, 0)
    assert len(checked) >= people * (1 + 2 + 3 + 2 + 1)
    assert [key for key, page in checked.items() if unchecked.get(key) != page] == []
    assert unchecked.keys() == checked.keys()
    assert not [key for key, page in checked.items() if _NAMES.search(page)]


_PICTURE: Final = re.compile(r"/pictures/[\w.-]+")
_NAMES: Final = re.compile(rb"purpose|norming|qualification|targeted|pass_no")


KINDS: Final = ("work", "anchor", "repeat")


@pytest.fixture
def repeater(tmp_path: Path, settings: Settings) -> Membership:
    """The first of four annotators, with one anchor and one repeat among her images."""
    settings.MEDIA_ROOT = tmp_path
    members = crowd(4, 2, make_stored_image)
    released(members, 2, WORK, 5)
    return members[0]


def chosen(repeater: Membership) -> dict[str, Assignment]:
    """Return her repeat, her work on the same image, and her anchor."""
    repeat = repeater.assignments.get(purpose="repeat")
    rows = {"repeat": repeat, "work": repeater.assignments.get(purpose="work", image=repeat.image)}
    return {**rows, "anchor": repeater.assignments.get(purpose="anchor")}


def state(client: Client, row: Assignment) -> dict[str, Any]:
    told: dict[str, Any] = client.get(reverse("answer_state", args=[row.pk])).json()
    return told


def test_pictures_have_the_same_headers_and_addresses_of_their_own(
    repeater: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, rows = signed_in(repeater), chosen(repeater)
    # The headers say for how many seconds an address holds.
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now)
    addresses = {kind: state(client, rows[kind])["image"]["src"] for kind in KINDS}
    assert len(set(addresses.values())) == len(KINDS)
    headers, bodies = {}, {}
    for kind, address in addresses.items():
        answer = client.get(address, headers={"Accept": "image/webp"})
        bodies[kind] = answer.getvalue()
        headers[kind] = {name: text for name, text in answer.headers.items() if name != "X-Request-ID"}
    assert headers["work"] == headers["repeat"] == headers["anchor"]
    assert not {"ETag", "Last-Modified"} & headers["work"].keys()
    # All images of this test have the same contents: what remains is what the program adds.
    assert bodies["work"] == bodies["repeat"] == bodies["anchor"]


def test_no_page_and_no_route_of_the_api_names_an_image(repeater: Membership) -> None:
    client, rows, program = signed_in(repeater), chosen(repeater), calling(repeater)
    places = sorted(row.position or 0 for row in rows.values())
    sent = dict(sent_to(repeater, client, places))
    sent["data"] = client.get("/projects/crowd/queue/").content
    listed = program.get("/projects/crowd/annotations").json()["results"]
    assert [row["image"] for row in listed] == [None] * len(KINDS)
    for row in listed:
        answer = program.get(f"/annotations/{row['id']}")
        assert answer.json()["purpose"] == ""
        sent[f"api {row['id']}"] = answer.content
    known = repeater.project.images.values_list("public_id", "sha256", "file", "display")
    secrets = {text for public, *names in known for text in (str(public), public.hex, *names) if text}
    told = {name: blind(contents.decode()) for name, contents in sent.items()}
    assert len(secrets) > 4 * WORK
    assert [(name, secret) for name, text in told.items() for secret in secrets if secret in text] == []
    # Each assignment's picture has one address wherever it is shown.
    shown = {address for text in told.values() for address in re.findall(r"/pictures/[\w.-]+", text)}
    assert len(shown) <= repeater.assignments.count()


def test_programs_of_annotators_cannot_ask_for_an_image_or_a_purpose(repeater: Membership) -> None:
    client, rows = signed_in(repeater), chosen(repeater)
    list(sent_to(repeater, client, sorted(row.position or 0 for row in rows.values())))
    image = rows["repeat"].image.public_id
    for name, value in {"image": image, "purpose": "repeat"}.items():
        refused = calling(repeater).get(f"/projects/crowd/annotations?{name}={value}")
        assert (refused.status_code, list(refused.json()["error"]["fields"])) == (422, [name])
    lead = lead_of(repeater.project).memberships.get(project=repeater.project)
    found = calling(lead).get(f"/projects/crowd/annotations?image={image}&purpose=repeat").json()["results"]
    assert [row["image"] for row in found] == [str(image)]
