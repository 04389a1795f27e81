"""Threads on images: an annotator asks or flags, leads answer, one row per thread.

Annotators see their own threads only, without names. The texts are not in Events, which are never deleted:
an Event says who did what when, and names the row.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import Case, F, Prefetch, Q, QuerySet, When

from annotator.annotations.versioned_changes import event_of, record, retry_once
from annotator.inputs.plain_text import TURNED, turns_text_round
from annotator.inputs.refusal import Refusal
from annotator.inputs.storable import is_storable
from annotator.models import Assignment, Membership, Project, Question, Reply, User
from scoring.payloads import FLAG_REASONS

LONGEST: Final = 2000
MOST_QUESTIONS: Final = 20
"""Questions on one assignment."""
MOST_REPLIES: Final = 100
"""Replies to one question."""
MOST_COUNTED: Final = 1000
_UNREAD_COUNTED: Final = 99
_UNREAD: Final = Q(answered_at__isnull=False) & (Q(read_at=None) | Q(read_at__lt=F("answered_at")))

ASKED: Final = "question_asked"
REPLIED: Final = "question_replied"
ANSWERED: Final = "question_answered"
RESOLVED: Final = "question_resolved"


class QuestionRefused(Refusal):
    """A message or decision that was not stored; nothing has changed."""


class InvalidText(QuestionRefused):
    """The text is empty, too long or contains characters that cannot be shown or stored."""


def ask(*, assignment: Assignment, actor: User, text: object, request_key: UUID) -> Question:
    """Open a thread on one of the actor's assignments and return it; a repeated key returns the first one.

    Also possible in a closed batch and after reassignment, where the annotation can still be read.
    Raises InvalidText, QuestionRefused.
    """
    said = checked_text(text)

    def act() -> Question:
        # Serialises the questions on one image, so that requests at once cannot exceed the limit.
        Assignment.objects.select_for_update(no_key=True).filter(pk=assignment.pk).first()
        if made := _earlier(assignment, request_key, ASKED):
            return _hold(Question(pk=made["question"]))
        _check_present(assignment)
        own = Question.objects.filter(assignment=assignment.pk, kind=Question.Kind.QUESTION)
        if own.count() >= MOST_QUESTIONS:
            raise QuestionRefused(
                f"You have asked {MOST_QUESTIONS} questions on this image. Reply to one of them.", "full"
            )
        with transaction.atomic():
            question = Question.objects.create(
                project_id=assignment.batch.project_id,
                assignment=assignment,
                annotator_id=assignment.annotator_id,
                text=said,
            )
            record(assignment, actor, ASKED, {"question": question.pk}, request_key)
        return question

    return retry_once(act)


def reply(
    *, question: Question, author: Membership, actor: User, text: object, request_key: UUID
) -> Question:
    """Add the annotator's reply, which opens the question again, and return the question.

    Raises InvalidText, QuestionRefused.
    """
    return _say(question, author, actor, checked_text(text), request_key, REPLIED, replaces=None)


def answer(
    *, question: Question, author: Membership, actor: User, text: object, replaces: int, request_key: UUID
) -> Question:
    """Add a lead's answer and return the question; `replaces` is the version of the thread the lead has read.

    Raises InvalidText, and QuestionRefused if somebody else has written since (`stale`).
    """
    return _say(question, author, actor, checked_text(text), request_key, ANSWERED, replaces=replaces)


def resolve(*, question: Question, actor: User, replaces: int, request_key: UUID) -> Question:
    """Mark a question as resolved, as a lead, and return it. Raises QuestionRefused."""

    def act() -> Question:
        held = _hold(question)
        if _earlier(held.assignment, request_key, RESOLVED, held.pk):
            return _stored(held)
        _check_unchanged(held, replaces)
        if held.state != Question.State.RESOLVED:
            with transaction.atomic():
                _change(held, state=Question.State.RESOLVED)
                record(held.assignment, actor, RESOLVED, {"question": held.pk}, request_key)
        return _stored(held)

    return retry_once(act)


def mark_read(*, annotator: Membership, questions: Collection[int], until: Any) -> int:
    """Mark an annotator's own questions as read, with the answers up to a moment; return how many changed."""
    own = Question.objects.filter(annotator=annotator, pk__in=questions)
    return own.filter(_UNREAD, answered_at__lte=until).update(read_at=F("answered_at"))


def open_count(project: Project) -> int:
    """Count a project's open questions and flags from an index, at most MOST_COUNTED."""
    waiting = Question.objects.filter(project=project, state=Question.State.OPEN)
    return waiting.order_by()[:MOST_COUNTED].count()


def unread_for(annotator: Membership, project: Project) -> int:
    """Count an annotator's questions with unread answers, at most 99."""
    own = Question.objects.filter(_UNREAD, annotator=annotator, project=project)
    return own.order_by()[:_UNREAD_COUNTED].count()


def questions_of(project: Project, state: str = "") -> QuerySet[Question]:
    """Return a project's questions with image, batch, annotator and replies, in two queries.

    Those of one state come in the order in which they became open, all of them newest first.
    """
    rows = _with_threads(Question.objects.filter(project=project))
    return rows.filter(state=state).order_by("open_since", "pk") if state else rows.order_by("-pk")


