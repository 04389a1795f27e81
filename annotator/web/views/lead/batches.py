"""The batches of a project, and one batch: plan, settings and status."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Page
from django.db.models import Q
from django.forms.boundfield import BoundField
from django.http import HttpResponse, HttpResponseBadRequest, QueryDict
from django.shortcuts import redirect, render

from annotator.batches.assignments import change_batch_settings
from annotator.batches.closing import BatchOfNorming, close_batch, reopen_batch
from annotator.batches.progress import counts_of
from annotator.database.transactions import write_transaction
from annotator.inputs.plain_text import InvalidReason
from annotator.inputs.refusal import Refusal
from annotator.models import Assignment, Batch, Event, Membership, NormingSession, Plan
from annotator.models.counting import is_work
from annotator.people.access import batch_as_lead, project_as_lead
from annotator.people.adjudicators import RightRefused, choose_adjudicators
from annotator.people.standings import lacking
from annotator.projects.protocols import protocols_of
from annotator.protocols.page import COLUMNS, BatchSetting
from annotator.protocols.registry import page_of
from annotator.training.feedback import progress_by_annotator
from annotator.training.qualification_attempts import shown_rule
from annotator.training.qualification_batches import qualifications_among
from annotator.training.training_batches import training_among
from annotator.web.forms.batches import own_fields
from annotator.web.views.lead.history import rows_of
from annotator.web.views.lead.plan_words import settings_in_words, shared_in
from annotator.web.views.pages import SignedIn, post_page, safe_page
from annotator.web.views.pages import page_of as page_shown
from scoring.qualification_rules import ENOUGH_IMAGES
from scoring.service import get_protocol

BATCHES_SHOWN = 20
EVENTS_SHOWN = 20
PEOPLE_SUGGESTED = 50
_LISTED = ("batch_released", "people_changed", "batch_closed", "batch_reopened")


class BatchSettingsForm(forms.Form):
    """The settings of a batch."""

    show_prompt = forms.BooleanField(required=False)
    show_generator = forms.BooleanField(required=False)
    guided = forms.BooleanField(required=False)
    score_shown = forms.ChoiceField(choices=Batch.ScoreShown.choices, widget=forms.RadioSelect)
    codes_hidden = forms.BooleanField(required=False)

    def __init__(self, data: QueryDict | None, *, batch: Batch) -> None:
        """Offer only the settings of the batch's protocol."""
        stored = {name: getattr(batch, name) for name in self.base_fields}
        super().__init__(data, initial={**stored, **batch.settings})
        self.batch = batch
        self.face = page_of(batch.protocol)
        offered = {setting.name for setting in self.face.settings}
        hidden = {"show_prompt", "show_generator"} if self.face.blind else set()
        for name in (COLUMNS - offered) | hidden:
            del self.fields[name]
        self.own = own_fields([batch.protocol], after_release=True)
        self.fields |= self.own
        self._ask_for_adjudicators()

    def settings_offered(self) -> list[tuple[BoundField, BatchSetting]]:
        """Return the inputs of the protocol's settings."""
        return [(self[setting.name], setting) for setting in self.face.settings if not setting.is_fixed]

    def _ask_for_adjudicators(self) -> None:
        """Add the input of who adjudicates besides the leads; without reviewers, nothing is asked."""
        reviewers = Q(role=Membership.Role.REVIEWER, is_active=True)
        chosen = {member.pk for member in self.batch.adjudicators.all()}
        asked = self.batch.project.memberships.filter(reviewers | Q(pk__in=chosen))
        active = set(asked.filter(reviewers).values_list("pk", flat=True))
        choices = [
            (member.pk, member.code if member.pk in active else f"{member.code} (no longer a reviewer)")
            for member in asked
        ]
        if not choices:
            del self.fields["codes_hidden"]
            return
        self.fields["adjudicators"] = forms.TypedMultipleChoiceField(
            choices=choices,
            coerce=int,
            required=False,
            widget=forms.CheckboxSelectMultiple,
            initial=list(chosen),
        )

    def chosen_adjudicators(self) -> list[Membership]:
        """Return who adjudicates besides the leads, from a valid form."""
        chosen = self.cleaned_data.get("adjudicators", ())
        return list(self.batch.project.memberships.filter(pk__in=chosen).order_by("code"))

    def wanted(self) -> dict[str, Any]:
        """Return the arguments of `change_batch_settings` from a valid form."""
        apart = self.own.keys() | {"adjudicators"}
        said = {name: value for name, value in self.cleaned_data.items() if name not in apart}
        defaults = {setting.name: setting.default for setting in self.face.settings}
        own = {
            name: self.cleaned_data[name]
            for name in self.own
            if name in self.batch.settings or self.cleaned_data[name] != defaults[name]
        }
        return {**said, "own_settings": own}


class ImportedSettingsForm(BatchSettingsForm):
    """The settings of an imported batch, with what its annotators saw when they judged."""

    SEEN = [(each.value, each.label) for each in (Batch.Seen.UNKNOWN, Batch.Seen.SHOWN, Batch.Seen.HIDDEN)]
    prompt_seen = forms.ChoiceField(choices=SEEN)
    generator_seen = forms.ChoiceField(choices=SEEN)


