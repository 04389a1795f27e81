"""For leads: the references of a project, and training batches with them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from annotator.annotations.adjudication import adjudications_of
from annotator.batches.assignments import InvalidBatch
from annotator.demo.lessons import TAUGHT, train_with_drawings
from annotator.models import Membership, Project, Reference
from annotator.people.access import LARGEST_KEY, project_as_lead
from annotator.protocols.registry import page_of as protocol_page
from annotator.training.references import (
    LONGEST_RATIONALE,
    ReferenceRefused,
    active_references,
    add_reference,
    components_of,
    explain_reference,
    is_comparable,
    marked_in,
    retire_reference,
    titles_of,
)
from annotator.training.training_batches import FEW_IMAGES, MOST_IMAGES, release_training, trained_under
from annotator.web.views.pages import SignedIn, form_page, page_of, post_page
from annotator.web.views.protocol_choice import ChosenProtocol, chosen_protocol

SHOWN = 12
USUAL_IMAGES = 12
PEOPLE_SHOWN = 200
FEW_FIRST = "few"
ORDERS = {FEW_FIRST: "From few to many marked cells", "made": "As the references were made"}


@form_page
def references(request: SignedIn, slug: str) -> HttpResponse:
    """List the references in use with their rationales; by POST, release a training batch with some."""
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    return _release(request, project, chosen) if request.method == "POST" else _page(request, project, chosen)


@post_page
def reference_add(request: SignedIn, slug: str, public_id: UUID) -> HttpResponse:
    """Make the adjudicated value of an image its reference."""
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    image = get_object_or_404(project.images, public_id=public_id)
    row = adjudications_of(image).get(chosen.slug)
    if row is None or not row.is_adjudicated:
        messages.error(request, "This image is not adjudicated, so it cannot be a reference.", "no-value")
        return redirect("image_detail", project.slug, public_id)
    try:
        made = add_reference(
            image=image,
            protocol=chosen.slug,
            payload=row.payload,
            origin=Reference.Origin.ADJUDICATED,
            actor=request.user,
        )
    except ReferenceRefused as refused:
        messages.error(request, str(refused), refused.code)
        return redirect("image_detail", project.slug, public_id)
    messages.success(
        request, "This image is now a reference. Give the reasons, cell by cell.", "reference-added"
    )
    return redirect(f"{_address(project, chosen)}&only={made.pk}")


@post_page
def reference_change(request: SignedIn, slug: str, pk: int) -> HttpResponse:
    """Store the rationales of a reference, or retire it."""
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    if pk > LARGEST_KEY:
        raise Http404("No such reference.")
    reference = get_object_or_404(active_references(project, chosen.slug), pk=pk)
    if request.POST.get("action") == "retire":
        retire_reference(reference=reference, actor=request.user)
        messages.success(request, "Reference retired. Training no longer shows it.", "retired")
        return redirect(_address(project, chosen))
    named = {key: f"rationale.{key}" for key in components_of(reference)}
    texts = {key: request.POST[name] for key, name in named.items() if name in request.POST}
    if text := request.POST.get("more", "").strip():
        texts[request.POST.get("cell", "")] = text
    try:
        if "" in texts:
            raise ReferenceRefused("Choose the cell that the text explains.", "no-cell")
        explain_reference(reference=reference, rationales=texts, actor=request.user)
    except ReferenceRefused as refused:
        return _page(request, project, chosen, only=reference.pk, refused=refused, typed=texts, status=422)
    messages.success(request, "Rationales saved.", "explained")
    return redirect(f"{_address(project, chosen)}#reference-{reference.pk}")


def _release(request: SignedIn, project: Project, chosen: ChosenProtocol) -> HttpResponse:
    sent = request.POST
    there, people = _choices(project, chosen)
    try:
        batch = release_training(
            project=project,
            name=sent.get("name", ""),
            protocol=chosen.slug,
            references=_ordered(
                [reference for reference in there if str(reference.pk) in sent.getlist("reference")],
                sent.get("order", FEW_FIRST),
            ),
            people=[person for person in people if str(person.pk) in sent.getlist("person")],
            actor=request.user,
        )
    except InvalidBatch as refused:
        return _page(request, project, chosen, training_refused=refused, status=422)
    messages.success(request, f"“{batch.name}” is in the annotators’ queues.", "training-released")
    return redirect("batch", batch.pk)


def _choices(project: Project, chosen: ChosenProtocol) -> tuple[list[Reference], list[Membership]]:
    """Return the references and the annotators that a training batch may have."""
    people = project.memberships.filter(is_active=True, role=Membership.Role.ANNOTATOR)
    there = active_references(project, chosen.slug)[: MOST_IMAGES * 4]
    return list(there), list(people.order_by("code")[:PEOPLE_SHOWN])


def _training(
    request: SignedIn, project: Project, chosen: ChosenProtocol, refused: InvalidBatch | None
) -> dict[str, Any]:
    """Return the form of a training batch: as proposed, or as it was sent and refused."""
    there, people = _choices(project, chosen)
    if refused:
        name, order = request.POST.get("name", ""), request.POST.get("order", FEW_FIRST)
        picked, asked = request.POST.getlist("reference"), request.POST.getlist("person")
    else:
        name, order = f"Training {project.batches.count() + 1}", FEW_FIRST
        trained = set(trained_under(project, chosen.slug))
        picked = [str(reference.pk) for reference in there[:USUAL_IMAGES]]
        asked = [str(person.pk) for person in people if person.pk not in trained]
    return {
        "offered": [(reference, str(reference.pk) in picked) for reference in there],
        "people": [(person, str(person.pk) in asked) for person in people],
        "typed_name": name,
        "orders": [(value, title, value == order) for value, title in ORDERS.items()],
        "few": FEW_IMAGES,
        "most": MOST_IMAGES,
        "training_refused": refused,
    }


@post_page
def training_drawn(request: SignedIn, slug: str) -> HttpResponse:
    """Release the drawn training to everybody invited."""
    project = project_as_lead(request.user, slug)
    chosen = chosen_protocol(request, project)
    if chosen.slug not in TAUGHT:
        raise Http404("No drawings for this protocol.")
    try:
        batch = train_with_drawings(project, chosen.slug, request.user)
    except InvalidBatch as refused:
        messages.error(request, str(refused), refused.code or "refused")
        return redirect(_address(project, chosen))
    messages.success(request, f"“{batch.name}” is in the annotators’ queues.", "training-released")
    return redirect("batch", batch.pk)


def _ordered(references: list[Reference], order: str) -> list[int]:
    """Return the ids of references in the order in which a training batch teaches them."""
    if order == FEW_FIRST:
        # Among equals, as they were made.
        references = sorted(
            references, key=lambda reference: len(marked_in(reference.protocol, reference.payload))
        )
    return [reference.pk for reference in references]


def _address(project: Project, chosen: ChosenProtocol) -> str:
    return f"{reverse('references', args=[project.slug])}?protocol={chosen.slug}"


def _page(
    request: SignedIn,
    project: Project,
    chosen: ChosenProtocol,
    *,
    only: int | None = None,
    refused: ReferenceRefused | None = None,
    typed: dict[str, str] | None = None,
    training_refused: InvalidBatch | None = None,
    status: int = 200,
) -> HttpResponse:
    rows = active_references(project, chosen.slug).select_related("made_by")
    named = request.GET.get("only", "")
    if only is None and named.isascii() and named.isdigit() and len(named) < 19:
        only = int(named)
    shown = page_of(request, rows.filter(pk=only) if only else rows, SHOWN)
    context: dict[str, Any] = {
        "project": project,
        "section": "training",
        "chosen": chosen,
        "comparable": is_comparable(chosen.slug),
        "drawn": chosen.slug in TAUGHT,
        "page": shown,
        "references": [
            (reference, _cells(reference, texts), _others(reference, texts))
            for reference in shown
            for texts in [typed if reference.pk == only else None]
        ],
        "only": only,
        "refused": refused,
        "longest": LONGEST_RATIONALE,
        **_training(request, project, chosen, training_refused),
    }
    return render(request, "annotator/training/references.html", context, status=status)


def _cells(reference: Reference, typed: dict[str, str] | None) -> list[tuple[str, str, str, str]]:
    """Return key, title, value and rationale of each marked or explained cell."""
    form = protocol_page(reference.protocol).adjudicating([], stored=reference.payload)
    texts = reference.rationales if typed is None else typed
    return [
        (
            key,
            form.titles[key],
            form.text_of(reference.payload, key).replace(",", ", "),
            texts.get(key, ""),
        )
        for key in components_of(reference)
    ]


def _others(reference: Reference, typed: dict[str, str] | None) -> dict[str, Any]:
    """Return the cells that can be explained besides, with what was typed for one of them."""
    shown = components_of(reference)
    titles = {key: title for key, title in titles_of(reference.protocol).items() if key not in shown}
    cell, text = next(((key, text) for key, text in (typed or {}).items() if key not in shown), ("", ""))
    return {"titles": list(titles.items()), "cell": cell, "text": text}
