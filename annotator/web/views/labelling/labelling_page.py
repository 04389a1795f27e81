"""What the labelling page shows in each of its states.

Never given to it: file name, other people's answers; prompt and generator only where the batch says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from annotator.annotations.editable import Bar
from annotator.annotations.saving import BatchClosed, Conflict, Deleted, Withdrawn
from annotator.models import Annotation, Assignment, User
from annotator.protocols.base import AnswerForm, Difference
from annotator.protocols.registry import page_of
from annotator.web.views.labelling.answer_state import state_of
from annotator.web.views.labelling.page_config import page_config
from annotator.web.views.labelling.submitted import just_submitted
from scoring.protocol import PayloadWarning
from scoring.service import get_protocol


@dataclass(frozen=True)
class Clash:
    """A change that was not made, in words: what is stored now and where it differs from what was typed."""

    current: Annotation
    differences: list[Difference]

    @property
    def submitted(self) -> bool:
        """Whether what is stored is submitted and must be reopened first."""
        return self.current.status == Annotation.Status.SUBMITTED


def stored_annotation(assignment: Assignment) -> Annotation | None:
    """Return the assignment's annotation; None where nobody has begun."""
    return getattr(assignment, "annotation", None)


def form_of(assignment: Assignment, data: Mapping[str, Any] | None = None) -> AnswerForm:
    """Return the protocol's form, filled from what is stored, or bound to what was typed."""
    annotation = stored_annotation(assignment)
    protocol = get_protocol(assignment.batch.protocol)
    form = page_of(protocol.slug).form(data, stored=annotation.payload if annotation else protocol.empty())
    form.warn(tuple(PayloadWarning(**warning) for warning in annotation.warnings) if annotation else ())
    return form


def fresh(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the page as it is stored."""
    form = form_of(assignment)
    return _page(request, assignment, form, stored_annotation(assignment))


def refused(
    request: HttpRequest,
    assignment: Assignment,
    form: AnswerForm,
    outcome: str,
    saved: Annotation | None = None,
) -> HttpResponse:
    """Show what was typed again, with the reasons; `saved` is what could be stored of it."""
    if wants_json(request):
        return JsonResponse({"errors": form.messages(), "short": form.short_reasons()}, status=422)
    annotation = saved or stored_annotation(assignment)
    return _page(request, assignment, form, annotation, status=422, outcome=outcome)


def saved_json(form: AnswerForm, saved: Annotation) -> JsonResponse:
    """Answer a script's save: the new version, and the cells that could not be read."""
    return JsonResponse(
        {
            "version": saved.version,
            "saved_at": saved.saved_at.isoformat(),
            "errors": form.messages(),
            "short": form.short_reasons(),
            "warnings": {warning["field"]: [warning["message"]] for warning in saved.warnings},
        }
    )


def conflict(request: HttpRequest, assignment: Assignment, form: AnswerForm, clash: Conflict) -> HttpResponse:
    """Show what is stored beside what was typed; nothing has been overwritten.

    Where nothing can be changed any more there is nothing to compare: the page says so.
    """
    if isinstance(clash, BatchClosed | Withdrawn | Deleted):
        return _barred(request, assignment, form, clash)
    differences = form.differences(form.payload(), clash.current.payload)
    shown = Clash(current=clash.current, differences=differences)
    if wants_json(request):
        context = {"conflict": shown, "assignment": assignment}
        html = render_to_string("annotator/labelling/conflict.html", context, request)
        return JsonResponse({"conflict": html, "version": clash.current.version}, status=409)
    # The version now named is the one the person is looking at: keeping theirs is a choice, not an accident.
    page = {"conflict": shown, "outcome": "Changed elsewhere"}
    return _page(request, assignment, form, clash.current, status=409, **page)


def _barred(request: HttpRequest, assignment: Assignment, form: AnswerForm, clash: Conflict) -> HttpResponse:
    """Say that nothing was stored; what was typed stays on the page, to be read and copied."""
    bar = {BatchClosed: Bar.CLOSED, Withdrawn: Bar.WITHDRAWN, Deleted: Bar.DELETED}[type(clash)]
    if wants_json(request):
        return JsonResponse({"error": bar}, status=409)
    stored = clash.current if clash.current.pk else None
    return _page(request, assignment, form, stored, status=409, outcome="Not saved", barred=bar)


def wants_json(request: HttpRequest) -> bool:
    """Tell a script's save from a browser's own."""
    return not request.accepts("text/html")


def _page(
    request: HttpRequest,
    assignment: Assignment,
    form: AnswerForm,
    annotation: Annotation | None,
    *,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    assert isinstance(request.user, User)  # signed in
    after = just_submitted(request, assignment.annotator)
    face = page_of(assignment.batch.protocol)
    # What could not be stored is in the form only: the script would not know of it, and leaves it alone.
    scripted = face.script and not more.get("outcome")
    config = page_config(request.user, assignment, after) if scripted else None
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
        "after": after,
        "closed": annotation is not None and annotation.status == Annotation.Status.SUBMITTED,
        "barred": state["barred"],
        **more,
    }
    return render(request, "annotator/label.html", context, status=status)
