"""Questions as tests ask and answer them, each request with a key of its own unless one is given."""

from __future__ import annotations

from uuid import UUID, uuid4

from annotator.annotations.questions import answer, ask, reply
from annotator.models import Assignment, Membership, Question
from tests.annotator.acting import person


def asked(assignment: Assignment, text: str = "Is it a hand?", key: UUID | None = None) -> Question:
    return ask(assignment=assignment, actor=person(assignment), text=text, request_key=key or uuid4())


def replied(question: Question, text: str = "And now?", key: UUID | None = None) -> Question:
    question.refresh_from_db()
    annotator = question.annotator
    assert annotator.user is not None
    return reply(
        question=question, author=annotator, actor=annotator.user, text=text, request_key=key or uuid4()
    )


def answered(
    question: Question,
    lead: Membership,
    text: str = "Yes, count it.",
    *,
    replaces: int | None = None,
    key: UUID | None = None,
) -> Question:
    assert lead.user is not None
    version = Question.objects.get(pk=question.pk).version if replaces is None else replaces
    said = {"author": lead, "actor": lead.user, "text": text}
    return answer(question=question, replaces=version, request_key=key or uuid4(), **said)  # type: ignore[arg-type]
