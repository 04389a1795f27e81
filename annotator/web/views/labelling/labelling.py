"""The annotation page: one image, one form, saved as a draft or submitted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypedDict
from uuid import UUID

from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse

from annotator.annotations.locking import Bar, bar_shown
from annotator.annotations.queue import next_assignment, next_of_attempt
from annotator.annotations.reopening import reopen_annotation
from annotator.annotations.saving import (
    AlreadySubmitted,
    Conflict,
    InvalidPayload,
    save_draft,
    submit_annotation,
)
from annotator.annotations.skipping import resume_assignment, was_skipped
from annotator.models import Annotation, Assignment, User
from annotator.people.access import assignment_for
from annotator.protocols.base import AnnotationForm
from annotator.web.views.labelling import labelling_page as page
from annotator.web.views.labelling.undoable_submission import PARAMETER
from annotator.web.views.lead.deleting import being_deleted
from annotator.web.views.pages import SignedIn, form_page
from annotator.web.views.training.feedback import feedback_address
from scoring.service import get_protocol


class Act(TypedDict):
    """The arguments of every action."""

    assignment: Assignment
    actor: User
    replaces: int
    request_key: UUID


@form_page
def label(request: SignedIn, pk: int) -> HttpResponse:
    """Show one of the user's assignments, or carry out its form's action."""
    assignment = assignment_for(request.user, pk)
    if request.method != "POST":
        if bar_shown(assignment, None) == Bar.DELETED:
            return being_deleted(request, assignment)
        return page.fresh(request, assignment)
    act = ACTS.get(request.POST.get("action", ""))
    if act is None:
        return HttpResponseBadRequest("The form names no action.", content_type="text/plain")
    form = page.form_of(assignment, request.POST)
    form.full_clean()
    if not {"version", "request_key"} <= set(form.cleaned_data):
        return HttpResponseBadRequest("The form names no version.", content_type="text/plain")
    return act(request, assignment, form)


def _save(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> HttpResponse:
    """Save the valid inputs; show invalid ones again with their errors."""
    try:
        saved = save_draft(payload=form.payload(), **_act(request, assignment, form))
    except InvalidPayload as refused:
        form.refuse(refused.errors)
        return page.refused(request, assignment, form, "Not saved")
    except Conflict as conflict:
        return page.conflict(request, assignment, form, conflict)
    if page.wants_json(request):
        return page.saved_json(form, saved)
    if form.errors:
        return page.refused(request, assignment, form, "Saved, except for the marked cells", saved)
    return redirect("label", assignment.pk)


def _submit(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> HttpResponse:
    """Submit and continue with the next image, unless there is something to ask first.

    The action `confirm` answers the questions that the form names; numbers changed since are asked about.
    """
    if form.errors:
        return page.refused(request, assignment, form, "Not submitted")
    try:
        answer = get_protocol(assignment.batch.protocol).clean(form.payload())
        questions = form.questions_about(answer.warnings)
        answered = request.POST.getlist("asked") if request.POST.get("action") == "confirm" else []
        form.questions = [question for question in questions if question.name not in answered]
        # Requests by a script come from a page that has asked already.
        if form.questions and not page.wants_json(request):
            return page.asked(request, assignment, form)
        confirmed = sorted({question.field for question in questions})
        capture = _with_confirmed(page.stored_annotation(assignment), confirmed)
        submit_annotation(payload=form.payload(), capture=capture, **_act(request, assignment, form))
    except InvalidPayload as refused:
        form.refuse(refused.errors)
        return page.refused(request, assignment, form, "Not submitted")
    except Conflict as conflict:
        if not _said_already(form, conflict):
            return page.conflict(request, assignment, form, conflict)
    if feedback := feedback_address(assignment):
        return redirect(feedback)
    return redirect(f"{_next_address(assignment)}?{PARAMETER}={assignment.pk}")


def _with_confirmed(stored: Annotation | None, confirmed: list[str]) -> dict[str, Any] | None:
    """Return the stored capture with the cells confirmed now; None, which changes nothing, without any."""
    return {**(stored.capture if stored else {}), "confirmed": confirmed} if confirmed else None


def _clear(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> HttpResponse:
    """Save a draft with "no errors" instead of the marks."""
    try:
        save_draft(payload=form.without_marks(), **_act(request, assignment, form))
    except InvalidPayload as refused:
        form.refuse(refused.errors)
        return page.refused(request, assignment, form, "Not saved")
    except Conflict as conflict:
        return page.conflict(request, assignment, form, conflict)
    return redirect("label", assignment.pk)


def _reopen(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> HttpResponse:
    """Reopen the submitted annotation or resume the skipped image, and show it again."""
    act = _act(request, assignment, form)
    try:
        if was_skipped(assignment, act["request_key"]):
            resume_assignment(assignment=assignment, actor=act["actor"], request_key=act["request_key"])
        else:
            reopen_annotation(reason=request.POST.get("reason", ""), **act)
    except InvalidPayload:
        return page.refused(request, assignment, form, "Not reopened: the reason is too long")
    except Conflict as conflict:
        if conflict.current.status == Annotation.Status.SUBMITTED:
            return page.conflict(request, assignment, form, conflict)
    return redirect("label", assignment.pk)


ACTS: Final[Mapping[str, Callable[[SignedIn, Assignment, AnnotationForm], HttpResponse]]] = {
    "draft": _save,
    "submit": _submit,
    "confirm": _submit,
    "clear": _clear,
    "reopen": _reopen,
}


def _said_already(form: AnnotationForm, conflict: Conflict) -> bool:
    """Tell whether another tab has submitted the same annotation, so that there is no conflict."""
    same = not form.differences(form.payload(), conflict.current.payload)
    return isinstance(conflict, AlreadySubmitted) and same


def _act(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> Act:
    version, key = form.cleaned_data["version"], form.cleaned_data["request_key"]
    return {"assignment": assignment, "actor": request.user, "replaces": version, "request_key": key}


def _next_address(assignment: Assignment) -> str:
    upcoming = next_of_attempt(assignment) or next_assignment(assignment.annotator)
    if upcoming is None:
        return reverse("queue", args=[assignment.batch.project.slug])
    return reverse("label", args=[upcoming.pk])
