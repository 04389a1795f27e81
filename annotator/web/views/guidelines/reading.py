"""The guideline of a project as its members read it, and for the annotation page's script."""

from __future__ import annotations

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.guidelines.content import Content, GuidelineRefused, ours
from annotator.guidelines.examples import shown_to, version_numbered
from annotator.guidelines.publishing import (
    before,
    differences,
    draft_of,
    guide_of,
    in_force,
    versions_of,
)
from annotator.guidelines.reading import by_component, decisions_of, own_guide
from annotator.models import GuidelineVersion, Membership, Project, User
from annotator.models.work import DEFAULT_PROTOCOL
from annotator.people.access import assignment_for, membership_of
from annotator.projects.protocols import measured
from annotator.protocols.page import Guide, OwnGuide
from annotator.protocols.registry import PAGES
from annotator.protocols.registry import page_of as page_of_protocol
from annotator.web.views.first_day import mark_read
from annotator.web.views.json_endpoint import Facts, json_endpoint
from annotator.web.views.pages import SignedIn, page_of, safe_page
from annotator.web.views.protocol_choice import PARAMETER, ChosenProtocol, chosen_protocol

VERSION = "version"
VERSIONS_SHOWN = 10


def guideline_address(project: Project, protocol: str) -> str:
    """Return the address of a project's guideline for a protocol.

    It is ours if a project cannot edit it, and empty if the protocol has none.
    """
    guide = page_of_protocol(protocol).guide
    if guide is None:
        return ""
    page = reverse("guideline", args=[project.slug]) if guide.blocks else reverse("guide")
    return f"{page}?{urlencode({PARAMETER: protocol})}"


@safe_page
def guide(request: HttpRequest) -> HttpResponse:
    """Show the guideline of the protocol named in the address, by default anatomy, to signed-in users."""
    slug = request.GET.get(PARAMETER) or DEFAULT_PROTOCOL
    # A rating form is read in its project only.
    face = PAGES[slug] if slug in list(PAGES) else None
    if face is None or face.guide is None:
        raise Http404("No such guideline.")
    mark_read(request, slug)
    return render(request, face.guide.template, face.guide.context(OwnGuide()))


@safe_page
def guideline(request: SignedIn, slug: str) -> HttpResponse:
    """Show the version in force, or the one named by `?version=`; ours without any."""
    member = membership_of(request.user, slug)
    project = member.project
    if project.protocols == [] and not measured(project) and member.role == Membership.Role.LEAD:
        return redirect("rating_forms", project.slug)
    chosen, guide = chosen_guide(request, project)
    mark_read(request, chosen.slug)
    current = in_force(project, chosen.slug)
    version = _named(request, project, chosen, current)
    content = Content.of(version.content) if version else ours(guide)
    examples = content.examples
    if version != current and member.role == Membership.Role.ANNOTATOR:
        # Annotators may see the images of the version in force only.
        kept = {example.image for example in Content.of(current.content).examples} if current else set()
        examples = tuple(example for example in examples if example.image in kept)
    shown = shown_to(member, chosen.slug, examples, request.user)
    context = {
        **guide.context(own_guide(content, shown, guide)),
        "project": project,
        "membership": member,
        "chosen": chosen,
        "version": version,
        "outdated": version != current,
        "current": current,
        "decisions": decisions_of(content, guide),
        "versions": page_of(request, versions_of(project, chosen.slug), VERSIONS_SHOWN, name="versions"),
        "is_lead": member.role == Membership.Role.LEAD,
        "labels": member.role == Membership.Role.ANNOTATOR,
    }
    if version:  # what it changed in the one before it, or in our texts
        earlier = before(version)
        start = Content.of(earlier.content) if earlier else ours(guide)
        context |= {"earlier": earlier, "differences": differences(start, content, guide)}
    if context["is_lead"]:
        draft = draft_of(project, chosen.slug)
        context |= {
            "section": "guideline",
            "draft": draft,
            "unpublished": draft.revision and (current is None or draft.edited_at > current.published_at),
            "hidden": len(examples) - len(shown),
        }
    return render(request, guide.template, context)


@json_endpoint("GET", comes_back_to="label")
def guideline_cells(_request: HttpRequest, user: User, pk: int) -> Facts:
    """Return the guideline in force of an assignment's batch, by cell; nothing without one."""
    assignment = assignment_for(user, pk)
    member, protocol = assignment.annotator, assignment.batch.protocol
    try:
        guide = guide_of(protocol)
    except GuidelineRefused:
        return {}
    return by_component(member, protocol, guide, user) or {}


def chosen_guide(request: HttpRequest, project: Project) -> tuple[ChosenProtocol, Guide]:
    """Return the protocol of the page and its guide; raises Http404 if it has none.

    It may be one without batches: a guideline is published before the first batch under it.
    """
    chosen = chosen_protocol(request, project, also=PAGES)
    try:
        return chosen, guide_of(chosen.slug)
    except GuidelineRefused as refused:
        raise Http404(str(refused)) from refused


def _named(
    request: SignedIn, project: Project, chosen: ChosenProtocol, current: GuidelineVersion | None
) -> GuidelineVersion | None:
    number = request.GET.get(VERSION, "")
    if not number or (current is not None and number == current.number):
        return current
    named = version_numbered(project, chosen.slug, number)
    if named is None:
        raise Http404("No such version.")
    return named
