"""Submissions and reopenings through the real services, so that their Events are there."""

from __future__ import annotations

from uuid import uuid4

from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import submit_annotation
from annotator.models import Annotation, Assignment, Membership
from tests.analysis.factories import Marks
from tests.factories import make_assignment, make_payload

SEVERE: Marks = (("missing.limbs", "1/4c"),)


def submit_new(annotator: Membership, marks: Marks = SEVERE) -> Annotation:
    """An answer to an image of its own."""
    return submit(make_assignment(annotator), marks, replaces=0)


def submit(assignment: Assignment, marks: Marks, replaces: int) -> Annotation:
    assert assignment.annotator.user is not None
    return submit_annotation(
        assignment=assignment,
        actor=assignment.annotator.user,
        payload=make_payload(marks),
        replaces=replaces,
        request_key=uuid4(),
    )


def reopen(annotation: Annotation) -> Annotation:
    """Reopen by the annotator, from the version that is stored."""
    actor = annotation.assignment.annotator.user
    assert actor is not None
    return reopen_annotation(
        assignment=annotation.assignment, actor=actor, replaces=annotation.version, request_key=uuid4()
    )


def change(annotation: Annotation, marks: Marks = (("extra.hands", "1/2b"),)) -> Annotation:
    """Reopen and submit again."""
    reopened = reopen(annotation)
    return submit(reopened.assignment, marks, replaces=reopened.version)
