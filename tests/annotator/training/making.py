"""A project with references and a training batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from annotator.models import Assignment, Attempt, Batch, Image, Membership, Project, Reference, User
from annotator.training.qualification_attempts import conclude
from annotator.training.qualification_batches import release_qualification
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from tests.annotator import acting
from tests.factories import (
    LEAD,
    REFERENCE,
    make_member,
    make_payload,
    make_project,
    make_stored_image,
    user_of,
)


@dataclass
class Course:
    """A lead, two annotators and two images: the worked reference, and one without errors."""

    project: Project
    lead: Membership
    ada: Membership
    bob: Membership
    images: list[Image]
    references: list[Reference] = field(default_factory=list)

    @property
    def actor(self) -> User:
        """The lead's account."""
        return user_of(self.lead)

    def asked(self, **more: Any) -> dict[str, Any]:
        """What is asked for a batch of all references for ada."""
        held = {"references": [one.pk for one in self.references], "people": [self.ada]}
        return {"project": self.project, "protocol": "anatomy", "actor": self.actor, **held, **more}

    def batch(self, name: str = "Training", **changed: Any) -> Batch:
        """Release a training batch."""
        return release_training(**self.asked(name=name, **changed))


def make_course(slug: str = "course") -> Course:
    """Create the project with its references."""
    project = make_project(slug)
    lead = make_member(project, LEAD, code="lead")
    ada, bob = make_member(project, code="ada"), make_member(project, code="bob")
    course = Course(project, lead, ada, bob, [make_stored_image(project) for _ in range(2)])
    why = {"missing.face": "The mouth is missing in both faces."}
    course.references.append(add(course, course.images[0], rationales=why))
    course.references.append(add(course, course.images[1], []))
    return course


def submit(row: Assignment, marks: list[tuple[str, str]]) -> None:
    """Submit an annotation of these marks."""
    acting.submit(row, make_payload(marks))


WRONG = [("extra.torso", "1/2c")]


def make_exam(images: int = 4, slug: str = "course") -> Course:
    """Return a course whose images all have the worked reference."""
    course = make_course(slug)
    while len(course.images) < images:
        image = make_stored_image(course.project)
        course.images.append(image)
        course.references.append(add(course, image))
    course.references[1] = add(course, course.images[1])
    return course


def add(course: Course, image: Any, marks: Any = REFERENCE, **more: Any) -> Reference:
    """Give an image a reference of these marks."""
    return add_reference(
        image=image,
        protocol="anatomy",
        payload=make_payload(marks),
        origin=Reference.Origin.PLANTED,
        actor=course.actor,
        **more,
    )


def release(course: Course, **changed: Any) -> Batch:
    """Release a qualification for ada: two images an attempt, cells found at least 0.7."""
    rule = {"rule": {"recall": "0.7"}, "images": 2, "attempts": 2, "seed": 5}
    return release_qualification(**course.asked(**{"name": "Qualification", **rule, **changed}))


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
