"""For annotators: the result of a qualification, and its next attempt."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.models import Assignment, Attempt, Batch, Membership
from annotator.people.access import attempt_for
from annotator.training.qualification_attempts import (
    AttemptRefused,
    assignments_of,
    attempts_of,
    begin_next,
    conclude,
    shown_result,
    shown_rule,
)
from annotator.training.training_batches import trained_last
from annotator.web.views.guidelines.reading import guideline_address
from annotator.web.views.pages import SignedIn, form_page


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


def result_address(assignment: Assignment) -> str:
    """Return the address of the result if this submission has ended a qualification; empty otherwise."""
    qualifies = assignment.purpose == Assignment.Purpose.QUALIFICATION
    if qualifies and conclude(assignment.batch, assignment.annotator):
        return reverse("qualification_result", args=[assignment.batch_id])
    return ""


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
