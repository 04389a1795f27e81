"""Decisions on faces: who may take them, what is kept, when they can be taken back."""

from __future__ import annotations

from typing import Any

import pytest

from annotator.faces.decisions import (
    FacesRefused,
    current_of,
    decide,
    decide_from_file,
    images_to_draw,
    look_at,
    take_back,
    waiting_proposals,
)
from annotator.models import Event, FaceDecision, Image, Membership, Project
from tests.factories import LEAD, REVIEWER, make_assignment, make_batch, make_image, make_member
from tests.support.codes import refused

pytestmark = pytest.mark.django_db

BLURRED = {"protocol": "realism", "picture": "faces_blurred"}


@pytest.fixture
def lead(project: Project) -> Membership:
    return make_member(project, LEAD)


def helper_of(project: Project) -> Membership:
    member = make_member(project)
    member.draws_faces = True
    member.save()
    return member


def test_a_decision_is_kept_with_its_event(project: Project, lead: Membership) -> None:
    image = make_image(project)
    made = decide(image=image, rectangles=[(1, 2, 3, 4)], member=lead)
    image.refresh_from_db()
    assert image.faces == made.key
    assert (made.rectangles, made.source, made.decided_by) == ([[1, 2, 3, 4]], "drawn", lead)
    event = Event.objects.get(verb="faces_decided")
    assert event.actor == lead.user
    assert event.data == {"image": str(image.public_id), "sha256": image.sha256, "rectangles": [[1, 2, 3, 4]]}


def test_a_new_decision_replaces_the_old_one_which_stays(project: Project, lead: Membership) -> None:
    image, helper = make_image(project), helper_of(project)
    first = decide(image=image, rectangles=[(1, 2, 3, 4)], member=helper)
    second = decide(image=image, rectangles=[], member=lead)
    image.refresh_from_db()
    first.refresh_from_db()
    assert image.faces == second.key
    assert first.replaced_at is not None
    assert list(FaceDecision.objects.filter(replaced_at=None)) == [second]
    event = Event.objects.filter(verb="faces_decided").last()
    assert event is not None
    assert event.data["replaced"] == {"rectangles": [[1, 2, 3, 4]], "source": "drawn"}


def test_only_leads_and_helpers_decide(project: Project) -> None:
    image = make_image(project)
    for member in (
        make_member(project),
        make_member(project, REVIEWER),
        make_member(project, is_active=False),
    ):
        with refused(FacesRefused, "no-right"):
            decide(image=image, rectangles=[], member=member)
    decide(image=image, rectangles=[], member=helper_of(project))


def test_who_rates_an_image_never_marks_its_faces(project: Project) -> None:
    helper, other = helper_of(project), make_image(project)
    rated = make_assignment(helper, batch=make_batch(project, **BLURRED)).image
    plain = make_assignment(helper).image
    assert set(images_to_draw(helper)) == {other, plain}
    with refused(FacesRefused, "rates-it"):
        decide(image=rated, rectangles=[], member=helper)


def test_a_decision_stays_while_an_open_batch_needs_it(project: Project, lead: Membership) -> None:
    batch = make_batch(project, **BLURRED)
    image = make_assignment(make_member(project), batch=batch).image
    assert not take_back(image=image, member=lead)
    decide(image=image, rectangles=[], member=lead)
    with refused(FacesRefused, "in-batch"):
        take_back(image=image, member=lead)
    batch.status = "closed"
    batch.save()
    assert take_back(image=image, member=lead)
    image.refresh_from_db()
    assert image.faces is None
    assert Event.objects.get(verb="faces_withdrawn").data["replaced"]["source"] == "drawn"


def test_nothing_is_decided_while_a_release_is_stored(project: Project, lead: Membership) -> None:
    image = make_image(project)
    decide(image=image, rectangles=[], member=lead)
    make_batch(project, status="preparing", **BLURRED)
    with refused(FacesRefused, "preparing"):
        take_back(image=image, member=lead)
    with refused(FacesRefused, "preparing"):
        decide(image=image, rectangles=[(0, 0, 2, 2)], member=lead)


def test_a_file_decides_all_or_nothing(project: Project, lead: Membership) -> None:
    one, two, three = (make_image(project) for _ in range(3))
    decide(image=one, rectangles=[(0, 0, 2, 2)], member=lead)
    faces = {one.pk: [[1.0, 1, 2, 2]], two.pk: []}
    facts = {"file": "faces.csv"}
    with refused(FacesRefused, "images-gone"):
        decide_from_file(project=project, faces={**faces, 10**9: []}, actor=lead.user, facts=facts)
    assert FaceDecision.objects.count() == 1
    assert decide_from_file(project=project, faces=faces, actor=lead.user, facts=facts) == 2
    event = Event.objects.get(verb="faces_imported")
    assert event.data == {"file": "faces.csv", "images": 2, "replaced": 1}
    assert list(project.images.filter(faces=None)) == [three]
    assert decide_from_file(project=project, faces=faces, actor=lead.user, facts=facts) == 0
    assert Event.objects.filter(verb="faces_imported").count() == 1


def proposed(project: Project, *faces: tuple[Image, Any], proposals: bool = True) -> int:
    found = {image.pk: rectangles for image, rectangles in faces}
    return decide_from_file(project=project, faces=found, actor=None, facts={}, proposals=proposals)


def test_proposals_wait_and_replace_only_proposals(project: Project, lead: Membership) -> None:
    one, two, three = (make_image(project) for _ in range(3))
    decide(image=one, rectangles=[(0, 0, 2, 2)], member=lead)
    boxes = [[1.0, 1, 2, 2], [3, 3, 2, 2]]
    assert proposed(project, (one, boxes), (two, [[0, 0, 1, 1]]), (three, boxes)) == 2
    assert current_of([one.pk])[one.pk].rectangles == [[0, 0, 2, 2]]
    assert list(waiting_proposals(project.images.all())) == [three, two]
    assert proposed(project, (two, []), (three, boxes)) == 1
    old, new = FaceDecision.objects.filter(image=two).order_by("pk")
    assert look_at(keys=[old.key, new.key], member=lead) == 1
    assert look_at(keys=[old.key, new.key], member=lead) == 0
    seen = current_of([two.pk])[two.pk]
    assert (seen.source, seen.decided_by, seen.looked_at is not None) == ("seen", lead, True)
    assert Event.objects.get(verb="faces_looked_at").data == {"code": lead.code, "images": [two.sha256]}
    assert list(waiting_proposals(project.images.all())) == [three]
    # A file of decisions takes the place of a proposal, which takes that of none.
    assert proposed(project, (three, boxes), proposals=False) == 1
    assert proposed(project, (three, []), (two, boxes)) == 0
    assert list(waiting_proposals(project.images.all())) == []


def test_who_may_not_mark_faces_or_rates_the_image_looks_at_none(project: Project) -> None:
    image, helper = make_image(project), helper_of(project)
    proposed(project, (image, [[0, 0, 1, 1]]))
    keys = [FaceDecision.objects.get().key]
    with refused(FacesRefused, "no-right"):
        look_at(keys=keys, member=make_member(project))
    make_assignment(helper, image=image, batch=make_batch(project, **BLURRED))
    assert look_at(keys=keys, member=helper) == 0
