"""What a project contains, and its import problems, for its leads."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotator.annotations.correcting import is_correctable
from annotator.people.access import project_as_lead
from annotator.projects import overview
from annotator.web.views.paging import page_of

ROWS = 20


@require_safe
@login_required
def project_details(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a project's size, the progress of its members and batches, its images and its settings."""
    led = project_as_lead(request.user, slug)
    generators = overview.generators_of(led)
    names = [name for name, _ in generators]
    prompts = page_of(request, overview.prompts_of(led), ROWS, name="prompts")
    context = {
        "project": led,
        "section": "overview",
        "counts": overview.project_counts(led),
        "generators": generators,
        "prompts": prompts,
        "prompt_rows": overview.prompt_rows(led, list(prompts), names),
        "people": page_of(request, overview.people_of(led), ROWS, name="people"),
        "batches": page_of(request, overview.batches_of(led), ROWS, name="batches"),
        "problems": overview.annotations_with_problems(led).count(),
    }
    return render(request, "annotator/project_details.html", context)


@require_safe
@login_required
def project_problems(request: HttpRequest, slug: str) -> HttpResponse:
    """List the terms that the import could not read, with row and column."""
    led = project_as_lead(request.user, slug)
    annotations = page_of(request, overview.annotations_with_problems(led), ROWS)
    to_correct = {each.pk for each in annotations if is_correctable(each)}
    context = {"project": led, "section": "review", "annotations": annotations, "to_correct": to_correct}
    return render(request, "annotator/problems.html", context)
