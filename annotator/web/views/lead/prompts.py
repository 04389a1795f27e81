"""The prompts of a project and their groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

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
from annotator.web.views.pages import SignedIn, form_page, page_of

ROWS: Final = 50


@form_page
def prompts(request: SignedIn, slug: str) -> HttpResponse:
    """Show each prompt with its images and group; save the groups of one page."""
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _page(request, project)
    typed = dict(_typed(request))
    try:
        changed = set_groups(project=project, groups=typed, actor=request.user)
    except GroupsRefused as refused:
        return _page(request, project, typed, refused)
    if changed:
        messages.success(request, f"Prompt groups saved: {len(changed)}.", "saved")
    else:
        messages.info(request, "No changes.", "unchanged")
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return redirect(f"{reverse('prompts', args=[slug])}{query}")


def _typed(request: SignedIn) -> Iterator[tuple[str, str]]:
    """Yield prompt and group of each row sent that is not as the page showed it."""
    for number, prompt in enumerate(request.POST.getlist("prompt")[:ROWS]):
        group, shown = (request.POST.get(f"{name}-{number}") for name in ("group", "shown"))
        if group is not None and group != shown:
            yield prompt, group


def _page(
    request: SignedIn,
    project: Project,
    typed: Mapping[str, str] = MappingProxyType({}),
    refused: GroupsRefused | None = None,
) -> HttpResponse:
    page = page_of(request, prompts_of(project), ROWS)
    rows = []
    for row in page:
        mixed, stored = row["first_group"] != row["last_group"], row["first_group"]
        shown = "" if mixed else stored
        error = str(refused) if refused and refused.prompt == row["prompt"] else ""
        group = typed.get(row["prompt"], shown)
        rows.append({**row, "mixed": mixed, "shown": shown, "group": group, "error": error})
    context = {
        "project": project,
        "section": "images",
        "page": page,
        "rows": rows,
        "usual": USUAL,
        "left": prompts_without_group(project),
        "batches": project.batches.exists(),
    }
    return render(request, "annotator/images/prompts.html", context, status=422 if refused else 200)
