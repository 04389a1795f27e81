"""A project with references and a qualification of two images in two attempts."""

from __future__ import annotations

from typing import Any

from annotator.models import Assignment, Attempt, Batch, Membership, Reference
from annotator.training.qualification_attempts import conclude
from annotator.training.qualification_batches import release_qualification
from annotator.training.references import add_reference
from tests.annotator.training.making import Course, make_course, submit
from tests.factories import REFERENCE, make_payload, make_stored_image

WRONG = [("extra.torso", "1/2c")]


def make_exam(images: int = 4) -> Course:
    """Return a course whose images all have the worked reference."""
    course = make_course()
    while len(course.images) < images:
        image = make_stored_image(course.project)
        course.images.append(image)
        course.references.append(add(course, image))
    course.references[1] = add(course, course.images[1])
    return course


def add(course: Course, image: Any, marks: Any = REFERENCE) -> Reference:
    """Give an image a reference of these marks."""
    return add_reference(
        image=image,
        protocol="anatomy",
        payload=make_payload(marks),
        origin=Reference.Origin.PLANTED,
        actor=course.actor,
    )


def release(course: Course, **changed: Any) -> Batch:
    """Release a qualification for ada: two images an attempt, cells found at least 0.7."""
    asked: dict[str, Any] = {
        "project": course.project,
        "name": "Qualification",
        "protocol": "anatomy",
        "references": [one.pk for one in course.references],
        "people": [course.ada],
        "rule": {"recall": "0.7"},
        "images": 2,
        "attempts": 2,
        "waiting_hours": 24,
        "seed": 5,
        "actor": course.actor,
    }
    return release_qualification(**{**asked, **changed})


def rows_of(batch: Batch, member: Membership, number: int = 1) -> list[Assignment]:
    """Return the assignments of an attempt in order."""
    held = batch.assignments.filter(annotator=member, pass_no=number - 1)
    return list(held.select_related("annotator__user", "batch__project", "image").order_by("position"))


def finish(batch: Batch, member: Membership, marks: Any = REFERENCE, number: int = 1) -> Attempt:
    """Submit these marks for every image of an attempt, and return the attempt as it ended."""
    for row in rows_of(batch, member, number):
        submit(row, marks)
    ended = conclude(batch, member)
    assert ended is not None
    return ended