@safe_page
def batches(request: SignedIn, slug: str) -> HttpResponse:
    """List a project's batches, newest first."""
    project = project_as_lead(request.user, slug)
    page = page_shown(request, project.batches.order_by("-pk"), BATCHES_SHOWN)
    counts = counts_of(list(page))
    rows = [(batch, counts[batch.pk], shared_in(batch, counts[batch.pk]["images"])) for batch in page]
    training, qualifying = training_among(page), qualifications_among(page)
    context = {
        "project": project,
        "section": "batches",
        "page": page,
        "rows": rows,
        "several_protocols": len(protocols_of(project)) > 1,
        "training": training,
        "qualifying": qualifying,
    }
    return render(request, "annotator/batches/batches.html", context)


@safe_page
def batch(request: SignedIn, pk: int) -> HttpResponse:
    """Show the plan and the progress of a batch."""
    return _page(request, batch_as_lead(request.user, pk))


@post_page
def batch_settings(request: SignedIn, pk: int) -> HttpResponse:
    """Change the settings of a batch."""
    batch = batch_as_lead(request.user, pk)
    form = _settings_form(batch, request.POST)
    if form.is_valid():
        try:
            with write_transaction():
                choose_adjudicators(batch=batch, chosen=form.chosen_adjudicators(), actor=request.user)
                change_batch_settings(batch=batch, actor=request.user, **form.wanted())
        except RightRefused as refused:
            form.add_error("adjudicators", forms.ValidationError(str(refused), refused.code))
        else:
            messages.success(request, f"Settings of “{batch.name}” saved.")
            return redirect("batch", batch.pk)
    return _page(request, batch, form=form, status=422)


def _settings_form(batch: Batch, sent: QueryDict | None = None) -> BatchSettingsForm:
    return (ImportedSettingsForm if batch.is_imported else BatchSettingsForm)(sent, batch=batch)


@post_page
def batch_status(request: SignedIn, pk: int) -> HttpResponse:
    """Close or reopen a batch."""
    batch = batch_as_lead(request.user, pk)
    act, reason = request.POST.get("action"), request.POST.get("reason", "")
    verb = {"close": close_batch, "reopen": reopen_batch}.get(act or "")
    if verb is None:
        return HttpResponseBadRequest("Unknown action. Reload the page.", content_type="text/plain")
    try:
        changed = verb(batch=batch, reason=reason, actor=request.user)
    except (InvalidReason, BatchOfNorming) as refused:
        return _page(request, batch, refused=refused, reason=reason, status=422)
    messages.success(request, f"“{changed.name}” is {changed.get_status_display().lower()}.")
    return redirect("batch", batch.pk)


def _page(
    request: SignedIn,
    batch: Batch,
    *,
    form: BatchSettingsForm | None = None,
    refused: Refusal | None = None,
    reason: str = "",
    status: int = 200,
) -> HttpResponse:
    events = Event.objects.filter(
        project=batch.project_id, assignment__isnull=True, verb__in=_LISTED, data__batch=batch.pk
    ).select_related("actor")
    history = page_shown(request, events.order_by("-pk"), EVENTS_SHOWN)
    history.object_list = rows_of(batch.project, list(history))
    counts = counts_of([batch])[batch.pk]
    context = {
        "project": batch.project,
        "section": "batches",
        "batch": batch,
        "protocol": get_protocol(batch.protocol),
        # A stage that decides its images is compared by its own report.
        "compares": batch.follows is not None and get_protocol(batch.follows.protocol).decide is None,
        "set": settings_in_words(batch.protocol, batch, batch.settings),
        "counts": counts,
        "shared": shared_in(batch, counts["images"]),
        "history": history,
        "release": batch.plans.filter(kind=Plan.Kind.RELEASE).defer("design", "annotators").first(),
        "training": _training(request, batch),
        "lacking": _lacking(batch),
        "norming": NormingSession.objects.filter(batch=batch).first(),
        "form": form or _settings_form(batch),
        "refused": refused,
        "reason": reason,
    }
    held = getattr(batch, "qualification", None)
    if held is not None:
        rule = shown_rule(batch.protocol, held.rule)
        context |= {"qualification": held, "rule": rule, "enough": ENOUGH_IMAGES}
    return render(request, "annotator/batches/batch.html", context, status=status)


def _lacking(batch: Batch) -> list[Membership]:
    """Return the annotators with open work who have lost the qualification that an open batch needs."""
    if not batch.needs_standing or batch.status != Batch.Status.OPEN:
        return []
    busy = Assignment.objects.filter(is_work(), batch=batch, status=Assignment.Status.OPEN)
    return lacking(
        batch.project, batch.protocol, busy.order_by().values_list("annotator", flat=True).distinct()
    )


def _training(request: SignedIn, batch: Batch) -> Page[Any] | None:
    """Return the annotators of a training batch with their progress; None for other batches."""
    if not training_among([batch]):
        return None
    people = batch.project.memberships.filter(
        assignments__batch=batch, assignments__purpose=Assignment.Purpose.TRAINING
    )
    page = page_shown(request, people.distinct().order_by("code"), PEOPLE_SUGGESTED, name="people")
    progress = progress_by_annotator(batch, [member.pk for member in page])
    page.object_list = [(member, progress[member.pk]) for member in page if member.pk in progress]
    return page
