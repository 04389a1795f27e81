"""The annotation page: one image, one form, saved as a draft or submitted.

It never contains the file name or other annotators' annotations, and prompt and generator only if the batch
shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import uuid4

from django.http import HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.annotations.given import payload_now
from annotator.annotations.locking import Bar, bar_shown
from annotator.annotations.queue import next_assignment, next_of_attempt
from annotator.annotations.saving import save_draft, submit_annotation
from annotator.annotations.skipping import resume_or_reopen
from annotator.annotations.versioned_changes import AlreadySubmitted, Barred, Conflict, nothing_yet
from annotator.guidelines.reading import plain_texts
from annotator.models import Annotation, Assignment, User
from annotator.people.access import assignment_for
from annotator.people.preferences import preferences_of
from annotator.projects.tags import tags_of
from annotator.protocols.base import AnnotationForm
from annotator.protocols.became import what_became
from annotator.protocols.registry import page_of
from annotator.web.views.guidelines.reading import guideline_address
from annotator.web.views.labelling.annotation_state import state_of
from annotator.web.views.labelling.undoable_submission import PARAMETER, just_submitted
from annotator.web.views.lead.deleting import project_being_deleted
from annotator.web.views.pages import SignedIn, form_page
from annotator.web.views.training.feedback import feedback_address
from scoring.payloads import FLAG_REASONS
from scoring.protocol import InvalidPayload, PayloadWarning
from scoring.service import get_protocol


@form_page
def label(request: SignedIn, pk: int) -> HttpResponse:
    """Show one of the user's assignments, or carry out its form's action."""
    assignment = assignment_for(request.user, pk)
    if request.method != "POST":
        if bar_shown(assignment, None) == Bar.DELETED:
            return project_being_deleted(request, assignment.annotator)
        return _page(request, assignment, _form_of(assignment), _stored(assignment))
    act = ACTS.get(request.POST.get("action", ""))
    if act is None:
        return HttpResponseBadRequest("The form names no action.", content_type="text/plain")
    form = _form_of(assignment, request.POST)
    form.full_clean()
    if not {"version", "request_key"} <= set(form.cleaned_data):
        return HttpResponseBadRequest("The form names no version.", content_type="text/plain")
    return act(request, assignment, form)


def _save(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> HttpResponse:
    """Save the valid inputs, to clear with "no errors" instead of the marks; else show invalid ones again."""
    clears = request.POST["action"] == "clear"
    payload = form.without_marks() if clears else form.payload()
    try:
        saved = save_draft(payload=payload, **_act(request, assignment, form))
    except InvalidPayload as refused:
        form.refuse(refused.errors)
        return _refused(request, assignment, form, "Not saved")
    except Conflict as conflict:
        return _conflict(request, assignment, form, conflict)
    if form.errors and not clears:
        return _refused(request, assignment, form, "Saved, except for the marked cells", saved)
    return redirect("label", assignment.pk)


def _submit(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> HttpResponse:
    """Submit and continue with the next image, unless there is something to ask first.

    The action `confirm` answers the questions that the form names; numbers changed since are asked about.
    """
    if form.errors:
        return _refused(request, assignment, form, "Not submitted")
    try:
        answer = get_protocol(assignment.batch.protocol).clean(form.payload())
        questions = form.questions_about(answer.warnings)
        answered = request.POST.getlist("asked") if request.POST.get("action") == "confirm" else []
        form.questions = [question for question in questions if question.name not in answered]
        if form.questions:
            return _refused(request, assignment, form, "Not submitted yet")
        stored = _stored(assignment)
        confirmed = sorted({question.field for question in questions})
        capture = {**(stored.capture if stored else {}), "confirmed": confirmed} if confirmed else None
        submit_annotation(payload=form.payload(), capture=capture, **_act(request, assignment, form))
    except InvalidPayload as refused:
        form.refuse(refused.errors)
        return _refused(request, assignment, form, "Not submitted")
    except Conflict as conflict:
        # Another tab may have submitted the same annotation.
        differs = form.differences(form.payload(), conflict.current.payload)
        if differs or not isinstance(conflict, AlreadySubmitted):
            return _conflict(request, assignment, form, conflict)
    if feedback := feedback_address(assignment):
        return redirect(feedback)
    return redirect(f"{_next_address(assignment)}?{PARAMETER}={assignment.pk}")


def _reopen(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> HttpResponse:
    """Reopen the submitted annotation or resume the skipped image, and show it again."""
    try:
        resume_or_reopen(reason=request.POST.get("reason", ""), **_act(request, assignment, form))
    except InvalidPayload:
        return _refused(request, assignment, form, "Not reopened: the reason is too long")
    except Conflict as conflict:
        if conflict.current.status == Annotation.Status.SUBMITTED:
            return _conflict(request, assignment, form, conflict)
    return redirect("label", assignment.pk)


ACTS: Final[Mapping[str, Callable[[SignedIn, Assignment, AnnotationForm], HttpResponse]]] = {
    "draft": _save,
    "submit": _submit,
    "confirm": _submit,
    "clear": _save,
    "reopen": _reopen,
}


def _act(request: SignedIn, assignment: Assignment, form: AnnotationForm) -> dict[str, Any]:
    version, key = form.cleaned_data["version"], form.cleaned_data["request_key"]
    return {"assignment": assignment, "actor": request.user, "replaces": version, "request_key": key}


def _next_address(assignment: Assignment) -> str:
    upcoming = next_of_attempt(assignment) or next_assignment(assignment.annotator)
    if upcoming is None:
        return reverse("queue", args=[assignment.batch.project.slug])
    return reverse("label", args=[upcoming.pk])


def _stored(assignment: Assignment) -> Annotation | None:
    """Return the assignment's annotation; None if not begun."""
    return getattr(assignment, "annotation", None)


