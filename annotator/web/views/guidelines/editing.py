"""Edit the draft of a guideline, and publish it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from annotator.annotations.questions import decision_text, questions_of
from annotator.exchange.formats.names import whole_number
from annotator.guidelines.content import (
    LONGEST_DECISION,
    MOST_DECISIONS,
    MOST_EXAMPLES,
    Content,
    Decision,
    Example,
    GuidelineRefused,
    ours,
    tidy,
)
from annotator.guidelines.examples import (
    OFFERED,
    KnownValue,
    frozen,
    known_values,
    shown,
    values_of,
)
from annotator.guidelines.publishing import (
    DraftChanged,
    differences,
    draft_of,
    guide_of,
    in_force,
    next_number,
    publish,
    resolved,
    save_draft,
)
from annotator.models import Guideline, Project, User
from annotator.people.access import project_as_lead
from annotator.protocols.page import Guide
from annotator.web.views.guidelines.reading import chosen_guide, guideline_address
from annotator.web.views.pages import SignedIn, form_page, incomplete_form
from annotator.web.views.protocol_choice import ChosenProtocol


@form_page
def guideline_edit(request: SignedIn, slug: str) -> HttpResponse:
    """Edit the draft. `?question=` prefills a decision from a question and its answer, `?example=` an image
    by its public id."""
    project = project_as_lead(request.user, slug)
    chosen, _ = chosen_guide(request, project)
    if request.method == "POST":
        return _save(request, project, chosen)
    draft = draft_of(project, chosen.slug)
    content = _prefilled(request, project, chosen, Content.of(draft.content))
    return _page(request, project, chosen, draft, content)


@form_page
def guideline_publish(request: SignedIn, slug: str) -> HttpResponse:
    """Show what publishing would change, and publish."""
    project = project_as_lead(request.user, slug)
    chosen, _ = chosen_guide(request, project)
    if request.method != "POST":
        return _preview(request, project, chosen)
    revision = whole_number(request.POST.get("revision", ""))
    if revision is None:
        return incomplete_form()
    try:
        made = publish(
            project=project,
            protocol=chosen.slug,
            actor=request.user,
            major=request.POST.get("kind") == "major",
            summary=request.POST.get("summary", ""),
            replaces=revision,
        )
    except GuidelineRefused as refused:
        messages.error(request, str(refused), refused.code)
    except DraftChanged:
        told = "The draft has changed since you opened this page. Check what you publish."
        messages.error(request, told, "draft-changed")
    else:
        messages.success(request, _published(project, made.number), extra_tags="published")
        return HttpResponseRedirect(guideline_address(project, chosen.slug))
    return _preview(request, project, chosen, 422)


def _published(project: Project, number: str) -> str:
    """Return what was done, and the next step of the project."""
    if project.batches.exists():
        return f"Version {number} is published. New annotations follow it."
    return format_html(
        "Version {} is published. Next: <a href='{}'>plan a batch</a>.",
        number,
        reverse("batch_new", args=[project.slug]),
    )


def _save(request: SignedIn, project: Project, chosen: ChosenProtocol) -> HttpResponse:
    revision = whole_number(request.POST.get("revision", ""))
    if revision is None:
        return incomplete_form()
    typed = content_in(request.POST, guide_of(chosen.slug))
    content = _added(project, chosen, typed, request.POST.getlist("add"))
    about: dict[str, Any] = {"project": project, "protocol": chosen.slug, "actor": request.user}
    try:
        save_draft(**about, content=content, replaces=revision)
    except GuidelineRefused as refused:
        draft = draft_of(project, chosen.slug)
        # Keep comparing with what the page was loaded with.
        draft.revision = revision
        return _page(request, project, chosen, draft, content, status=422, refused=refused)
    except DraftChanged as changed:
        theirs = Content.of(changed.current.content)
        both = _with_lists_of(theirs, content)
        return _page(request, project, chosen, changed.current, both, theirs=theirs.texts, status=409)
    if request.POST.get("then") == "publish":
        return redirect(f"{reverse('guideline_publish', args=[project.slug])}{chosen.query}")
    messages.success(request, "Draft saved. Annotators see it once you publish it.", extra_tags="draft-saved")
    return redirect(f"{reverse('guideline_edit', args=[project.slug])}{chosen.query}")


def _with_lists_of(theirs: Content, mine: Content) -> Content:
    """Return my content with the decisions and examples of both, so that nothing is lost."""
    named = {example.image for example in mine.examples}
    others = (example for example in theirs.examples if example.image not in named)
    decisions = tuple(dict.fromkeys((*theirs.decisions, *mine.decisions)))
    return replace(mine, decisions=decisions, examples=(*others, *mine.examples))


def _prefilled(request: SignedIn, project: Project, chosen: ChosenProtocol, content: Content) -> Content:
    asked = request.GET.get("question", "")
    if asked.isdecimal() and (question := questions_of(project).filter(pk=int(asked[:18])).first()):
        made = Decision(decision_text(question).strip()[:LONGEST_DECISION])
        content = replace(content, decisions=(*content.decisions, made))
    return _added(project, chosen, content, [request.GET.get("example", "")])


def _added(project: Project, chosen: ChosenProtocol, content: Content, images: Sequence[str]) -> Content:
    """Return content with images as further examples of all cells with marks."""
    there = {example.image for example in content.examples}
    wanted = [Example(image, ()) for image in images if image not in there]
    rows = values_of(project, chosen.slug, wanted)
    new = []
    for example in wanted:
        if example.image in rows:
            every = _whole(example, rows[example.image], guide_of(chosen.slug))
            marked = tuple(dict.fromkeys(mark["component"] for mark in every.marks))
            new.append(Example(example.image, marked))
    return replace(content, examples=(*content.examples, *new))


def _page(
    request: SignedIn,
    project: Project,
    chosen: ChosenProtocol,
    draft: Guideline,
    content: Content,
    *,
    theirs: Mapping[str, str] | None = None,
    status: int = 200,
    refused: GuidelineRefused | None = None,
) -> HttpResponse:
    """Show the form with `content`; `theirs` are the texts that another lead has stored in the meantime."""
    texts, others = content.texts, theirs or {}
    rows = values_of(project, chosen.slug, content.examples)
    context: dict[str, Any] = {
        "project": project,
        "section": "guideline",
        "chosen": chosen,
        "draft": draft,
        "fields": [
            (block, text, other if tidy(other) != tidy(text) else "")
            for block in guide_of(chosen.slug).blocks
            for text, other in [(texts.get(block.key, ""), others.get(block.key, ""))]
        ],
        "decisions": [*content.decisions, Decision("")],
        "topics": guide_of(chosen.slug).topics,
        "examples": _rows(request.user, content, rows, guide_of(chosen.slug)),
        "offered": _offered(request.user, project, chosen, rows),
        "drawn": content.drawn,
        "clashed": theirs is not None,
        "refused": refused,
    }
    return render(request, "annotator/guideline/edit.html", context, status=status)


def _whole(example: Example, row: KnownValue, guide: Guide) -> Example:
    """Return an example with all marks of its image."""
    return frozen(replace(example, components=tuple(guide.components)), row, guide)


def _rows(user: User, content: Content, rows: Mapping[str, KnownValue], guide: Guide) -> list[dict[str, Any]]:
    """Return the examples of the form: image, and choice of cells."""
    entries = []
    for example in content.examples:
        row = rows.get(example.image)
        every = _whole(example, row, guide) if row else example
        offered = dict.fromkeys((*(mark["component"] for mark in every.marks), *example.components))
        entries.append(
            {
                "example": example,
                "shown": shown(frozen(example, row, guide), row, user) if row else None,
                "cells": [(key, guide.titles.get(key, key), key in example.components) for key in offered],
            }
        )
    return entries


def _offered(
    user: User, project: Project, chosen: ChosenProtocol, used: Mapping[str, KnownValue]
) -> list[Any]:
    """Return the latest images with marks that are no examples yet."""
    rows = known_values(project, chosen.slug).exclude(image__in=[row.image_id for row in used.values()])
    guide = guide_of(chosen.slug)
    every = [(_whole(Example(str(row.image.public_id), ()), row, guide), row) for row in rows[:OFFERED]]
    return [shown(example, row, user) for example, row in every if example.marks]


def _preview(request: SignedIn, project: Project, chosen: ChosenProtocol, status: int = 200) -> HttpResponse:
    """Show what publishing the draft would change."""
    draft, guide = draft_of(project, chosen.slug), guide_of(chosen.slug)
    current = in_force(project, chosen.slug)
    content, _ = resolved(project, chosen.slug, Content.of(draft.content))
    start = Content.of(current.content) if current else ours(guide)
    context = {
        "project": project,
        "section": "guideline",
        "chosen": chosen,
        "draft": draft,
        "current": current,
        "differences": differences(start, content, guide),
        "minor": ".".join(map(str, next_number(current, major=False))),
        "major": ".".join(map(str, next_number(current, major=True))),
    }
    return render(request, "annotator/guideline/publish.html", context, status=status)


def content_in(sent: QueryDict, guide: Guide) -> Content:
    """Return the content of the form, unchecked; new decisions are dated today."""
    return Content(
        {block.key: sent.get(f"text.{block.key}", "") for block in guide.blocks},
        tuple(_decisions(sent)),
        tuple(_examples(sent)),
        "drawn" in sent,
    )


def _decisions(sent: QueryDict) -> Iterable[Decision]:
    today = timezone.localdate().isoformat()
    for place in _places(sent, "decision", MOST_DECISIONS):
        text = sent.get(f"decision.{place}.text", "").replace("\r\n", "\n").strip()
        made_on = sent.get(f"decision.{place}.made_on", "")[:10]
        if text:
            yield Decision(text, sent.get(f"decision.{place}.about", ""), made_on or today)


def _examples(sent: QueryDict) -> Iterable[Example]:
    for place in _places(sent, "example", MOST_EXAMPLES):
        image = sent.get(f"example.{place}.image", "")
        if image and f"example.{place}.remove" not in sent:
            cells = tuple(sent.getlist(f"example.{place}.cells"))
            yield Example(image, cells, sent.get(f"example.{place}.caption", ""))


def _places(sent: Mapping[str, Any], name: str, most: int) -> list[int]:
    """Return the numbers of the form's rows; a few more than allowed, so that the limit is reported."""
    places = {key.split(".")[1] for key in sent if key.startswith(f"{name}.") and key.count(".") == 2}
    return sorted(int(place) for place in places if place.isascii() and place.isdigit() and len(place) < 6)[
        : 2 * most
    ]
