"""Uploads of a project: start one, list them, resume one."""

from __future__ import annotations

from typing import Final
from uuid import UUID, uuid4

from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.models import Upload, UploadedFile, User
from annotator.people.access import Visitor, project_as_lead, upload_as_lead
from annotator.uploads.receiving import UploadRefused, begin_upload, require_few_open
from annotator.web.views.json_endpoint import Facts, body_of, json_endpoint, key_in
from annotator.web.views.pages import page_of, safe_page
from annotator.web.views.uploads.upload_files import refused

ROWS: Final = 10
State = UploadedFile.State


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def uploads(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the drop zone and earlier uploads; start an upload for a script."""
    if request.method != "POST":
        return _uploads_page(request, slug)
    try:
        return _begin(request, slug)
    except UploadRefused as error:
        return refused(error)


def upload_of(user: Visitor, slug: str, public_id: UUID) -> Upload:
    """Return an upload of the project of this slug; raises Http404."""
    upload = upload_as_lead(user, public_id)
    if upload.project.slug != slug:
        raise Http404("This upload belongs to another project.")
    return upload


@json_endpoint("POST", comes_back_to="uploads")
def _begin(request: HttpRequest, user: User, slug: str) -> Facts:
    project = project_as_lead(user, slug)
    key = key_in(body_of(request, ["request_key"]))
    require_few_open(user)
    upload = begin_upload(project=project, actor=user, request_key=key)
    return {
        "page": reverse("upload", args=[slug, upload.public_id]),
        "files": reverse("upload_files", args=[upload.public_id]),
        "known": reverse("upload_known", args=[upload.public_id]),
    }


@safe_page
def _uploads_page(request: HttpRequest, slug: str) -> HttpResponse:
    project = project_as_lead(request.user, slug)
    kept = project.uploads.exclude(status=Upload.Status.DISCARDED)
    page = page_of(request, kept.select_related("made_by").order_by("-pk"), ROWS)
    # An archive counts as its entries.
    rows = UploadedFile.objects.filter(upload__in=list(page)).exclude(state=State.ARCHIVE).order_by()
    counts = dict(rows.values_list("upload").annotate(count=Count("pk")))
    context = {
        "project": project,
        "section": "images",
        "page": page,
        "rows": [(upload, counts.get(upload.pk, 0)) for upload in page],
        "key": uuid4(),
    }
    return render(request, "annotator/uploads/uploads.html", context)
