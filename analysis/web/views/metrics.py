"""Outside metrics of a project: what is stored, and a file of more."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render

from analysis.models import ImageMetric
from analysis.reports.metrics import forget_metric, request_metrics
from annotator.models import Project, User
from annotator.people.access import project_as_lead
from annotator.web.forms.data_sets import ValuesFileForm
from annotator.web.views.exchange.uploaded_file import reading_of, status_of
from annotator.web.views.pages import form_page
from annotator.web.views.protocol_choice import chosen_protocol


@form_page
def metrics(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the metrics of a project; store a file of more, or remove one."""
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _page(request, project, ValuesFileForm())
    act = request.POST.get("action", "")
    if act == "remove":
        count = forget_metric(project, request.POST.get("metric", ""), actor=request.user)
        if count:
            messages.success(request, "The metric is removed.", "removed")
        else:
            messages.info(request, "There is no such metric.", "no-metric")
        return redirect("report_metrics", project.slug)
    if act != "store":
        return HttpResponseBadRequest("Unknown action. Reload the page.", content_type="text/plain")
    form = ValuesFileForm(request.POST, request.FILES)
    job = reading_of(form, partial(request_metrics, project=project, actor=request.user))
    return _page(request, project, form) if job is None else redirect("job", job.pk)


def _page(request: HttpRequest, project: Project, form: ValuesFileForm) -> HttpResponse:
    rows = ImageMetric.objects.filter(project=project).values("metric").annotate(images=Count("pk"))
    context = {
        "project": project,
        "is_lead": True,
        "chosen": chosen_protocol(request, project),
        "form": form,
        "metrics": rows.order_by("metric"),
        "key": uuid4(),
    }
    status = status_of(form) if form.is_bound else 200
    return render(request, "analysis/report/outside_metrics.html", context, status=status)
