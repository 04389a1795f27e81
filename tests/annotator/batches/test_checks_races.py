"""Anchors while people leave, references go and a guideline is published: each with commits of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from analysis.data.quality import anchor_pairs
from annotator.annotations.saving import submit_annotation
from annotator.annotations.versioned_changes import Withdrawn
from annotator.batches.people_changes import apply_people_change, outcome_of, propose_people_change
from annotator.models import Annotation, Assignment, Batch, Plan, Project, Reference, User
from annotator.records.image_deletion import delete_image
from annotator.records.project_deletion import DeletionRefused
from annotator.training.references import retire_reference
from tests.annotator.batches.test_checks import asked, refer, release, without_references
from tests.annotator.guidelines.making import drafted, publication
from tests.annotator.planned import faults_in, make_study, people_of
from tests.annotator.racing import race
from tests.factories import LEAD, make_image, make_member, make_payload

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases]


@pytest.fixture
def batch(transactional_db: None) -> Batch:
    """Eight images of A to C, and two anchors of each."""
    project = make_study("pilot", "ABC", generators=2, prompts=6)
    refer([make_image(project, generator="generator-0", prompt="reference") for _ in range(2)])
    make_member(project, LEAD, code="lead")
    wanted = asked(project, "ABC", anchors=25, repeats=0, overlap=0, selection=without_references(project))
    made = release(project, wanted)
    assert faults_in(made) == []
    return made


def anchors_of(batch: Batch, code: str) -> list[Assignment]:
    """The same images for everybody, whatever their places."""
    held = batch.assignments.filter(annotator__code=code, purpose="anchor", position__isnull=False)
    return list(held.order_by("image"))


def send(pk: int) -> Annotation:
    """What a request does: load the assignment, then submit."""
    row = Assignment.objects.select_related("batch__project", "annotator__user", "image").get(pk=pk)
    assert row.annotator.user is not None
    return submit_annotation(
        assignment=row,
        actor=row.annotator.user,
        payload=make_payload([("missing.hands", "1/3b")]),
        replaces=0,
        request_key=uuid4(),
    )


def lead_of(project: Project) -> User:
    user = project.memberships.get(code="lead").user
    assert user is not None
    return user


@pytest.mark.parametrize("_round", range(3))
def test_somebody_leaves_with_anchors_open(batch: Batch, _round: int) -> None:
    """Anchors sent before count for whoever left; the others are withdrawn. Nobody else's change."""
    mine, kept = anchors_of(batch, "B"), [row.pk for code in "AC" for row in anchors_of(batch, code)]
    send(mine[0].pk)
    people = people_of(batch.project, "B")
    outcome = outcome_of(propose_people_change(batch=batch, leaving=people))
    leave = partial(
        apply_people_change, batch=batch, leaving=people, outcome=outcome, reason="Left.", actor=None
    )
    jobs: list[Callable[[], Any]] = [partial(send, mine[1].pk), leave]
    sent, left = race(jobs)
    row = Assignment.objects.get(pk=mine[1].pk)
    if isinstance(sent, Annotation):
        # The change was refused as no longer what was previewed, or came after and leaves what is done.
        assert row.status == Assignment.Status.DONE
    else:
        assert isinstance(sent, Withdrawn), sent
        assert isinstance(left, Plan), left
        assert (row.status, row.position) == (Assignment.Status.WITHDRAWN, None)
    assert mine[0].pk in {each.pk for each in anchors_of(batch, "B")}
    assert [each.pk for code in "AC" for each in anchors_of(batch, code)] == kept
    for code in "ABC":
        places = batch.assignments.filter(annotator__code=code, position__isnull=False)
        assert len(set(places.values_list("position", flat=True))) == places.count()
    if isinstance(left, Plan):
        assert faults_in(batch) == []


@pytest.mark.parametrize("_round", range(3))
def test_a_reference_goes_while_its_anchor_is_submitted_by_all(batch: Batch, _round: int) -> None:
    """Nothing sent is lost; nobody is compared with a retired reference, nor is its image deleted."""
    rows = [anchors_of(batch, code)[0] for code in "ABC"]
    lead, image = lead_of(batch.project), rows[0].image
    assert {row.image for row in rows} == {image}
    reference = Reference.objects.get(image=image)

    def retire() -> Any:
        return retire_reference(
            reference=Reference.objects.get(pk=reference.pk), actor=User.objects.get(pk=lead.pk)
        )

    jobs: list[Callable[[], Any]] = [*(partial(send, row.pk) for row in rows), retire]
    outcomes = race(jobs)
    assert [type(each).__name__ for each in outcomes[:3]] == ["Annotation"] * 3, outcomes
    reference.refresh_from_db()
    assert reference.status == Reference.Status.RETIRED
    assert list(anchor_pairs(batch.project, "anatomy")) == []
    other = anchors_of(batch, "A")[1]
    send(other.pk)
    assert [pair.image for pair in anchor_pairs(batch.project, "anatomy")] == [other.image_id]
    with pytest.raises(DeletionRefused):
        delete_image(image=other.image, reason="Over.", actor=lead)


@pytest.mark.parametrize("_round", range(3))
def test_a_guideline_is_published_while_people_submit(batch: Batch, _round: int) -> None:
    """Nothing sent is lost; each annotation names a version, and the anchors stay comparable."""
    lead = batch.project.memberships.get(code="lead")
    drafted(lead, missing="Count what should be visible.")
    rows = [row for code in "ABC" for row in anchors_of(batch, code)]
    publish = partial(publication, lead, "Clearer.", major=True)
    jobs: list[Callable[[], Any]] = [*(partial(send, row.pk) for row in rows[:5]), publish]
    sent: list[Any] = race(jobs)
    published = sent.pop()
    assert [type(each).__name__ for each in sent] == ["Annotation"] * 5, sent
    assert published.number == "1.0"
    # Of those under way, each names the version that it found when it began.
    assert {each.guideline for each in sent} <= {None, "1.0"}
    assert send(rows[5].pk).guideline == "1.0"
    assert len(list(anchor_pairs(batch.project, "anatomy"))) == 6
