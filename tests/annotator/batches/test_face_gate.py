"""The gate: no batch with blurred faces without a decision on every image, none for who has seen them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from annotator.batches import releases
from annotator.batches.assignments import InvalidBatch
from annotator.batches.people_changes import ChangeRefused, propose_people_change
from annotator.batches.previews import faces_lacking
from annotator.batches.releases import release_plan
from annotator.faces.decisions import FacesRefused, decide, decide_from_file, look_at, take_back
from annotator.models import Batch, Event, FaceDecision, Image, Project
from tests.annotator.planned import make_study, plan_for
from tests.annotator.racing import race
from tests.factories import LEAD, decide_faces, make_member
from tests.support.codes import refused


def released(project: Project, codes: str = "ABCDE", name: str = "first", protocol: str = "realism") -> Batch:
    plan = plan_for(project, codes, overlap=1, per_image=2)
    return release_plan(project=project, name=name, plan=plan, protocol=protocol)


@pytest.fixture
def project() -> Project:
    return make_study("pilot", "ABCDEF", generators=1, prompts=2)


@pytest.mark.django_db
def test_a_batch_waits_for_every_decision(project: Project) -> None:
    *decided, last = Image.objects.all()
    decide_faces(decided)
    with pytest.raises(InvalidBatch, match="1 of the 4 images") as told:
        released(project)
    assert told.value.code == "faces-undecided"
    assert not Batch.objects.exists()
    decide_faces([last])
    batch = released(project)
    assert batch.picture == "faces_blurred"
    assert Event.objects.get(verb="batch_released").data["picture"] == "faces_blurred"


@pytest.mark.django_db
def test_a_batch_waits_until_somebody_has_looked_at_every_proposal(project: Project) -> None:
    *decided, last = Image.objects.all()
    decide_faces(decided)
    decide_from_file(project=project, faces={last.pk: [[0, 0, 4, 4]]}, actor=None, facts={}, proposals=True)
    with pytest.raises(InvalidBatch, match="1 of the 4 images") as told:
        released(project)
    assert told.value.code == "faces-unlooked"
    plan = plan_for(project, "ABCDE", overlap=1, per_image=2)
    assert faces_lacking(project, plan, "realism")["faces"]["unlooked"] == 1
    looker = project.memberships.get(code="A")
    looker.draws_faces = True
    looker.save()
    keys = [one.key for one in FaceDecision.objects.all()]
    assert look_at(keys=keys, member=looker) == 1
    # Whoever looked at the faces never rates them.
    with pytest.raises(InvalidBatch, match=r"A \(1\)"):
        released(project)
    assert released(project, "BCDEF").picture == "faces_blurred"


@pytest.mark.django_db
def test_who_marked_a_face_never_rates_the_image(project: Project) -> None:
    decide_faces(Image.objects.all())
    marker = project.memberships.get(code="C")
    marker.draws_faces = True
    marker.save()
    image = Image.objects.first()
    assert image is not None
    decide(image=image, rectangles=[(1, 1, 2, 2)], member=marker)
    # A later decision by somebody else does not make them forget.
    decide(image=image, rectangles=[], member=make_member(project, LEAD))
    with pytest.raises(InvalidBatch, match=r"C \(1\)") as told:
        released(project)
    assert told.value.code == "faces-drawn"
    batch = released(project, "ABDEF")
    with refused(ChangeRefused, "faces-drawn"):
        propose_people_change(batch=batch, joining=[marker])


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("piece", [releases.CHUNK, 3])
def test_of_a_release_and_a_withdrawn_decision_one_wins(
    project: Project, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releases, "CHUNK", piece)
    lead, images = make_member(project, LEAD), list(Image.objects.all())
    for number in range(4):
        decide_faces(images)
        outcomes: list[Any] = race(
            [
                partial(released, project, name=f"batch {number}"),
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
