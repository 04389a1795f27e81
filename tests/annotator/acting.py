"""The verbs as tests call them: by the annotator, with a key of their own unless one is given."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from django.urls import reverse

from annotator.annotations.questions import answer, ask, reply
from annotator.annotations.queue import queue_counts
from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import save_draft, submit_annotation
from annotator.annotations.skipping import resume_assignment, skip_assignment
from annotator.models import Annotation, Assignment, Event, Image, Membership, Question, User
from annotator.models.counting import WorkCount
from annotator.records.image_deletion import delete_image, goes_with
from tests.factories import make_payload, user_of

LIMBS = make_payload([("missing.limbs", "1/4c")])
HANDS = make_payload([("missing.hands", "1/3b")])


def person(assignment: Assignment) -> User:
    return user_of(assignment.annotator)


def save(
    assignment: Assignment, payload: object = LIMBS, replaces: int = 0, key: UUID | None = None
) -> Annotation:
    return save_draft(
        assignment=assignment,
        actor=person(assignment),
        payload=payload,
        replaces=replaces,
        request_key=key or uuid4(),
    )


def submit(
    assignment: Assignment, payload: object = LIMBS, replaces: int = 0, key: UUID | None = None
) -> Annotation:
    return submit_annotation(
        assignment=assignment,
        actor=person(assignment),
        payload=payload,
        replaces=replaces,
        request_key=key or uuid4(),
    )


def delete_with_all(image: Image, actor: User | None = None) -> None:
    """Delete an image by the number of its annotations, as one who has read it on the page."""
    counted = str(goes_with(image)["annotations"])
    delete_image(image=image, typed=counted, reason="no consent", actor=actor)


def reopen(assignment: Assignment, replaces: int, key: UUID | None = None) -> Annotation:
    return reopen_annotation(
        assignment=assignment, actor=person(assignment), replaces=replaces, request_key=key or uuid4()
    )


def skip(
    assignment: Assignment, replaces: int = 0, key: UUID | None = None, reason: str = "no_body", **said: Any
) -> Assignment:
    return skip_assignment(
        assignment=assignment,
        actor=person(assignment),
        reason=reason,
        replaces=replaces,
        request_key=key or uuid4(),
        **said,
    )


def resume(assignment: Assignment, key: UUID | None = None) -> Assignment:
    return resume_assignment(assignment=assignment, actor=person(assignment), request_key=key or uuid4())


def fresh(pk: int) -> Assignment:
    """An assignment as a request loads it."""
    return Assignment.objects.select_related("batch__project", "annotator__user", "image").get(pk=pk)


def verbs(assignment: Assignment) -> list[str]:
    return list(Event.objects.filter(assignment=assignment).values_list("verb", flat=True))


def status_of(assignment: Assignment) -> str:
    return Assignment.objects.get(pk=assignment.pk).status


def address(assignment: Assignment) -> str:
    """The annotation page of an assignment."""
    return reverse("label", args=[assignment.pk])


def typed(action: str, version: int = 0, **fields: Any) -> dict[str, Any]:
    """What the form of an annotation page sends."""
    return {"action": action, "version": version, "request_key": str(uuid4()), **fields}


def asked(assignment: Assignment, text: str = "Is it a hand?", key: UUID | None = None) -> Question:
    return ask(assignment=assignment, actor=person(assignment), text=text, request_key=key or uuid4())


def replied(question: Question, text: str = "And now?", key: UUID | None = None) -> Question:
    question.refresh_from_db()
    annotator = question.annotator
    return reply(
        question=question, author=annotator, actor=user_of(annotator), text=text, request_key=key or uuid4()
    )


def answered(
    question: Question,
    lead: Membership,
    text: str = "Yes, count it.",
    *,
    replaces: int | None = None,
    key: UUID | None = None,
) -> Question:
    version = Question.objects.get(pk=question.pk).version if replaces is None else replaces
    said = {"author": lead, "actor": user_of(lead), "text": text}
    return answer(question=question, replaces=version, request_key=key or uuid4(), **said)  # type: ignore[arg-type]


def queue_progress(member: Membership) -> WorkCount:
    """The counts of all batches in a member's queue."""
    return sum(queue_counts(member).values(), WorkCount())
