"""The stages under real concurrency: threads with connections of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import uuid4

import pytest

from annotator.annotations.adjudication import Seen, adjudicate, annotations_of, seen
from annotator.annotations.reopening import reopen_annotation, reopen_for_annotator
from annotator.annotations.versioned_changes import nothing_yet
from annotator.models import Adjudication, Annotation, Assignment, Batch, Image, ImageSummary, Project, User
from scoring.protocol import Payload
from tests.annotator.protocols.defect.stages import (
    LEFT,
    MARKERS,
    MOVED,
    REVIEWERS,
    RIGHT,
    judge,
    lead_of,
    make_people,
    marks,
    one_against_two,
    released,
    submit,
    verdict,
    votes,
)
from tests.annotator.racing import race

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 3


def send(pk: int, payload: Payload, replaces: int = 0) -> None:
    """What a request does: load the assignment, then submit."""
    found = Assignment.objects.select_related("batch__project", "annotator__user", "image")
    submit(found.get(pk=pk), payload, replaces)


def reopen(pk: int, replaces: int) -> Annotation:
    assignment = Assignment.objects.select_related("batch__project", "annotator__user").get(pk=pk)
    assert assignment.annotator.user is not None
    return reopen_annotation(
        assignment=assignment, actor=assignment.annotator.user, replaces=replaces, request_key=uuid4()
    )


def decide(image: int, user: int, looked_at: Seen) -> Adjudication:
    return adjudicate(
        image=Image.objects.get(pk=image),
        protocol="defect-verdict",
        actor=User.objects.get(pk=user),
        payload=verdict("reject"),
        replaces=0,
        adjudicated_from=looked_at,
        request_key=uuid4(),
    )


def checking(project: Project) -> Batch:
    batch = released(project, "defect-marks", MARKERS)
    by = {"ann1": marks(LEFT), "ann2": marks(RIGHT)}
    judge(batch, lambda each, _: by[each.annotator.code])
    return released(project, "defect-check", REVIEWERS, batch)


def test_reviewers_who_submit_at_once_all_count() -> None:
    project = make_people(ROUNDS)
    batch = checking(project)
    for image in project.images.all():
        held = list(batch.assignments.filter(image=image))
        given = nothing_yet(held[0]).payload
        jobs = [partial(send, one.pk, votes(given, lambda _: True)) for one in held]
        assert race(jobs) == [None] * 3
        row = ImageSummary.objects.get(image=image, protocol="defect-check", code="")
        assert (row.answers, row.score, row.apart) == (3, 2.0, False)


def test_nothing_is_decided_of_a_vote_that_is_being_reopened() -> None:
    project = make_people(ROUNDS)
    batch = released(project, "defect-verdict", REVIEWERS)
    judge(batch, lambda each, _: one_against_two(each), close=False)
    for image in project.images.all():
        looked_at = seen(annotations_of(image, "defect-verdict"))
        vote = batch.assignments.get(image=image, annotator__code="rev2")
        jobs: list[Callable[[], Any]] = [
            partial(decide, image.pk, lead_of(project).pk, looked_at),
            partial(reopen, vote.pk, 1),
        ]
        decided, reopened = race(jobs)
        assert isinstance(reopened, Annotation)
        won = isinstance(decided, Adjudication)
        assert won or type(decided).__name__ == "AnnotationsChanged"
        assert Adjudication.objects.filter(image=image).exists() == won
        # Two of three have answered: the image is open, whoever came first.
        row = ImageSummary.objects.get(image=image, protocol="defect-verdict", code="")
        assert (row.answers, row.score) == (2, None)


def test_an_expert_with_an_outdated_page_is_refused() -> None:
    project = make_people(1)
    batch = released(project, "defect-verdict", REVIEWERS)
    judge(batch, lambda each, _: one_against_two(each), close=False)
    image = project.images.get()
    looked_at = seen(annotations_of(image, "defect-verdict"))
    reopen(batch.assignments.get(annotator__code="rev2").pk, 1)
    with pytest.raises(Exception, match="annotation of this image has changed"):
        decide(image.pk, lead_of(project).pk, looked_at)
    assert not Adjudication.objects.exists()


def test_a_check_of_a_mark_that_is_being_changed_never_counts() -> None:
    project = make_people(ROUNDS)
    batch = checking(project)
    marked = batch.follows
    assert marked is not None
    for image in project.images.all():
        own = marked.assignments.select_related("annotation").get(image=image, annotator__code="ann1")
        held = list(batch.assignments.filter(image=image))
        given = nothing_yet(held[0]).payload
        for one in held[:2]:
            send(one.pk, votes(given, lambda _: True))

        def correct(annotation: int = own.annotation.pk, assignment: int = own.pk) -> None:
            found = Annotation.objects.select_related("assignment__batch__project", "assignment__annotator")
            reopen_for_annotator(
                annotation=found.get(pk=annotation),
                actor=lead_of(project),
                reason="Look again.",
                request_key=uuid4(),
            )
            send(assignment, marks(MOVED), 2)

        last = {"made_from": given["made_from"], **votes(given, lambda _: True)}
        jobs: list[Callable[[], Any]] = [partial(send, held[2].pk, last), correct]
        outcomes = race(jobs)
        assert outcomes[1] is None
        # Taken before the change, it is outdated; after it, the vote on the changed mask is missing.
        assert outcomes[0] is None or type(outcomes[0]).__name__ == "InvalidPayload"
        row = ImageSummary.objects.get(image=image, protocol="defect-check", code="")
        assert row.score is None
