"""Adjudicate one image: the image, the differing cells and the adjudicated value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from analysis.reports.disagreements import Order, order_of
from annotator.annotations.adjudication import (
    AdjudicationConflict,
    AdjudicationRefused,
    AnnotationsChanged,
    adjudicate,
    adjudications_of,
    annotations_of,
    in_hidden_order,
    is_outdated,
    seen,
    withdraw_adjudication,
)
from annotator.exchange.formats.names import whole_number
from annotator.models import Adjudication, Annotation, Image, Project, User
from annotator.people.access import membership_seeing_numbers
from annotator.people.adjudicators import (
    RightToAdjudicate,
    images_to_adjudicate,
    judged_by,
    right_to_adjudicate,
)
from annotator.people.preferences import change_preferences, preferences_of
from annotator.protocols.adjudication_form import AdjudicationForm
from annotator.protocols.causes import CausesForm
from annotator.protocols.registry import adjudication_for
from annotator.templatetags.anatomark import headline
from annotator.web.views.pages import SignedIn, form_page, key_of_form
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol, chosen_protocol
from scoring.causes import CAUSES, WORDS
from scoring.protocol import InvalidPayload

WITHDRAW = "withdraw"
HIDE, SHOW = "hide-codes", "show-codes"
ALL_OF = "all-of-"
HIDDEN = "codes_hidden"
"""The field that says whether the submitted page hid the codes, which decides the letters."""


@dataclass(frozen=True)
class Case:
    """An image to adjudicate under a protocol; `hidden` shows letters in place of codes."""

    right: RightToAdjudicate
    image: Image
    chosen: ChosenProtocol
    hidden: bool = False

    @property
    def project(self) -> Project:
        """The project of the image."""
        return self.right.member.project

    def answers(self) -> list[Annotation]:
        """Return the current annotations to adjudicate, in the order of their letters."""
        annotations = annotations_of(self.image, self.chosen.slug)
        return in_hidden_order(self.image, annotations) if self.hidden else annotations

    def order(self, request: SignedIn) -> Order:
        """Return the order of the report that linked here, of images that this person may adjudicate."""
        among = images_to_adjudicate(self.right.member, self.chosen.slug)
        return order_of(self.project, _report(request), self.chosen.slug, among)

    def address(self, image: Image, report: int | None) -> str:
        """Return the URL for adjudicating another image under this protocol."""
        place = reverse("image_adjudicate", args=[self.project.slug, image.public_id])
        named = {PARAMETER: self.chosen.slug} if self.chosen.several else {}
        query = urlencode({**({"report": report} if report else {}), **named})
        return f"{place}?{query}" if query else place


@form_page
def image_adjudicate(request: SignedIn, slug: str, public_id: UUID) -> HttpResponse:
    """Show one image to adjudicate under a protocol; a POST stores, changes or withdraws its value.

    A POST can also fill in all values of one annotator, or hide or show the codes, and keeps what was
    entered. For leads, and for adjudicators of a batch with the image (see `annotator.people.adjudicators`).
    """
    member = membership_seeing_numbers(request.user, slug)
    project = member.project
    image = get_object_or_404(project.images, public_id=public_id)
    chosen = chosen_protocol(request, project)
    right = right_to_adjudicate(member, image, chosen.slug)
    if right is None:
        if not judged_by(member, image, chosen.slug):
            raise Http404("No such image to adjudicate.")
        messages.info(request, "You judged this image yourself, so someone else must decide.", "own-vote")
        return redirect("image_detail", slug, public_id)
    if not chosen.protocol.adjudicated:
        title = chosen.protocol.title
        messages.info(request, f"Images under “{title}” are not adjudicated: all ratings count.")
        return redirect("image_detail", slug, public_id)
    action = request.POST.get("action", "")
    if request.method != "POST" or action == WITHDRAW:
        hidden = right.codes_hidden or preferences_of(request.user)["hide_codes"]
        case = Case(right, image, chosen, hidden)
        return _withdraw(request, case) if action == WITHDRAW else _page(request, case)
    # As the submitted page was drawn: in another tab, the codes may have been shown or hidden since.
    case = Case(right, image, chosen, right.codes_hidden or bool(request.POST.get(HIDDEN)))
    if action in (HIDE, SHOW) and not right.codes_hidden:
        return _switch(request, case, hide=action == HIDE)
    if action.startswith(ALL_OF):
        form = _form(case, request.POST)
        return _page(request, case, data=form.all_of(action.removeprefix(ALL_OF), request.POST))
    return _adjudicate(request, case)


def _switch(request: SignedIn, case: Case, *, hide: bool) -> HttpResponse:
    """Hide or show the codes from now on, for this person."""
    change_preferences(user=request.user, changes={"hide_codes": hide})
    other = replace(case, hidden=hide)
    data = _form(case, request.POST).relettered(_form(other), request.POST)
    return _page(request, other, data=data)


def _form(case: Case, data: Mapping[str, Any] | None = None) -> AdjudicationForm:
    return adjudication_for(case.chosen.slug)(case.answers(), data=data)


def _adjudicate(request: SignedIn, case: Case) -> HttpResponse:
    form = _form(case, request.POST)
    payload = form.payload()
    causes = CausesForm(case.chosen.protocol, form, data=request.POST).choices()
    if form.errors:
        return _page(request, case, form, status=422)
    try:
        row = adjudicate(
            image=case.image,
            protocol=case.chosen.slug,
            actor=request.user,
            payload=payload,
            replaces=_number(request.POST, "version"),
            adjudicated_from=_seen(str(request.POST.get("seen", ""))),
            request_key=key_of_form(request) or uuid4(),
            note=form.note,
            codes_hidden=case.hidden,
            causes=causes,
        )
    except InvalidPayload as refused:
        form.refuse(refused.errors)
        return _page(request, case, form, status=422)
    except AdjudicationRefused as refusal:
        form.refuse({"": [str(refusal)]})
        return _page(request, case, form, status=409)
    except AdjudicationConflict as conflict:
        form.refuse({"": [_conflict_text(conflict, case)]})
        return _page(request, case, form, status=409)
    image = case.image
    named = image.prompt if image.number is None else f"{image.prompt} {image.number}"
    messages.success(request, f"Adjudicated: {named}, {image.generator}, {_shown(row)}.")
    return redirect(_onwards(request, case))


def _withdraw(request: SignedIn, case: Case) -> HttpResponse:
    try:
        withdraw_adjudication(
            image=case.image,
            protocol=case.chosen.slug,
            actor=request.user,
            replaces=_number(request.POST, "version"),
            request_key=key_of_form(request) or uuid4(),
        )
    except AdjudicationRefused as refusal:
        messages.warning(request, str(refusal), refusal.code)
    except AdjudicationConflict as conflict:
        messages.warning(request, _conflict_text(conflict, case), conflict.code)
    else:
        messages.success(request, "Adjudication withdrawn. The mean counts again.", "withdrawn")
    return redirect(case.address(case.image, _report(request)))


def _shown(row: Adjudication) -> str:
    return headline(row.score, row.protocol)


def _decider(row: Adjudication, case: Case) -> str:
    """Return who decided; their code may be among those that are hidden."""
    return "Somebody" if case.hidden else row.decided_by.code


def _conflict_text(conflict: AdjudicationConflict, case: Case) -> str:
    """Return what has changed in the meantime and what to do."""
    row = conflict.current
    if isinstance(conflict, AnnotationsChanged):
        return (
            "Not saved: an annotation of this image has changed since you opened the page. Your entries are "
            "kept beside the current annotations. Check them and adjudicate again."
        )
    if row is None:
        return "Nothing was changed: this image is not adjudicated."
    did = f"adjudicated it at {_shown(row)}" if row.is_adjudicated else "withdrew the adjudication"
    return (
        f"Not saved: {_decider(row, case)} {did} in the meantime ({row.decided_at:%d %B, %H:%M} UTC). "
        "Your entries are kept. Adjudicate again to replace that value, or leave the page to keep it."
    )


def _page(
    request: SignedIn,
    case: Case,
    refused: AdjudicationForm | None = None,
    status: int = 200,
    data: Mapping[str, Any] | None = None,
) -> HttpResponse:
    """Show the page with what was entered: `data`, or the form that was `refused`."""
    image, answers, stored = case.image, case.answers(), adjudications_of(case.image).get(case.chosen.slug)
    order = case.order(request)
    # Reload even after a refusal: annotations or the stored value may have changed since.
    form = adjudication_for(case.chosen.slug)(
        answers,
        stored=stored.payload if stored else None,
        data=data if refused is None else request.POST,
        errors=None if refused is None else refused.errors,
    )
    onwards = order.next_after(image)
    causes = CausesForm(
        case.chosen.protocol,
        form,
        stored=stored.causes if stored else None,
        data=data if refused is None else request.POST,
    )
    differing = causes.cells()
    context = {
        "project": case.project,
        "is_lead": case.right.is_lead,
        "codes_forced": case.right.codes_hidden,
        "chosen": case.chosen,
        "section": "review",
        "image": image,
        "form": form,
        "refused": refused is not None,
        "differing": differing,
        "cause_words": [
            (place, WORDS[slug]) for place, slug in enumerate(CAUSES, 1) if slug in causes.offered
        ],
        "changed": _changed(stored, answers),
        "agreeing": form.agreeing(),
        "faults": [*form.errors.get("", []), *form.errors.get("note", [])],
        "note": stored.note if stored and data is None and refused is None else form.note,
        "stored": stored,
        "decider": _decider(stored, case) if stored else "",
        "hidden": case.hidden,
        "single_keys": preferences_of(request.user)["single_keys"]
        if isinstance(request.user, User)
        else False,
        "outdated": stored is not None and stored.is_adjudicated and is_outdated(stored, answers),
        "possible": len(answers) > 1,
        "version": stored.version if stored else 0,
        "seen": ",".join(f"{pk}:{version}" for pk, version in seen(answers)),
        "request_key": uuid4(),
        "withdraw_key": uuid4(),
        "order": order,
        "place": order.place_of(image),
        "skip": case.address(onwards, order.report) if onwards else "",
        "address": case.address(image, order.report),
        "list": _list(case.project, order),
        "first_wrong": next((cell for cell, _ in differing if cell["errors"]), None),
    }
    return render(request, "analysis/adjudication/adjudicate.html", context, status=status)


def _changed(stored: Adjudication | None, answers: Iterable[Annotation]) -> set[int]:
    """Return the annotations that were added or changed since the adjudication."""
    if stored is None or not stored.is_adjudicated:
        return set()
    before = dict(stored.adjudicated_from)
    return {answer.pk for answer in answers if before.get(answer.pk) != answer.version}


def _onwards(request: SignedIn, case: Case) -> str:
    """Return the URL after an adjudication: the next image, or the list once all are done."""
    order = case.order(request)
    if order.place_of(case.image) is None and case.right.is_lead:
        return reverse("image_detail", args=[case.project.slug, case.image.public_id]) + case.chosen.query
    onwards = order.next_after(case.image)
    if onwards is not None:
        return case.address(onwards, order.report)
    if order.total:
        messages.info(request, f"All {order.total:,} images in the list are adjudicated.", "all-adjudicated")
    return _list(case.project, order) or reverse("disagreements", args=[case.project.slug])


def _list(project: Project, order: Order) -> str:
    return reverse("report_disagreements", args=[project.slug, order.report]) if order.report else ""


def _report(request: SignedIn) -> int | None:
    return whole_number(request.GET.get("report", ""))


def _number(data: Mapping[str, Any], name: str) -> int:
    """Return a version; −1, which matches none, if it cannot be read."""
    number = whole_number(str(data.get(name, "")))
    return -1 if number is None else number


def _seen(text: str) -> list[tuple[int, int]]:
    """Read `id:version` pairs; unreadable ones count as not seen."""
    pairs = [pair.partition(":") for pair in text.split(",")]
    read = [(whole_number(pk), whole_number(version)) for pk, _, version in pairs]
    return [(pk, version) for pk, version in read if pk is not None and version is not None]
