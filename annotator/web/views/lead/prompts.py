"""The prompts of a project and their groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
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
    prompts_of,
    prompts_without_group,
    set_groups,
)
from annotator.web.views.pages import SignedIn, form_page, incomplete_form, key_of_form, page_of

ROWS: Final = 50
OWN: Final = "own"
"""The choice with a text input for another group."""


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
    if changed:
        messages.success(request, f"Prompt groups saved: {len(changed)}.", "saved")
    else:
        messages.info(request, "No changes.", "unchanged")
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


def _page(
    request: SignedIn,
    project: Project,
    typed: dict[str, tuple[str, str]] | None = None,
    refused: GroupsRefused | None = None,
) -> HttpResponse:
    page = page_of(request, prompts_of(project), ROWS)
    rows = [_row(row, typed or {}, refused) for row in page]
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
    row: dict[str, Any], typed: dict[str, tuple[str, str]], refused: GroupsRefused | None
) -> dict[str, Any]:
    """Return a prompt with the `choice` and the text of its `own` group: as typed, or as stored."""
    prompt, group = row["prompt"], row["first_group"]
    error = str(refused) if refused and refused.prompt == prompt else ""
    if prompt in typed:
        choice, own = typed[prompt]
    elif group != row["last_group"]:
        choice, own = "mixed", ""
    else:
        choice, own = (group, "") if group in {*USUAL, ""} else (OWN, group)
    return {**row, "choice": choice, "own": own, "error": error}