def own_questions(annotator: Membership) -> QuerySet[Question]:
    """Return an annotator's own questions and flags, newest first, with image, batch and replies."""
    return _with_threads(Question.objects.filter(annotator=annotator)).order_by("-pk")


def answers_for(annotator: Membership, at_most: int) -> list[Question]:
    """Return an annotator's questions with unread answers, then the latest answered ones."""
    answered = own_questions(annotator).filter(answered_at__isnull=False)
    read = Case(When(_UNREAD, then=0), default=1)
    return list(answered.order_by(read, "-answered_at", "-pk")[:at_most])


def subject_of(question: Question) -> str:
    """Return what was asked; of a flag its reason and note."""
    if question.kind == Question.Kind.QUESTION:
        return question.text
    title = FLAG_REASONS.get(question.reason, question.reason)
    return f"{title}: {question.text}" if question.text else title


def answer_of(question: Question) -> Reply | None:
    """Return the latest answer of a lead; None if there is none."""
    return next((reply for reply in reversed(question.replies.all()) if reply.by_lead), None)


def decision_text(question: Question) -> str:
    """Return the question and its latest answer as plain text, two short paragraphs."""
    said = answer_of(question)
    return "\n\n".join([subject_of(question), *([said.text] if said else [])])


def checked_text(given: object) -> str:
    """Return a message as it is stored, without surrounding space and with plain line ends.

    Raises InvalidText.
    """
    text = given.replace("\r\n", "\n").strip() if isinstance(given, str) else ""
    if not is_storable(text):
        raise InvalidText("Remove the character that cannot be stored (such as NUL).", "unstorable")
    if not any(letter.isprintable() and not letter.isspace() for letter in text):
        raise InvalidText("Enter a text.", "required")
    if len(text) > LONGEST:
        raise InvalidText(f"The text has {len(text):,} characters. Shorten it to {LONGEST:,}.", "max_length")
    if turns_text_round(text):
        raise InvalidText(TURNED, "turned")
    return text


def _say(
    question: Question,
    author: Membership,
    actor: User,
    text: str,
    request_key: UUID,
    verb: str,
    *,
    replaces: int | None,
) -> Question:
    by_lead = verb == ANSWERED

    def act() -> Question:
        held = _hold(question)
        if _earlier(held.assignment, request_key, verb, held.pk):
            return _stored(held)
        _check_unchanged(held, replaces)
        if held.replies.count() >= MOST_REPLIES:
            raise QuestionRefused(f"This thread has {MOST_REPLIES} replies. Ask a new question.", "full")
        with transaction.atomic():
            made = Reply.objects.create(question=held, author=author, by_lead=by_lead, text=text)
            if by_lead:
                _change(held, state=Question.State.ANSWERED, answered_at=made.created_at)
            else:
                waiting = {} if held.state == Question.State.OPEN else {"open_since": made.created_at}
                # The page that follows shows the whole thread.
                _change(held, state=Question.State.OPEN, read_at=made.created_at, **waiting)
            record(held.assignment, actor, verb, {"question": held.pk, "reply": made.pk}, request_key)
        return _stored(held)

    return retry_once(act)


def _earlier(
    assignment: Assignment, request_key: UUID, verb: str, question: int | None = None
) -> dict[str, Any] | None:
    """Return the data of this request's Event, if it was carried out before."""
    event = event_of(assignment, request_key)
    if event is None:
        return None
    if event.verb != verb or question not in (None, event.data["question"]):
        raise QuestionRefused("This request was used for something else. Reload the page.", "key_reused")
    return dict(event.data)


def _hold(question: Question) -> Question:
    """Lock a question's row and return it as stored; raise QuestionRefused if it is gone.

    Before anything else is read, so that a repeated request finds the Event of the first one.
    """
    rows = Question.objects.select_for_update(of=("self",)).select_related("assignment__batch")
    held = rows.filter(pk=question.pk).first()
    if held is None:
        raise QuestionRefused("The image was deleted, and its questions with it.", "deleted")
    return held


def _check_unchanged(held: Question, replaces: int | None) -> None:
    _check_present(held.assignment)
    if replaces is not None and held.version != replaces:
        raise QuestionRefused(
            "The thread has changed in the meantime. Read what is new, then send your text again.", "stale"
        )


def _check_present(assignment: Assignment) -> None:
    if not Assignment.objects.filter(pk=assignment.pk, batch__project__goes_at=None).exists():
        raise QuestionRefused("The image was deleted, or its project is being deleted.", "deleted")


def _change(held: Question, **values: Any) -> None:
    Question.objects.filter(pk=held.pk).update(version=held.version + 1, **values)


def _stored(question: Question) -> Question:
    return _with_threads(Question.objects.filter(pk=question.pk)).get()


def _with_threads(questions: QuerySet[Question]) -> QuerySet[Question]:
    replies = Prefetch("replies", Reply.objects.select_related("author").order_by("pk"))
    related = ("project", "annotator", "assignment__image", "assignment__batch", "assignment__annotation")
    heavy = ("payload", "ratings", "source", "capture", "warnings")
    deferred = [f"assignment__annotation__{name}" for name in heavy]
    return questions.select_related(*related).defer(*deferred).prefetch_related(replies)
