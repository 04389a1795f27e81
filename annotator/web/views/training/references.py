"""For leads: the references of a project, and training batches with them."""

from __future__ import annotations

from collections.abc import Mapping
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

Cell = tuple[str, str, str, str]
"""Key, title, value and rationale."""

SHOWN = 12
USUAL_IMAGES = 12
PEOPLE_SHOWN = 200


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
    return redirect(f"{_address(project, chosen)}#reference-{made.pk}")


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
    named = {key: f"rationale.{key}" for key in titles_of(reference.protocol)}
    texts = {key: request.POST[name] for key, name in named.items() if name in request.POST}
    try:
        explain_reference(reference=reference, rationales=texts, actor=request.user)
    except ReferenceRefused as refused:
        return _page(request, project, chosen, only=reference.pk, refused=refused, typed=texts)
    messages.success(request, "Rationales saved.", "explained")
    return redirect(f"{_address(project, chosen)}#reference-{reference.pk}")


def _release(request: SignedIn, project: Project, chosen: ChosenProtocol) -> HttpResponse:
    sent, there, people = request.POST, _offered(project, chosen), annotators_of(project)
    try:
        batch = release_training(
            project=project,
            name=sent.get("name", ""),
            protocol=chosen.slug,
            # From few to many marked cells; among equals, as they were made.
            references=[
                reference.pk
                for reference in sorted(there, key=lambda one: len(marked_in(one.protocol, one.payload)))
                if str(reference.pk) in sent.getlist("reference")
            ],
            people=[person for person in people if str(person.pk) in sent.getlist("person")],
            actor=request.user,
        )
    except InvalidBatch as refused:
        return _page(request, project, chosen, training_refused=refused)
    messages.success(request, f"“{batch.name}” is in the annotators’ queues.", "training-released")
    return redirect("batch", batch.pk)


def _offered(project: Project, chosen: ChosenProtocol) -> list[Reference]:
    """Return the references that a training batch may have."""
    return list(active_references(project, chosen.slug)[: MOST_IMAGES * 4])


def annotators_of(project: Project) -> list[Membership]:
    """Return the annotators who can be trained, by code."""
    people = project.memberships.filter(is_active=True, role=Membership.Role.ANNOTATOR)
    return list(people.order_by("code")[:PEOPLE_SHOWN])


def _training(
    request: SignedIn, project: Project, chosen: ChosenProtocol, refused: InvalidBatch | None
) -> dict[str, Any]:
    """Return the form of a training batch: as proposed, or as it was sent and refused."""
    there, people = _offered(project, chosen), annotators_of(project)
    if refused:
        name = request.POST.get("name", "")
        picked, asked = request.POST.getlist("reference"), request.POST.getlist("person")
    else:
        name = f"Training {project.batches.count() + 1}"
        trained = set(trained_under(project, chosen.slug))
        picked = [str(reference.pk) for reference in there[:USUAL_IMAGES]]
        asked = [str(person.pk) for person in people if person.pk not in trained]
    return {
        "offered": [(reference, str(reference.pk) in picked) for reference in there],
        "people": [(person, str(person.pk) in asked) for person in people],
        "typed_name": name,
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
) -> HttpResponse:
    # The latest first, so that a new one is on the first page.
    rows = active_references(project, chosen.slug).select_related("made_by").order_by("-pk")
    shown = page_of(request, rows.filter(pk=only) if only else rows, SHOWN)
    context: dict[str, Any] = {
        "project": project,
        "section": "training",
        "chosen": chosen,
        "comparable": is_comparable(chosen.slug),
        "drawn": chosen.slug in TAUGHT,
        "page": shown,
        "references": [
            (reference, *_cells(reference, typed if reference.pk == only else None)) for reference in shown
        ],
        "only": only,
        "refused": refused,
        "longest": LONGEST_RATIONALE,
        **_training(request, project, chosen, training_refused),
    }
    status = 422 if refused or training_refused else 200
    return render(request, "annotator/training/references.html", context, status=status)


def _cells(reference: Reference, typed: Mapping[str, str] | None) -> tuple[list[Cell], list[Cell]]:
    """Return the cells that are marked or explained, and the others."""
    form = protocol_page(reference.protocol).adjudicating([], stored=reference.payload)
    texts, shown = reference.rationales if typed is None else typed, components_of(reference)
    cells = [
        (key, title, form.text_of(reference.payload, key).replace(",", ", "), texts.get(key, ""))
        for key, title in form.titles.items()
    ]
    return [cell for cell in cells if cell[0] in shown], [cell for cell in cells if cell[0] not in shown]
