"""For annotators: the result of a qualification, and its next attempt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotator.models import Assignment, Attempt, Batch, Membership
from annotator.people.access import attempt_for
from annotator.training.qualification_attempts import (
    AttemptRefused,
    assignments_of,
    attempts_of,
    begin_next,
    conclude,
    conclude_complete,
    is_qualification,
    states_of,
    waits_until,
)
from annotator.training.results import ShownTerm, shown_result, shown_rule, shown_terms
from annotator.training.training_batches import trained_last
from annotator.web.views.guidelines.addresses import guideline_address
from annotator.web.views.pages import SignedIn, form_page


@dataclass(frozen=True)
class AttemptNews:
    """The latest attempt at a qualification: images `done` of `total`, `skipped` ones, and what may follow.

    `next_at` is from when another attempt may begin, None for none; `may_begin` whether that is now.
    `upcoming` is the image to annotate next in a running attempt.
    """

    attempt: Attempt
    done: int
    total: int
    skipped: int
    next_at: datetime | None

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
        return _first_left(self.attempt)

    @property
    def missed(self) -> ShownTerm | None:
        """The first requirement that an ended attempt did not meet; no query."""
        if self.attempt.ended_at is None:
            return None
        return next((term for term in shown_terms(self.attempt) if not term.is_met), None)

    @property
    def may_begin(self) -> bool:
        """Whether the next attempt may begin now."""
        return (
            self.next_at is not None
            and self.next_at <= timezone.now()
            and self.batch.status == Batch.Status.OPEN
        )


def result_address(assignment: Assignment) -> str:
    """Return the address of the result if this submission has ended a qualification; empty otherwise."""
    if is_qualification(assignment) and conclude(assignment.batch, assignment.annotator):
        return reverse("qualification_result", args=[assignment.batch_id])
    return ""


def qualification_news(member: Membership) -> list[AttemptNews]:
    """Return a member's latest attempt at each qualification, the latest first; one query for none."""
    made = attempts_of(member)
    attempts = list(made)
    if any(attempt.ended_at is None for attempt in attempts) and conclude_complete(made):
        # Read again.
        attempts = list(made.all())
    latest: dict[int, Attempt] = {}
    for attempt in attempts:
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
    if attempt.ended_at is None and conclude(batch, member):
        attempt = attempt_for(request.user, pk)
    earlier = Attempt.objects.filter(qualification=attempt.qualification, annotator=member)
    context = {
        "project": batch.project,
        "batch": batch,
        "news": _news(attempt),
        "result": shown_result(attempt),
        "rule": shown_rule(batch.protocol, attempt.qualification.rule),
        "earlier": _results(earlier.exclude(pk=attempt.pk).order_by("-number")),
        "upcoming": _first_left(attempt),
        "trained": None
        if attempt.passed or attempt.ended_at is None
        else trained_last(member, batch.protocol),
        "guideline": guideline_address(batch.project, batch.protocol),
    }
    return render(request, "annotator/training/result.html", context)


def _news(attempt: Attempt) -> AttemptNews:
    states = states_of(attempt) if attempt.ended_at is None else None
    if states is None:
        images = attempt.result["images"]
        return AttemptNews(attempt, images, images, 0, waits_until(attempt))
    return AttemptNews(
        attempt,
        states[Assignment.Status.DONE],
        states.total(),
        states[Assignment.Status.SKIPPED],
        None,
    )


def _results(made: Iterable[Attempt]) -> list[tuple[Attempt, object]]:
    return [(attempt, shown_result(attempt)) for attempt in made]


def _first_left(attempt: Attempt) -> Assignment | None:
    """Return the first image that is neither submitted nor skipped, else the first skipped one."""
    if attempt.ended_at is not None or attempt.qualification.batch.status != Batch.Status.OPEN:
        return None
    left = assignments_of(attempt).exclude(status=Assignment.Status.DONE)
    # "open" comes before "skipped".
    return left.order_by("status", "position").first()
