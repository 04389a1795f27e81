"""Threads as pages show them, for their annotator or for leads."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from uuid import UUID, uuid4

from django.utils import timezone
from django.utils.timesince import timesince

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

    @property
    def age(self) -> str:
        """How long the question has been open, in words."""
        since = self.question.open_since
        recent = timezone.now() - since < timedelta(minutes=1)
        return "less than a minute" if recent else timesince(since, depth=1)


def news_of(member: Membership) -> dict[str, Any]:
    """Return the `threads` of the latest answers to a member, and how many are `unread`; three queries."""
    threads = [Thread(question) for question in answers_for(member, ANSWERS)]
    return {"threads": threads, "unread": unread_for(member, member.project)}
