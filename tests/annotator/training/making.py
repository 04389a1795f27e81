"""A project with references and a training batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from annotator.annotations.saving import submit_annotation
from annotator.models import Assignment, Batch, Image, Membership, Project, Reference, User
from annotator.training.references import add_reference
from annotator.training.training_batches import release_training
from tests.factories import (
    LEAD,
    REFERENCE,
    make_member,
    make_payload,
    make_project,
    make_stored_image,
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
        assert self.lead.user is not None
        return self.lead.user

    def batch(self, name: str = "Training", **changed: Any) -> Batch:
        """Release a training batch of all references for ada."""
        asked: dict[str, Any] = {
            "project": self.project,
            "name": name,
            "protocol": "anatomy",
            "references": [one.pk for one in self.references],
            "people": [self.ada],
            "actor": self.actor,
        }
        return release_training(**{**asked, **changed})


def make_course(slug: str = "course") -> Course:
    """Create the project with its references."""
    project = make_project(slug)
    lead = make_member(project, LEAD, code="lead")
    ada, bob = make_member(project, code="ada"), make_member(project, code="bob")
    course = Course(project, lead, ada, bob, [make_stored_image(project) for _ in range(2)])
    for image, marks in zip(course.images, (REFERENCE, []), strict=True):
        course.references.append(
            add_reference(
                image=image,
                protocol="anatomy",
                payload=make_payload(marks),
                origin=Reference.Origin.PLANTED,
                actor=lead.user,
                rationales={"missing.face": "The mouth is missing in both faces."} if marks else {},
            )
        )
    return course


def submit(row: Assignment, marks: list[tuple[str, str]]) -> None:
    """Submit an annotation of these marks."""
    assert row.annotator.user is not None
    submit_annotation(
        assignment=row,
        actor=row.annotator.user,
        payload=make_payload(marks),
        replaces=0,
        request_key=uuid4(),
    )
