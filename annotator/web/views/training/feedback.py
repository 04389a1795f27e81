"""For annotators: feedback after each training image, and the result of a qualification."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.models import Annotation, Assignment, Attempt, Batch, Membership
from annotator.people.access import assignment_for, attempt_for
from annotator.training.feedback import feedback_on, progress_by_annotator
from annotator.training.qualification_attempts import (
    AttemptRefused,
    assignments_of,
    attempts_of,
    begin_next,
    conclude,
    shown_result,
    shown_rule,
)
from annotator.training.references import reference_of
from annotator.training.training_batches import repeat_training, trained_last
from annotator.web.views.guidelines.reading import guideline_address
from annotator.web.views.pages import SignedIn, form_page
from scoring.comparison import pooled


def feedback_address(assignment: Assignment) -> str:
    """Return the address of what follows a submission in place of the next image; empty for nothing.

    That is the feedback on a training image, or the result of a qualification that has ended with it.
    """
    if assignment.purpose == Assignment.Purpose.TRAINING and reference_of(
        assignment.image, assignment.batch.protocol
    ):
        return reverse("training_feedback", args=[assignment.pk])
    qualifies = assignment.purpose == Assignment.Purpose.QUALIFICATION
    if qualifies and conclude(assignment.batch, assignment.annotator):
        return reverse("qualification_result", args=[assignment.batch_id])
    return ""


@form_page
def training_feedback(request: SignedIn, pk: int) -> HttpResponse:
    """Show the feedback on a submitted training image; by POST, begin the batch again."""
    assignment = assignment_for(request.user, pk)
    annotation = getattr(assignment, "annotation", None)
    trains = assignment.purpose == Assignment.Purpose.TRAINING
    if not trains or annotation is None or annotation.status != Annotation.Status.SUBMITTED:
        return redirect("label", pk)
    if request.method == "POST":
        if not repeat_training(assignment.batch, assignment.annotator):
            messages.info(request, "This training batch cannot be repeated now.", "not-repeated")
        return redirect("queue", assignment.batch.project.slug)
    member = assignment.annotator_id
    # None of the pass is left if all its images were withdrawn.
    none_left = {"done": 0, "total": 0, "compared": pooled(())}
    progress = progress_by_annotator(assignment.batch, [member]).get(member, none_left)
    context = {
        "assignment": assignment,
        "project": assignment.batch.project,
        "image": assignment.image,
        "feedback": feedback_on(assignment),
        "progress": progress,
        "finished": progress["done"] == progress["total"],
        "upcoming": _next(assignment),
        "guideline": guideline_address(assignment.batch.project, assignment.batch.protocol),
    }
    return render(request, "annotator/training/feedback.html", context)


def _next(assignment: Assignment) -> Assignment | None:
    """Return the next image of the same training; None after the last: work is begun from the queue."""
    same = Assignment.objects.filter(
        annotator=assignment.annotator_id, batch=assignment.batch_id, status=Assignment.Status.OPEN
    )
    return same.filter(batch__status=Batch.Status.OPEN).order_by("position").first()


@dataclass(frozen=True)
class AttemptNews:
    """The latest attempt at a qualification: images `done` of `total`, and `skipped` ones."""

    attempt: Attempt
    done: int
    total: int
    skipped: int = 0

    @property
    def batch(self) -> Batch:
        """The batch of the qualification."""
        return self.attempt.qualification.batch

    @property
    def left(self) -> int:
        """Images that are neither done nor skipped."""
        return self.total - self.done - self.skipped

    @property
    def is_open(self) -> bool:
        """Whether images of the attempt can still be annotated."""
        return self.attempt.ended_at is None and self.batch.status == Batch.Status.OPEN

    @property
    def upcoming(self) -> Assignment | None:
        """The first image that is neither submitted nor skipped, else the first skipped one; one query."""
        if not self.is_open:
            return None
        left = assignments_of(self.attempt).exclude(status=Assignment.Status.DONE)
        # "open" comes before "skipped".
        return left.order_by("status", "position").first()


def qualification_news(member: Membership) -> list[AttemptNews]:
    """Return a member's latest attempt at each qualification, the latest first; one query for none."""
    latest: dict[int, Attempt] = {}
    for attempt in attempts_of(member):
        latest.setdefault(attempt.qualification_id, attempt)
    return [_news(attempt) for attempt in latest.values()]


@form_page
def qualification_result(request: SignedIn, pk: int) -> HttpResponse:
    """Show a member's result at the qualification of a batch; by POST, begin the next attempt."""
    attempt = attempt_for(request.user, pk)
    batch, member = attempt.qualification.batch, attempt.annotator
    if request.method == "POST":
        try:
            made = begin_next(batch, member, request.user)
        except AttemptRefused as refused:
            messages.error(request, str(refused), refused.code)
            return redirect("qualification_result", pk)
        first = assignments_of(made).order_by("position").first()
        return redirect("label", first.pk) if first else redirect("queue", batch.project.slug)
    news = _news(attempt)
    attempt = news.attempt
    earlier = Attempt.objects.filter(qualification=attempt.qualification, annotator=member)
    context = {
        "project": batch.project,
        "batch": batch,
        "news": news,
        "result": shown_result(attempt),
        "rule": shown_rule(batch.protocol, attempt.qualification.rule),
        "earlier": [(one, shown_result(one)) for one in earlier.exclude(pk=attempt.pk).order_by("-number")],
        "upcoming": news.upcoming,
        "trained": trained_last(member, batch.protocol) if attempt.may_follow else None,
        "guideline": guideline_address(batch.project, batch.protocol),
    }
    return render(request, "annotator/training/result.html", context)


def _news(attempt: Attempt) -> AttemptNews:
    given = assignments_of(attempt) if attempt.ended_at is None else Assignment.objects.none()
    states = Counter(given.order_by().values_list("status", flat=True))
    done = states[Assignment.Status.DONE]
    if done and done == states.total():
        # Its last open image was deleted.
        attempt = conclude(attempt.qualification.batch, attempt.annotator) or attempt
    if attempt.ended_at is not None:
        return AttemptNews(attempt, attempt.result["images"], attempt.result["images"])
    return AttemptNews(attempt, done, states.total(), states[Assignment.Status.SKIPPED])
