"""Two people who disagree on an image, and a lead who settles it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from annotator.annotations.adjudication import adjudicate, annotations_of, seen, withdraw_adjudication
from annotator.models import Adjudication, Annotation, Batch, Image, Membership, Project, User
from tests.annotator import acting
from tests.factories import LEAD, make_assignment, make_batch, make_image, make_member, make_payload, user_of

FIRST = make_payload([("missing.limbs", "1/4c"), ("extra.hands", "1/3b")])
SECOND = make_payload([("extra.hands", "1/3b")])
ADJUDICATED = make_payload([("missing.limbs", "1/4b"), ("extra.hands", "1/3b")])


@dataclass(frozen=True)
class Case:
    """One image, judged by `a` and `b` under one batch; `lead` settles."""

    project: Project
    batch: Batch
    image: Image
    a: Annotation
    b: Annotation
    lead: Membership

    @property
    def user(self) -> User:
        """The lead's account."""
        return user_of(self.lead)


def make_case(project: Project, image: Image | None = None) -> Case:
    """The case; its people are called anno1, anno2 and lead."""
    people = {one.code: one for one in project.memberships.all()}
    a, b = (people.get(code) or make_member(project, code=code) for code in ("anno1", "anno2"))
    lead = people.get("lead") or make_member(project, LEAD, code="lead")
    batch, image = make_batch(project), image or make_image(project)
    return Case(project, batch, image, judged(a, batch, image, FIRST), judged(b, batch, image, SECOND), lead)


def judged(person: Membership, batch: Batch, image: Image, payload: dict[str, Any]) -> Annotation:
    """A submitted annotation."""
    return acting.submit(make_assignment(person, batch=batch, image=image), payload)


def settle(case: Case, payload: object = ADJUDICATED, replaces: int = 0, **more: Any) -> Adjudication:
    """What the lead decides, having seen the annotations as they are."""
    wanted: dict[str, Any] = {
        "image": case.image,
        "protocol": "anatomy",
        "actor": case.user,
        "payload": payload,
        "replaces": replaces,
        "adjudicated_from": seen(annotations_of(case.image, "anatomy")),
        "request_key": uuid4(),
    }
    return adjudicate(**(wanted | more))


def page_of(image: Image) -> str:
    """The page on which an image is adjudicated."""
    return f"/projects/{image.project.slug}/images/{image.public_id}/adjudicate/"


def typed(**fields: str) -> dict[str, Any]:
    """What the page sends of who has just opened it, and these fields; `__` stands for a dot."""
    looked_at = ",".join(f"{row.pk}:{row.version}" for row in Annotation.objects.order_by("pk"))
    sent = {"version": "0", "seen": looked_at, "request_key": str(uuid4()), "note": ""}
    return sent | {name.replace("__", "."): value for name, value in fields.items()}


def withdraw(case: Case, replaces: int = 1, key: UUID | None = None) -> Adjudication:
    """The lead takes the value back."""
    return withdraw_adjudication(
        image=case.image, protocol="anatomy", actor=case.user, replaces=replaces, request_key=key or uuid4()
    )


def reopen(answer: Annotation) -> Annotation:
    """Its annotator takes an annotation back."""
    return acting.reopen(answer.assignment, answer.version)


def submit_again(answer: Annotation, payload: dict[str, Any]) -> Annotation:
    """Its annotator submits another answer."""
    return acting.submit(answer.assignment, payload, reopen(answer).version)
