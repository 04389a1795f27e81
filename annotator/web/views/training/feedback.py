"""For annotators: the reference next to their own annotation, after each training image."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.models import Annotation, Assignment, Batch
from annotator.people.access import assignment_for
from annotator.training.feedback import feedback_on, progress_by_annotator
from annotator.training.references import reference_of
from annotator.training.training_batches import repeat_training
from annotator.web.views.guidelines.reading import guideline_address
from annotator.web.views.pages import SignedIn, form_page
from annotator.web.views.training.results import result_address
from scoring.comparison import pooled


def feedback_address(assignment: Assignment) -> str:
    """Return the address of what follows a submission in place of the next image; empty for nothing.

    That is the feedback on a training image, or the result of a qualification that has ended with it.
    """
    if assignment.purpose == Assignment.Purpose.TRAINING and reference_of(
        assignment.image, assignment.batch.protocol
    ):
        return reverse("training_feedback", args=[assignment.pk])
    return result_address(assignment)


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
