"""Storing a plan: its rows, its input, and what must not be stored, such as faces that nobody decided."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from annotator.batches import releases
from annotator.batches.assignments import InvalidBatch
from annotator.batches.people_changes import ChangeRefused, propose_people_change
from annotator.batches.previews import preview_of
from annotator.batches.releases import NotAsPreviewed, planned_on
from annotator.batches.requests import BatchRequest, requested_plan
from annotator.batches.second_stage.drawing import Draw
from annotator.batches.stored_plans import read_release
from annotator.faces.decisions import FacesRefused, decide, decide_from_file, look_at, take_back
from annotator.models import Assignment, Batch, Event, FaceDecision, Image, Plan, Project
from annotator.people.standings import waive
from tests.annotator.planned import changed, make_study, plan_for, queue_in, release_plan, released
from tests.annotator.racing import race
from tests.factories import LEAD, decide_faces, make_member, make_user
from tests.support.codes import refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_study("pilot")


def test_every_placement_becomes_an_assignment_in_its_place(project: Project) -> None:
    plan, key, actor = plan_for(project), uuid4(), make_user("lead")
    shown: dict[str, Any] = dict.fromkeys(("show_generator", "show_prompt", "guided"), True)
    shown["score_shown"] = "never"
    asked: dict[str, Any] = {"project": project, "name": "first", "plan": plan, "actor": actor}
    batch = release_plan(**asked, request_key=key, **shown)
    for code in "ABCD":
        planned = [(one.position, one.image, "open") for one in plan.placements if one.annotator == code]
        assert queue_in(batch, code) == planned
        assert [place for place, *_ in planned] == list(range(1, len(planned) + 1))
    assert (batch.status, batch.seed, batch.per_image, batch.overlap) == ("open", 7, 2, Decimal("0.25"))
    assert {name: getattr(batch, name) for name in shown} == shown
    stored = Plan.objects.get()
    assert (stored.batch, stored.kind, batch.seed) == (batch, "release", 7)
    assert stored.request_key == key
    assert read_release(stored)[0] == plan.design
    event = Event.objects.get()
    assert (event.verb, event.project, event.actor) == ("batch_released", project, actor)
    assert event.data == {
        "batch": batch.pk,
        "name": "first",
        "protocol": "anatomy",
        "overlap": "0.25",
        "per_image": 2,
        "seed": 7,
        **shown,
        "assignments": {"A": 7, "B": 8, "C": 7, "D": 8},
        "images": 24,
        "algorithm": "anatomark-plan/1",
    }


def change_first(project: Project, **fields: str) -> None:
    project.images.filter(pk=project.images.all()[0].pk).update(**fields)


@pytest.mark.parametrize(
    ("happens", "said"),
    [
        (lambda project: change_first(project, generator="another"), "1 of the 24 images were removed"),
        (lambda project: change_first(project, sha256="0" * 64), "1 of the 24 images were removed"),
        (
            lambda project: project.memberships.filter(code="B").update(is_active=False),
            "No longer active in pilot: B.",
        ),
        (lambda project: released(project, name="meanwhile"), "Another batch was released"),
    ],
)
def test_what_is_not_as_previewed_is_not_stored(project: Project, happens: Any, said: str) -> None:
    basis, plan = planned_on(project), plan_for(project)
    happens(project)
    before = Assignment.objects.count()
    with pytest.raises(NotAsPreviewed, match=said):
        release_plan(project=project, name="first", plan=plan, basis=basis)
    assert (Assignment.objects.count(), Batch.objects.filter(name="first").count()) == (before, 0)


@pytest.mark.parametrize("shown", [{"show_prompt": True}, {"show_generator": True}])
def test_a_blind_protocol_is_released_hidden_or_not_at_all(project: Project, shown: dict[str, bool]) -> None:
    decide_faces(project.images.all())
    plan = plan_for(project)
    how: dict[str, Any] = {"project": project, "name": "first", "plan": plan, "protocol": "realism"}
    with refused(InvalidBatch, "blind"):
        release_plan(**{**how, **shown})
    assert not Batch.objects.exists()
    batch = release_plan(**how)
    assert (batch.show_prompt, batch.show_generator) == (False, False)


def test_only_qualified_and_exempt_people_get_work_that_needs_it(project: Project) -> None:
    people = [member.pk for member in project.memberships.filter(code__in="AB")]
    asked = BatchRequest("first", people, needs_standing=True)
    plan = requested_plan(project, asked)
    by: dict[str, Any] = {"reason": "Helps", "actor": make_member(project, LEAD).user}
    for missing in ("A, B", "B"):
        shown = preview_of(project, asked)["refused"]
        assert (shown.code, missing in str(shown)) == ("not-qualified", True)
        with refused(InvalidBatch, "not-qualified"):
            releases.release_plan(project=project, request=asked, plan=plan)
        waive(project=project, protocol="anatomy", members=[people[missing == "B"]], **by)
    assert not Batch.objects.exists()
    assert preview_of(project, asked)["refused"] is None
    assert releases.release_plan(project=project, request=asked, plan=plan).needs_standing


@pytest.mark.databases
@pytest.mark.parametrize("way", ["sample", "flagged"])
def test_it_remembers_what_it_follows(project: Project, way: str) -> None:
    first = release_plan(project=project, name="first", plan=plan_for(project), protocol="presence")
    draw = Draw(first.pk, way)
    batch = release_plan(project=project, name="second", plan=plan_for(project), draw=draw)
    assert batch.follows == first
    assert Event.objects.latest("pk").data["follows"] == asdict(draw)
    drawn = {"targeted"} if draw.targeted else {"single", "random"}
    assert set(batch.assignments.values_list("drawn", flat=True)) == drawn
    changed(batch, "A")
    assert set(batch.assignments.values_list("drawn", flat=True)) == drawn


def rated(project: Project, codes: str = "ABCDE", name: str = "first", protocol: str = "realism") -> Batch:
    plan = plan_for(project, codes, overlap=1, per_image=2)
    return release_plan(project=project, name=name, plan=plan, protocol=protocol)


@pytest.fixture
def faces_project() -> Project:
    return make_study("pilot", "ABCDEF", generators=1, prompts=2)


def test_a_batch_waits_for_every_decision(faces_project: Project) -> None:
    *decided, last = Image.objects.all()
    decide_faces(decided)
    with refused(InvalidBatch, "faces-undecided"):
        rated(faces_project)
    assert not Batch.objects.exists()
    decide_faces([last])
    batch = rated(faces_project)
    assert batch.picture == "faces_blurred"
    assert Event.objects.get(verb="batch_released").data["picture"] == "faces_blurred"


def test_a_batch_waits_until_somebody_has_looked_at_every_proposal(faces_project: Project) -> None:
    *decided, last = Image.objects.all()
    decide_faces(decided)
    decide_from_file(
        project=faces_project, faces={last.pk: [[0, 0, 4, 4]]}, actor=None, facts={}, proposals=True
    )
    with refused(InvalidBatch, "faces-unlooked"):
        rated(faces_project)
    looker = faces_project.memberships.get(code="A")
    looker.draws_faces = True
    looker.save()
    keys = [one.key for one in FaceDecision.objects.all()]
    assert look_at(keys=keys, member=looker) == 1
    # Whoever looked at the faces never rates them.
    with pytest.raises(InvalidBatch, match=r"A \(1\)"):
        rated(faces_project)
    assert rated(faces_project, "BCDEF").picture == "faces_blurred"


def test_who_marked_a_face_never_rates_the_image(faces_project: Project) -> None:
    decide_faces(Image.objects.all())
    marker = faces_project.memberships.get(code="C")
    marker.draws_faces = True
    marker.save()
    image = Image.objects.earliest("pk")
    decide(image=image, rectangles=[(1, 1, 2, 2)], member=marker)
    # A later decision by somebody else does not make them forget.
    decide(image=image, rectangles=[], member=make_member(faces_project, LEAD))
    with refused(InvalidBatch, "faces-drawn"):
        rated(faces_project)
    batch = rated(faces_project, "ABDEF")
    with refused(ChangeRefused, "faces-drawn"):
        propose_people_change(batch=batch, joining=[marker])


@pytest.mark.django_db(transaction=True)
def test_release_or_withdrawal(faces_project: Project) -> None:
    lead, images = make_member(faces_project, LEAD), list(Image.objects.all())
    for number in range(4):
        decide_faces(images)
        outcomes: list[Any] = race(
            [
                partial(rated, faces_project, name=f"batch {number}"),
                partial(take_back, image=images[number], member=lead),
            ]
        )
        batch, taken = outcomes
        undecided = Image.objects.filter(faces=None).count()
        if isinstance(batch, Batch):
            assert isinstance(taken, FacesRefused), outcomes
            assert undecided == 0
            Batch.objects.filter(pk=batch.pk).update(status="closed")
        else:
            assert isinstance(batch, InvalidBatch), outcomes
            assert (taken, undecided) == (True, 1)
            assert not Batch.objects.filter(name=f"batch {number}").exists()
