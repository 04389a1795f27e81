"""Create a batch: a form, a preview of the plan, and its release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBadRequest, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.html import format_html

from annotator.batches.assignments import InvalidBatch
from annotator.batches.planning import InvalidDesign
from annotator.batches.planning.design import ENOUGH_SHARED
from annotator.batches.previews import preview_of
from annotator.batches.releases import NotAsPreviewed, release_requested
from annotator.batches.requests import BatchRequest
from annotator.models import Plan, Project
from annotator.people.access import LARGEST_KEY, project_as_lead
from annotator.people.codes import waits
from annotator.projects.checklist import several
from annotator.protocols.rating_form.stored import uses_of
from annotator.protocols.registry import page_of
from annotator.web.forms.batches import BatchForm
from annotator.web.forms.second_stage import SecondStageForm
from annotator.web.views.lead.plan_words import balance_table, settings_in_words
from annotator.web.views.pages import SignedIn, form_page, key_of_form, safe_page
from scoring.service import get_protocol

_OF_THE_PREVIEW: Final = frozenset(("csrfmiddlewaretoken", "action", "digest", "basis", "request_key"))
"""Fields that a page adds to those of the batch."""


@form_page
def batch_new(request: SignedIn, slug: str) -> HttpResponse:
    """Show the form, preview the plan, or release it; only the release stores anything.

    With `follows`, the id of a batch, the new batch draws its images from that batch. With `protocol`, the
    form proposes a batch under it.
    """
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        form, asked = _form(project, request.GET), request.GET.get("protocol", "")
        if asked in form.offered:
            form.choose_protocol(asked)
            form.choose_people(request.GET.getlist("annotators"))
        if not form.offered and request.GET.get("follows"):
            messages.info(
                request, "A second stage needs another protocol. Tick it here.", "no-other-protocol"
            )
            return redirect("project_details", project.slug)
        if not form.offered:
            messages.info(request, "Write your questions first. A batch asks one form.", "no-form-yet")
            return redirect("rating_forms", project.slug)
        return _form_page(request, form)
    act = request.POST.get("action", "")
    done = _released_before(project, key_of_form(request)) if act == "confirm" else None
    if done is not None:
        return done
    form = _form(project, request.POST, request.POST)
    valid = form.is_valid()
    if act in {"count", "edit"}:
        return _form_page(request, form)
    if act not in {"preview", "confirm"}:
        return HttpResponseBadRequest("Unknown action. Reload the page.", content_type="text/plain")
    if not valid:
        return _form_page(request, form, status=422)
    return _go_on(request, form, act)


@safe_page
def batch_images(request: SignedIn, slug: str) -> HttpResponse:
    """Show the number of images that match the filters."""
    project = project_as_lead(request.user, slug)
    form = BatchForm(project, request.GET)
    form.is_valid()
    context = {"project": project, "count": form.count(), "out": form.left_out()}
    return render(request, "annotator/batches/batch_count.html", context)


def _go_on(request: SignedIn, form: BatchForm, act: str) -> HttpResponse:
    """Preview the batch of a valid form, or release it."""
    project, wanted = form.project, form.batch_request()
    try:
        if act == "confirm":
            return _release(request, project, wanted)
        return _preview_page(request, project, wanted, preview_of(project, wanted))
    except NotAsPreviewed as changed:
        messages.warning(request, f"{changed} Nothing was stored. This is the current plan.", "changed")
        return _preview_page(request, project, wanted, preview_of(project, wanted), status=409)
    except InvalidDesign as refused:
        form.refuse(refused.errors)
    except InvalidBatch as invalid:
        form.add_error(None, str(invalid))
    return _form_page(request, form, status=422)


def _release(request: SignedIn, project: Project, wanted: BatchRequest) -> HttpResponse:
    key = key_of_form(request)
    if key is None:
        raise NotAsPreviewed("Preview the plan before you release it.")
    batch = release_requested(
        project=project,
        request=wanted,
        digest=request.POST.get("digest", ""),
        basis=request.POST.get("basis"),
        request_key=key,
        actor=request.user,
    )
    absent = project.memberships.filter(waits(), pk__in=wanted.people).count()
    told = format_html(
        "“{}” was released to the annotators’ queues. {}Next: <a href='{}'>follow their progress</a>.",
        batch.name,
        f"{several(absent, 'annotator')} still {'has' if absent == 1 else 'have'} to accept the invitation. "
        if absent
        else "",
        reverse("batch_progress", args=[batch.pk]),
    )
    messages.success(request, told, extra_tags="released")
    return redirect("batch", batch.pk)


def _released_before(project: Project, key: UUID | None) -> HttpResponse | None:
    """Redirect a repeated confirmation to the result of the first one."""
    plan = Plan.objects.filter(request_key=key, batch__project=project).first() if key else None
    return None if plan is None else redirect("batch", plan.batch_id)


def _form(project: Project, asked: QueryDict, data: QueryDict | None = None) -> BatchForm:
    """Return the form of a batch, or of one that follows another; raises Http404 if that one is missing."""
    named = asked.get("follows", "")
    if not named:
        form, link = BatchForm(project, data), asked.get("recruitment", "")
        if data is None and link:
            form.choose_people([str(each.pk) for each in form.members if str(each.recruitment_id) == link])
        return form
    if not (named.isascii() and named.isdigit() and int(named) <= LARGEST_KEY):
        raise Http404("No such batch.")
    return SecondStageForm(project, get_object_or_404(project.batches, pk=int(named)), data)


def _form_page(request: SignedIn, form: BatchForm, *, status: int = 200) -> HttpResponse:
    context = {
        "project": form.project,
        "section": "batches",
        "form": form,
        "enough": ENOUGH_SHARED,
        "count": form.count(),
        "out": form.left_out(),
    }
    return render(request, "annotator/batches/batch_new.html", context, status=status)


def _preview_page(
    request: SignedIn,
    project: Project,
    wanted: BatchRequest,
    facts: Mapping[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    page, protocol = page_of(wanted.protocol), get_protocol(wanted.protocol)
    absent = project.memberships.filter(waits(), pk__in=wanted.people).order_by("code")
    context = {
        "project": project,
        "section": "batches",
        "order": wanted,
        "facts": facts,
        "enough": ENOUGH_SHARED,
        "again_else": facts["again"] - facts["again_soon"],
        "absent": list(absent.values_list("code", flat=True)),
        "table": balance_table(facts["balance"]),
        "protocol": protocol,
        "blurred": page.faces_blurred,
        "asked": page.form(stored={}) if protocol.form and protocol.slug not in uses_of(project) else None,
        "unpublished": bool(page.guide and page.guide.blocks)
        and wanted.protocol not in project.guideline_versions,
        "set": settings_in_words(wanted.protocol, wanted, wanted.own_settings),
        "sent": _sent_by(request),
        "request_key": uuid4(),
    }
    if wanted.draw:
        context["followed"] = project.batches.filter(pk=wanted.draw.batch).first()
    return render(request, "annotator/batches/batch_preview.html", context, status=status)


def _sent_by(request: SignedIn) -> list[tuple[str, str]]:
    """Return the batch that a form sends as its fields, for a page that passes it on."""
    return [
        (name, value)
        for name, values in request.POST.lists()
        if name not in _OF_THE_PREVIEW
        for value in values
    ]
