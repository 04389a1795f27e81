"""Uploads of a project: start, list and resume them; counts of their files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Q, QuerySet, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.models import Image, Project, Upload, UploadedFile, User
from annotator.people.access import project_as_lead, upload_as_lead
from annotator.uploads.paths import fault_of
from annotator.uploads.receiving import begin_upload, receive_form, require_few_open
from annotator.uploads.refusals import TooMany, UploadRefused
from annotator.web.views.idempotency import INCOMPLETE, key_of_form
from annotator.web.views.json_endpoint import (
    Facts,
    Malformed,
    body_of,
    json_endpoint,
    key_in,
    refusal,
    sends_json,
)
from annotator.web.views.paging import page_of

State = UploadedFile.State


@dataclass(frozen=True)
class ReceivedCounts:
    """The files of an upload: complete, partial, and the bytes announced."""

    whole: int
    partial: int
    bytes: int


@dataclass(frozen=True)
class Displays:
    """Display copies of the images of an upload."""

    ready: int
    pending: int
    failed: int

    @property
    def total(self) -> int:
        """Number of images."""
        return self.ready + self.pending + self.failed


def uploads_of(project: Project) -> QuerySet[Upload]:
    """Return a project's uploads, newest first, without discarded ones."""
    return project.uploads.exclude(status=Upload.Status.DISCARDED).select_related("made_by").order_by("-pk")


def received_of(upload: Upload) -> ReceivedCounts:
    """Count the uploaded files; an archive counts as one file."""
    partial = Q(state=State.RECEIVING)
    counted = upload.files.filter(archive=None).aggregate(
        all=Count("pk"), partial=Count("pk", filter=partial), bytes=Sum("size", default=0)
    )
    return ReceivedCounts(counted["all"] - counted["partial"], counted["partial"], counted["bytes"])


def files_of(uploads: list[Upload]) -> dict[int, int]:
    """Return the number of files of each upload, in one query; an archive counts as its entries."""
    rows = UploadedFile.objects.filter(upload__in=uploads).exclude(state=State.ARCHIVE).order_by()
    return dict(rows.values_list("upload").annotate(count=Count("pk")))


def displays_of(upload: Upload) -> Displays:
    """Count the display copies of the images that this upload stored."""
    brought = Image.objects.filter(pk__in=upload.files.filter(state=State.STORED).values("image"))
    rows: Any = brought.order_by().values_list("display_state").annotate(count=Count("pk"))
    found = dict(rows)
    states = Image.DisplayState
    return Displays(*(found.get(state, 0) for state in (states.READY, states.PENDING, states.FAILED)))


ROWS: Final = 10
NAMES_AT_ONCE: Final = 200


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def uploads(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the drop zone and earlier uploads; start an upload for a script or a form."""
    if not sends_json(request):
        return _uploads_page(request, slug)
    try:
        return _begin_for_script(request, slug)
    except TooMany as refused:
        return refusal(413, "too_many", message=str(refused))


@json_endpoint("POST")
def upload_known(request: HttpRequest, user: User, slug: str, public_id: UUID) -> Facts:
    """Return for each name and size: true if the file is complete, the address of a partial file, or null.

    A known name with another size is null: sending the file reports the conflict.
    """
    upload = upload_of(user, slug, public_id)
    asked = _names_in(body_of(request, ["files"]))
    found = upload.files.filter(archive=None, name__in=[name for name, _ in asked])
    there = {(file.name, file.size): _place_of(file) for file in found}
    return {"places": [there.get(each) for each in asked]}


def upload_of(user: Any, slug: str, public_id: UUID) -> Upload:
    """Return an upload of the project of this slug; raises Http404."""
    upload = upload_as_lead(user, public_id)
    if upload.project.slug != slug:
        raise Http404("This upload belongs to another project.")
    return upload


def take_form(request: HttpRequest, upload: Upload) -> list[str]:
    """Receive the files of a page without JavaScript; return the rejected files with reasons."""
    files = request.FILES.getlist("files")
    if not files:
        return ["Choose at least one file."]
    _, refused = receive_form(upload=upload, files=files)
    return [f"{name}: {reason}" for name, reason in refused]


@json_endpoint("POST", comes_back_to="uploads")
def _begin_for_script(request: HttpRequest, user: User, slug: str) -> Facts:
    project = project_as_lead(user, slug)
    key = key_in(body_of(request, ["request_key"]))
    require_few_open(user)
    upload = begin_upload(project=project, actor=user, request_key=key)
    return {
        "page": reverse("upload", args=[slug, upload.public_id]),
        "files": reverse("upload_files", args=[upload.public_id]),
        "known": reverse("upload_known", args=[slug, upload.public_id]),
    }


@login_required
def _uploads_page(request: HttpRequest, slug: str) -> HttpResponse:
    assert isinstance(request.user, User)  # signed in
    project = project_as_lead(request.user, slug)
    if request.method != "POST":
        return _page(request, project)
    key = key_of_form(request)
    if key is None:
        return _page(request, project, [INCOMPLETE], status=400)
    if not request.FILES.getlist("files"):
        return _page(request, project, [UploadRefused("Choose at least one file.", "no-files")], status=422)
    try:
        require_few_open(request.user)
    except TooMany as refused:
        return _page(request, project, [refused], status=422)
    upload = begin_upload(project=project, actor=request.user, request_key=key)
    problems = take_form(request, upload)
    if problems and not upload.files.exists():
        return _page(request, project, problems, status=422)
    for words in problems:
        messages.error(request, words)
    return redirect("upload", slug, upload.public_id)


def _page(
    request: HttpRequest, project: Project, errors: Iterable[str | UploadRefused] = (), status: int = 200
) -> HttpResponse:
    page = page_of(request, uploads_of(project), ROWS)
    counts = files_of(list(page))
    context = {
        "project": project,
        "section": "images",
        "errors": errors,
        "page": page,
        "rows": [(upload, counts.get(upload.pk, 0)) for upload in page],
        "key": uuid4(),
    }
    return render(request, "annotator/uploads/uploads.html", context, status=status)


def _place_of(file: UploadedFile) -> str | bool:
    whole = file.state != UploadedFile.State.RECEIVING
    return whole or reverse("upload_file", args=[file.public_id])


def _names_in(sent: Facts) -> list[tuple[str, int]]:
    files = sent.get("files")
    if not isinstance(files, list) or len(files) > NAMES_AT_ONCE:
        raise Malformed(f"files must be a list of at most {NAMES_AT_ONCE} names with sizes.")
    for each in files:
        if not (isinstance(each, list) and [type(part) for part in each] == [str, int]):
            raise Malformed("Each of files must be [name, size].")
    # Files never have a name with a fault, and some of these names cannot be queried.
    return [("" if fault_of(name) else name, size) for name, size in files]
