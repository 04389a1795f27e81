"""Questions of annotators on images, which leads read and answer, and announcements of leads."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from django.http import HttpRequest
from ninja import Body, Query
from pydantic import BaseModel, ConfigDict, Field

from analysis.api import schemas
from analysis.api.paging import LARGEST, Paging, filled, page_of
from analysis.api.refusals import ApiRefused, Invalid
from analysis.api.routing import Routes
from analysis.api.security import person
from annotator.annotations.announcements import with_readers
from annotator.annotations.questions import InvalidText, QuestionRefused, answer, questions_of
from annotator.models import Announcement, Question
from annotator.people.access import membership_of, project_as_lead, question_as_lead

router = Routes("Questions")


class QuestionFilters(Paging):
    """Filters for questions."""

    state: Literal["open", "answered", "resolved"] | None = Field(None, description="Only this state.")
    kind: Literal["question", "flag"] | None = Field(None, description="Only questions or only flags.")
    batch: int | None = Field(None, ge=1, le=LARGEST, description="Only the batch with this id.")
    annotator: int | None = Field(None, ge=1, le=LARGEST, description="Only the annotator with this id.")


class AnnouncementFilters(Paging):
    """Filters for announcements."""

    batch: int | None = Field(None, ge=1, le=LARGEST, description="Only the batch with this id.")
    withdrawn: bool | None = Field(None, description="Only withdrawn ones (`true`) or only the others.")


class Announced(BaseModel):
    """A lead's message to all annotators of a batch."""

    id: int
    batch: int
    code: str = Field(description="The code of its author; annotators do not see it.")
    text: str
    created_at: datetime
    withdrawn_at: datetime | None = Field(description="Since when only leads see it; null if all do.")
    read_by: int = Field(description="Number of annotators who have read it.")


class Announcements(schemas.Page[Announced]):
    """A page of announcements, newest first."""


class SentAnswer(BaseModel):
    """An answer to a question."""

    model_config = ConfigDict(extra="forbid")

    text: str = Field(description="At most 2,000 characters.", examples=["Count it if it should be visible."])
    version: Annotated[int, Field(strict=True, ge=1, le=LARGEST, description="The version you have read.")]
    request_key: UUID = Field(
        description="Idempotency key. A repeated key returns the question without a second answer."
    )


@router.reading("/projects/{slug:slug}/questions", schemas.Questions, "questions")
def list_questions(request: HttpRequest, slug: str, asked: Query[QuestionFilters]) -> schemas.Questions:
    """List the questions and flags of a project's annotators, newest first. For leads."""
    project = project_as_lead(person(request), slug)
    chosen = asked.model_dump(exclude={"limit", "after"}, exclude_none=True)
    found = {"assignment__batch" if name == "batch" else name: value for name, value in chosen.items()}
    return page_of(schemas.Questions, questions_of(project).filter(**found), asked, _question, order=["-pk"])


@router.changing("/questions/{int:question}/answers", schemas.Question, "question_answer")
def answer_question(request: HttpRequest, question: int, sent: Body[SentAnswer]) -> schemas.Question:
    """Answer a question. The annotator finds the answer in their queue, without your name.

    Returns 409 if somebody has written since the version you name.
    """
    user = person(request)
    found = question_as_lead(user, question)
    try:
        stored = answer(
            question=found,
            author=membership_of(user, found.project.slug),
            actor=user,
            text=sent.text,
            replaces=sent.version,
            request_key=sent.request_key,
        )
    except InvalidText as refused:
        raise Invalid({"text": [str(refused)]}) from refused
    except QuestionRefused as refused:
        raise ApiRefused(409, refused.code, str(refused)) from refused
    return _question(stored)


@router.reading("/projects/{slug:slug}/announcements", Announcements, "announcements")
def list_announcements(request: HttpRequest, slug: str, asked: Query[AnnouncementFilters]) -> Announcements:
    """List the announcements to the annotators of a project's batches, newest first. For leads."""
    found = Announcement.objects.filter(batch__project=project_as_lead(person(request), slug))
    if asked.batch is not None:
        found = found.filter(batch=asked.batch)
    if asked.withdrawn is not None:
        found = found.filter(withdrawn_at__isnull=not asked.withdrawn)
    return page_of(Announcements, with_readers(found), asked, _announced, order=["-pk"])


def _announced(row: Announcement) -> Announced:
    return filled(Announced, row, batch=row.batch_id, code=row.author.code)


def _question(row: Question) -> schemas.Question:
    return filled(
        schemas.Question,
        row,
        assignment=row.assignment_id,
        batch=row.assignment.batch_id,
        image=row.assignment.image.public_id,
        annotator=row.annotator.code,
        replies=[filled(schemas.Reply, each, code=each.author.code) for each in row.replies.all()],
    )
