"""The prompts of a project and their groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from annotator.models import Project
from annotator.people.access import project_as_lead
from annotator.projects.prompts import (
    USUAL,
    GroupsRefused,
    PromptGroup,
    prompt_group,
    prompts_of,
    prompts_without_group,
    set_groups,
)
from annotator.web.views.pages import SignedIn, form_page, incomplete_form, key_of_form, page_of

ROWS: Final = 50
OWN: Final = "own"
"""The choice with a text input for another group."""


@dataclass(frozen=True)
class PromptFormRow:
    """One prompt for display: `choice` is selected, `own` is the text of its input."""

    prompt: PromptGroup
    choice: str
    own: str
    error: str = ""


@form_page
def prompts(request: SignedIn, slug: str) -> HttpResponse:
    """Show each prompt with its images and group; save the groups of one page."""
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _page(request, project)
    key = key_of_form(request)
    if key is None:
        return incomplete_form()
    typed = dict(_typed(request))
    wanted = {prompt: own if choice == OWN else choice for prompt, (choice, own) in typed.items()}
    try:
        changed = set_groups(project=project, groups=wanted, actor=request.user, request_key=key)
    except GroupsRefused as refused:
        return _page(request, project, typed, refused)
    _say(request, len(changed))
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return redirect(f"{reverse('prompts', args=[slug])}{query}")


def _typed(request: SignedIn) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield prompt, choice and text of each row sent; a row without a choice is unchanged."""
    sent = request.POST
    for number, prompt in enumerate(sent.getlist("prompt")[:ROWS]):
        choice = sent.get(f"group-{number}")
        own = sent.get(f"own-{number}", "")
        if choice in {*USUAL, ""} or (choice == OWN and own.strip()):
            assert choice is not None
            yield prompt, (choice, own)


def _say(request: SignedIn, changed: int) -> None:
    if changed:
        messages.success(request, f"Prompt groups saved: {changed}.", "saved")
    else:
        messages.info(request, "No changes.", "unchanged")


def _page(
    request: SignedIn,
    project: Project,
    typed: dict[str, tuple[str, str]] | None = None,
    refused: GroupsRefused | None = None,
) -> HttpResponse:
    page = page_of(request, prompts_of(project), ROWS)
    rows = [_row(prompt_group(row), typed or {}, refused) for row in page]
    context = {
        "project": project,
        "section": "images",
        "page": page,
        "rows": rows,
        "usual": USUAL,
        "left": prompts_without_group(project),
        "batches": project.batches.exists(),
        "key": uuid4(),
    }
    return render(request, "annotator/images/prompts.html", context, status=422 if refused else 200)


def _row(
    prompt: PromptGroup, typed: dict[str, tuple[str, str]], refused: GroupsRefused | None
) -> PromptFormRow:
    if prompt.prompt in typed:
        choice, own = typed[prompt.prompt]
        error = str(refused) if refused and refused.prompt == prompt.prompt else ""
        return PromptFormRow(prompt, choice, own, error)
    if prompt.mixed:
        return PromptFormRow(prompt, "mixed", "")
    usual = prompt.group in {*USUAL, ""}
    return PromptFormRow(prompt, prompt.group if usual else OWN, "" if usual else prompt.group)