def _form_of(assignment: Assignment, data: Mapping[str, Any] | None = None) -> AnnotationForm:
    """Return the protocol's form, filled from the stored annotation or bound to inputs."""
    annotation = _stored(assignment)
    protocol = get_protocol(assignment.batch.protocol)
    stored = payload_now(assignment, annotation or nothing_yet(assignment))
    form = page_of(protocol.slug).form(data, stored=stored)
    form.warn(tuple(PayloadWarning(**warning) for warning in annotation.warnings) if annotation else ())
    return form


def _refused(
    request: SignedIn,
    assignment: Assignment,
    form: AnnotationForm,
    outcome: str,
    saved: Annotation | None = None,
) -> HttpResponse:
    """Show the inputs again with their errors or questions; `saved` is the partly saved annotation."""
    annotation = saved or _stored(assignment)
    return _page(request, assignment, form, annotation, status=422, outcome=outcome)


def _conflict(
    request: SignedIn, assignment: Assignment, form: AnnotationForm, clash: Conflict
) -> HttpResponse:
    """Show the stored annotation next to the inputs; nothing has been overwritten.

    If the annotation is locked, show only that, with the inputs for copying.
    """
    if isinstance(clash, Barred):
        stored = clash.current if clash.current.pk else None
        changed = bool(form.differences(form.payload(), clash.current.payload))
        if request.POST.get("action") == "reopen":
            # This form holds no inputs.
            form, changed = _form_of(assignment), False
        more: dict[str, Any] = {"outcome": "Not saved", "barred": clash.code, "changed": changed}
        return _page(request, assignment, form, stored, status=409, **more)
    more = {
        "conflict": clash,
        "differences": form.differences(form.payload(), clash.current.payload),
        "submitted_elsewhere": clash.current.status == Annotation.Status.SUBMITTED,
        "outcome": "Changed elsewhere",
    }
    # The form now names the stored version, so that keeping one's own is a deliberate choice.
    return _page(request, assignment, form, clash.current, status=409, **more)


def _page(
    request: SignedIn,
    assignment: Assignment,
    form: AnnotationForm,
    annotation: Annotation | None,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    after = just_submitted(request, assignment.annotator)
    face = page_of(assignment.batch.protocol)
    form.arrange(assignment.annotator_id)
    form.define(plain_texts(assignment.batch.project, assignment.batch.protocol))
    became = what_became(assignment, annotation)
    # Unsaved inputs are only in the form, and what became of it only on the page: do not load the script.
    scripted = face.script and not more.get("outcome") and became is None
    config = _config(request.user, assignment, after) if scripted else None
    state = state_of(assignment, request.user)
    context = {
        "assignment": assignment,
        "project": assignment.batch.project,
        "form": form,
        "face": face,
        "annotation": annotation,
        "version": annotation.version if annotation else 0,
        "request_key": uuid4(),
        "state": state,
        "config": config,
        "became": became,
        "guide_url": guideline_address(assignment.batch.project, assignment.batch.protocol),
        "after": after,
        "closed": annotation is not None and annotation.status == Annotation.Status.SUBMITTED,
        "barred": state["barred"],
        **more,
    }
    return render(request, "annotator/labelling/labelling_page.html", context, status=status)


def _config(user: User, assignment: Assignment, after: dict[str, Any] | None) -> dict[str, Any]:
    """Return for the script the user, their settings, the protocol's configuration and addresses.

    `after` is the submission or skip that can be undone, if any.
    """
    project = assignment.batch.project
    return {
        "user": user.pk,
        "username": user.get_username(),
        "preferences": preferences_of(user),
        "protocol": assignment.batch.protocol,
        "flag_reasons": [{"code": code, "title": title} for code, title in FLAG_REASONS.items()],
        "tags": [{"number": number, "title": name} for number, name in tags_of(project).items()],
        **page_of(assignment.batch.protocol).config(project),
        "urls": {
            "label": reverse("label", args=[0]),
            "queue": reverse("queue", args=[project.slug]),
            "login": reverse("login"),
            "preferences": reverse("preferences"),
            "guide": guideline_address(project, assignment.batch.protocol),
        },
        "after": after
        and {
            "id": after["pk"],
            "number": after["place"],
            "version": after["version"],
            "skipped": after["outcome"] == "skipped",
        },
    }
