"""Threads as pages show them, for their annotator or for leads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID, uuid4

from annotator.annotations.questions import (
    QuestionRefused,
    answer_of,
    answers_for,
    subject_of,
    unread_for,
)
from annotator.models import Membership, Question, Reply

ANSWERS: Final = 3
"""Shown on the queue; the page of questions has all."""


@dataclass(frozen=True)
class Thread:
    """A question with what its page needs; `text` is what was typed, if it was refused."""

    question: Question
    refused: QuestionRefused | None = None
    text: str = ""
    request_key: UUID = field(default_factory=uuid4)

    @property
    def subject(self) -> str:
        """What was asked; of a flag its reason and note."""
        return subject_of(self.question)

    @property
    def answer(self) -> Reply | None:
        """The latest answer of a lead."""
        return answer_of(self.question)


def news_of(member: Membership) -> dict[str, Any]:
    """Return the `threads` of the latest answers to a member, and how many are `unread`; three queries."""
    threads = [Thread(question) for question in answers_for(member, ANSWERS)]
    return {"threads": threads, "unread": unread_for(member, member.project)}
