"""The context of the annotation page in each of its states.

It never contains the file name or other annotators' annotations, and prompt and generator only if the batch
shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from annotator.annotations.given import payload_now
from annotator.annotations.versioned_changes import Barred, Conflict, nothing_yet
from annotator.guidelines.reading import plain_texts
from annotator.models import Annotation, Assignment, User
from annotator.people.preferences import preferences_of
from annotator.projects.tags import tags_of
from annotator.protocols.base import AnnotationForm
from annotator.protocols.became import what_became
from annotator.protocols.registry import page_of
from annotator.web.views.guidelines.reading import guideline_address
from annotator.web.views.labelling.annotation_state import state_of
from annotator.web.views.labelling.undoable_submission import just_submitted
from annotator.web.views.pages import SignedIn
from scoring.payloads import FLAG_REASONS
from scoring.protocol import PayloadWarning
from scoring.service import get_protocol


def stored_annotation(assignment: Assignment) -> Annotation | None:
    """Return the assignment's annotation; None if not begun."""
    return getattr(assignment, "annotation", None)


def form_of(assignment: Assignment, data: Mapping[str, Any] | None = None) -> AnnotationForm:
    """Return the protocol's form, filled from the stored annotation or bound to inputs."""
    annotation = stored_annotation(assignment)
    protocol = get_protocol(assignment.batch.protocol)
    stored = payload_now(assignment, annotation or nothing_yet(assignment))
    form = page_of(protocol.slug).form(data, stored=stored)
    form.warn(tuple(PayloadWarning(**warning) for warning in annotation.warnings) if annotation else ())
    return form


def fresh(request: SignedIn, assignment: Assignment) -> HttpResponse:
    """Show the stored annotation."""
    form = form_of(assignment)
    return _page(request, assignment, form, stored_annotation(assignment))


def refused(
    request: SignedIn,
    assignment: Assignment,
    form: AnnotationForm,
    outcome: str,
    saved: Annotation | None = None,
) -> HttpResponse:
    """Show the inputs again with their errors or questions; `saved` is the partly saved annotation."""
    annotation = saved or stored_annotation(assignment)
    return _page(request, assignment, form, annotation, status=422, outcome=outcome)


def conflict(
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
            form, changed = form_of(assignment), False
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
