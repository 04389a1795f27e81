"""The pages of uploads: start one, list them; files, progress, names, confirmation of one; its actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from uuid import UUID, uuid4

from django.contrib import messages
from django.db.models import Case, Count, Max, Min, Q, Sum, Value, When
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.exchange.formats.archives import CODE_PAGES
from annotator.models import Image, Job, Upload, UploadedFile, User
from annotator.people.access import Visitor, project_as_lead, upload_as_lead
from annotator.projects.checklist import people_counts
from annotator.projects.prompts import prompts_without_group
from annotator.uploads.naming import HAS_MANIFEST, placed
from annotator.uploads.path_patterns import PatternRefused
from annotator.uploads.receiving import (
    KEPT,
    UploadRefused,
    begin_upload,
    discard_upload,
    is_busy,
    require_few_open,
)
from annotator.uploads.status import counts
from annotator.uploads.upload_jobs import doubt_of, request_naming, request_reading, request_storing
from annotator.web.views.json_endpoint import Facts, body_of, json_endpoint, key_in
from annotator.web.views.pages import INCOMPLETE, SignedIn, form_page, key_of_form, page_of, safe_page
from annotator.web.views.uploads.upload_files import refused
from annotator.work.jobs import JobRefused, cancel_job
from annotator.work.liveness import worker_silent
from annotator.work.waiting import NO_WORKER, wait_of

UPLOADS: Final = 10
State: Final = UploadedFile.State


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
    page = page_of(request, kept.select_related("made_by").order_by("-pk"), UPLOADS)
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


ROWS: Final = 25
MOST_LISTED: Final = 200
"""Problems that are listed; the rest is counted."""
_TROUBLES: Final = (State.REFUSED, State.UNCLEAR, State.TABLE, State.DUPLICATE, State.IGNORED)
"""States of files that are listed with a reason, the first ones first."""


@form_page
def upload(request: SignedIn, slug: str, public_id: UUID) -> HttpResponse:
    """Show an upload, and run the lead's actions."""
    shown = upload_of(request.user, slug, public_id)
    if request.method != "POST":
        return _page(request, shown)
    act = _ACTS.get(request.POST.get("action", ""))
    key = key_of_form(request)
    if act is None or key is None:
        return HttpResponseBadRequest(INCOMPLETE, content_type="text/plain")
    try:
        act(request, shown, request.user, key)
    except (PatternRefused, UploadRefused, JobRefused) as refused:
        shown.refresh_from_db()
        status = 422 if isinstance(refused, PatternRefused) else 409
        return _page(request, shown, refused=refused, status=status)
    if shown.status == Upload.Status.DISCARDED:
        return redirect("uploads", slug)
    return redirect("upload", slug, public_id)


