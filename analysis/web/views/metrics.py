"""Outside metrics of a project: what is stored, and a file of more."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render

from analysis.models import ImageMetric
from analysis.reports.metrics import forget_metric
from annotator.models import Project, User
from annotator.people.access import project_as_lead
from annotator.web.views.pages import form_page
from annotator.web.views.protocol_choice import chosen_protocol


@form_page
def metrics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the metrics of a project, or remove one."""
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _page(request, project)
    if request.POST.get("action") != "remove":
        return HttpResponseBadRequest("Unknown action. Reload the page.", content_type="text/plain")
    if forget_metric(project, request.POST.get("metric", ""), actor=request.user):
        messages.success(request, "The metric is removed.", "removed")
    else:
        messages.info(request, "There is no such metric.", "no-metric")
    return redirect("report_metrics", project.slug)


def _page(request: HttpRequest, project: Project) -> HttpResponse:
    rows = ImageMetric.objects.filter(project=project).values("metric").annotate(images=Count("pk"))
    context = {
        "project": project,
        "is_lead": True,
        "chosen": chosen_protocol(request, project),
        "metrics": rows.order_by("metric"),
    }
    return render(request, "analysis/metrics/metrics.html", context)
