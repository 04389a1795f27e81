"""A project with a lead, three annotators and images, and norming sessions in every state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from annotator.models import Annotation, Assignment, Image, Membership, NormingSession, Project, User
from annotator.norming.revealing import reveal
from annotator.norming.starting import start_session
from tests.annotator import acting
from tests.factories import LEAD, make_member, make_payload, make_project, make_stored_image, user_of

Marks = list[tuple[str, str]]
ADA: Marks = [("missing.limbs", "1/4c"), ("missing.hands", "1/3b")]
BOB: Marks = [("missing.limbs", "1/4c"), ("missing.hands", "1/4c")]


@dataclass
class Circle:
    """A lead, three annotators, and as many images as asked for."""

    project: Project
    lead: Membership
    ada: Membership
    bob: Membership
    cyd: Membership
    images: list[Image]

    @property
    def actor(self) -> User:
        """The lead's account."""
        return user_of(self.lead)

    def start(self, first: int = 3, **changed: Any) -> NormingSession:
        """Start a session of ada and bob on the first images."""
        asked: dict[str, Any] = {
            "project": self.project,
            "name": f"Batch {self.project.batches.count() + 1}",
            "protocol": "anatomy",
            "people": [self.ada, self.bob],
            "images": [one.pk for one in self.images[:first]],
            "actor": self.actor,
        }
        return start_session(**{**asked, **changed})

    def answered(self, first: int = 3, *, left: int = 0, **changed: Any) -> NormingSession:
        """Start a session and have ADA and BOB said of every image, of the last ones only ADA."""
        session = self.start(first, **changed)
        for person, marks in ((self.ada, ADA), (self.bob, BOB)):
            rows = rows_of(session, person)
            for row in rows[: len(rows) - left] if person == self.bob else rows:
                submit(row, marks)
        return session

    def revealed(self, first: int = 3, **changed: Any) -> NormingSession:
        """Start a session, have ADA and BOB said of every image, and reveal it."""
        session = self.answered(first, **changed)
        reveal(session=session, actor=self.actor)
        session.refresh_from_db()
        return session


def make_circle(slug: str = "circle", images: int = 8) -> Circle:
    """Create the project; its images are of two generators in turn."""
    project = make_project(slug)
    lead = make_member(project, LEAD, code="lead")
    ada, bob, cyd = (make_member(project, code=code) for code in ("ada", "bob", "cyd"))
    made = [make_stored_image(project, generator=("alpha", "beta")[place % 2]) for place in range(images)]
    return Circle(project, lead, ada, bob, cyd, made)


def submit(row: Assignment, marks: Marks, replaces: int = 0) -> Annotation:
    """Submit an annotation of these marks."""
    return acting.submit(row, make_payload(marks), replaces)


def rows_of(session: NormingSession, member: Membership) -> list[Assignment]:
    """Return a participant's assignments in the order of their queue."""
    held = Assignment.objects.filter(batch=session.batch_id, annotator=member).order_by("position")
    return list(held.select_related("batch__project", "annotator__user", "image"))


def answer_all(session: NormingSession, said: dict[str, Marks]) -> None:
    """Submit the same marks on every image of the session, by code."""
    held = Assignment.objects.filter(batch=session.batch_id).order_by("annotator", "position")
    for row in held.select_related("batch__project", "annotator__user"):
        if row.annotator.code in said:
            submit(row, said[row.annotator.code])