@safe_page
def upload_progress(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Return the progress of an upload for its page, which reloads when another step begins."""
    progress = progress_of(upload_of(request.user, slug, public_id))
    response = render(request, "annotator/uploads/upload_progress.html", {"progress": progress})
    if progress["step"] != request.GET.get("step", progress["step"]):
        response["HX-Refresh"] = "true"
    return response


def progress_of(upload: Upload) -> dict[str, Any]:
    """Return the progress of an upload: its `step`, and of work under way its `words` and the `share` done.

    A `step` is the status of the upload, or `working` while a job of it runs, or `drawing` while display
    copies are made; a status left behind by a dead job counts as ready.
    """
    status = Upload.Status
    if upload.status in (status.READING, status.STORING):
        return _working(upload) if is_busy(upload) else {"step": "ready"}
    if upload.status != status.STORED:
        return {"step": str(upload.status)}
    stored = Image.objects.filter(pk__in=upload.files.filter(state=State.STORED).values("image"))
    pending = Count("pk", filter=Q(display_state=Image.DisplayState.PENDING))
    copies = stored.aggregate(total=Count("pk"), pending=pending)
    if not copies["pending"]:
        return {"step": "stored"}
    total, made = copies["total"], copies["total"] - copies["pending"]
    words = f"Display copies: {made:,} of {total:,}"
    return {"step": "drawing", "share": made / total, "words": NO_WORKER if worker_silent() else words}


def _working(upload: Upload) -> dict[str, Any]:
    job = upload.job
    assert job is not None  # busy
    wait = wait_of(job)
    doing = "Checking the files…" if upload.status == Upload.Status.READING else "Storing the images…"
    return {"step": "working", "share": job.progress / 100, "words": wait.words if wait else doing}


def _read(request: HttpRequest, upload: Upload, actor: User, key: UUID) -> None:
    encoding = request.POST.get("encoding", "")
    request_reading(upload=upload, actor=actor, encoding=encoding, request_key=key)


def _name(request: HttpRequest, upload: Upload, actor: User, key: UUID) -> None:
    request_naming(
        upload=upload,
        pattern=request.POST.get("pattern", ""),
        defaults=request.POST.dict(),
        actor=actor,
        request_key=key,
    )


def _store(request: HttpRequest, upload: Upload, actor: User, key: UUID) -> None:
    request_storing(upload=upload, actor=actor, sure="sure" in request.POST, request_key=key)


def _discard(request: HttpRequest, upload: Upload, actor: User, _key: UUID) -> None:
    discard_upload(upload=upload, actor=actor)
    messages.success(request, "Upload discarded. Stored images are kept.")


def _stop(request: HttpRequest, upload: Upload, actor: User, _key: UUID) -> None:
    if upload.job is None or not cancel_job(job=upload.job, actor=actor):
        messages.info(request, "The job had already ended.")


_ACTS: Final[Mapping[str, Callable[[HttpRequest, Upload, User, UUID], None]]] = {
    "read": _read,
    "name": _name,
    "store": _store,
    "discard": _discard,
    "stop": _stop,
}


def _page(
    request: HttpRequest, shown: Upload, *, refused: Exception | None = None, status: int = 200
) -> HttpResponse:
    progress = progress_of(shown)
    files = counts(shown)
    context: dict[str, Any] = {
        "project": shown.project,
        "section": "images",
        "upload": shown,
        "progress": progress,
        "step": progress["step"],
        "refused": refused,
        "counts": files,
        "kept_until": shown.touched_at + KEPT,
        "key": uuid4(),
        **(_names(request, shown, files) if progress["step"] == "ready" else {}),
    }
    if progress["step"] in ("stored", "drawing"):
        context |= {
            "without_group": prompts_without_group(shown.project),
            "people": sum(people_counts(shown.project)),
            "guideline": bool(shown.project.guideline_versions),
        }
    if progress["step"] == "receiving":
        received = shown.files.filter(archive=None)
        context |= received.aggregate(files=Count("pk"), bytes=Sum("size", default=0))
    if progress["step"] != "working":
        context |= _troubles(shown, hides_unclear=bool(context.get("question")))
    return render(request, "annotator/uploads/upload.html", context, status=status)


def _names(request: HttpRequest, shown: Upload, files: Mapping[str, int]) -> dict[str, Any]:
    """Return what the names say, and what is still to be asked."""
    ready = shown.files.filter(state=State.READY).order_by("generator", "prompt")
    groups = ready.values("generator", "prompt").annotate(
        group=Max("prompt_group"),
        images=Count("pk"),
        least=Min("number"),
        most=Max("number"),
        file=Min("name"),
    )
    asked = shown.files.filter(state=State.UNCLEAR, archive=None, attributes__has_key="asked").first()
    defaults = shown.choices.get("defaults", {})
    said = HAS_MANIFEST in shown.choices or shown.pattern or defaults.get("generator")
    question = bool(files[State.UNCLEAR]) and asked is None and not said
    job = shown.job
    return {
        "read": ready.order_by().aggregate(
            generators=Count("generator", distinct=True), prompts=Count("prompt", distinct=True)
        ),
        "page": page_of(request, groups, ROWS),
        "question": question,
        "example": placed(shown).values_list("name", flat=True).first() if question else "",
        "typed": request.POST.get("pattern", shown.pattern or shown.choices.get("suggestion", "")),
        "given": {name: request.POST.get(name, defaults.get(name, "")) for name in ("generator", "prompt")},
        "asked": asked,
        "code_pages": [(page, CODE_PAGES[page], name) for page, name in asked.attributes["asked"]]
        if asked is not None
        else [],
        "doubt": doubt_of(shown),
        "failed": job.error if job is not None and job.status == Job.Status.FAILED else "",
        "stopped": job is not None and job.status == Job.Status.CANCELLED,
    }


def _troubles(shown: Upload, *, hides_unclear: bool) -> dict[str, Any]:
    """Return the files that are not stored as they are, each with its reason, the first ones listed."""
    order = Case(*(When(state=state, then=Value(place)) for place, state in enumerate(_TROUBLES)))
    listed = [state for state in _TROUBLES if not (hides_unclear and state == State.UNCLEAR)]
    files = shown.files.filter(state__in=listed).exclude(problem="")
    rows = list(files.order_by(order, "name", "pk")[: MOST_LISTED + 1])
    more = files.count() - MOST_LISTED if len(rows) > MOST_LISTED else 0
    return {"troubles": rows[:MOST_LISTED], "more_troubles": more}
