"""The page of an upload (files received, names checked, images stored) and the progress of its job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final
from uuid import UUID, uuid4

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render

from annotator.guidelines.publishing import published
from annotator.models import Job, Upload, User
from annotator.projects.checklist import people_counts
from annotator.projects.prompts import prompts_of, prompts_without_group
from annotator.uploads.inspection import DECODING
from annotator.uploads.names.naming import PatternRefused, parse_pattern
from annotator.uploads.receiving import kept_until
from annotator.uploads.refusals import UploadRefused
from annotator.uploads.status import is_busy
from annotator.web.forms.uploads import FileForm
from annotator.web.views.json_endpoint import Facts, json_endpoint
from annotator.web.views.pages import form_page
from annotator.web.views.uploads.upload_actions import ACTS, BadForm, FormRefused
from annotator.web.views.uploads.upload_rows import names_read, table_of
from annotator.web.views.uploads.uploads import Displays, displays_of, received_of, upload_of
from annotator.work.jobs import JobRefused
from annotator.work.liveness import worker_silent
from annotator.work.waiting import wait_of

NO_WORKER: Final = (
    "No worker is running. The job starts as soon as a worker does (celery -A config worker -B)."
)
_READING: Final = "Checking files…"
_NAMING: Final = "Reading file names…"
_STORING: Final = "Storing images…"
_TAKEN_OVER: Final = (
    "A worker stopped responding, or lost its connection to the database. The job continues where it "
    "stopped; nothing is lost."
)


@dataclass(frozen=True)
class UploadProgress:
    """The progress of an upload; the page reloads when `step` changes.

    `done` of `images` are decoded, stored or drawn; both are 0 while images are not what is counted.
    """

    step: str
    words: str = ""
    share: float = 0.0
    warning: str = ""
    done: int = 0
    images: int = 0


@json_endpoint("GET")
def upload_status(_request: HttpRequest, user: User, slug: str, public_id: UUID) -> Facts:
    """Return the progress of an upload."""
    return asdict(progress_of(upload_of(user, slug, public_id)))


def progress_of(upload: Upload, displays: Displays | None = None) -> UploadProgress:
    """Return the progress of an upload; a status left behind by a dead job counts as ready."""
    status = Upload.Status
    if upload.status in (status.READING, status.STORING):
        return _working(upload) if is_busy(upload) else UploadProgress("ready")
    if upload.status != status.STORED:
        return UploadProgress(str(upload.status))
    return _drawing(displays or displays_of(upload))


def _working(upload: Upload) -> UploadProgress:
    job = upload.job
    assert job is not None  # busy
    wait = wait_of(job)
    silent = wait is not None and wait.code == "no-worker"
    # A job that resumes another one starts with its progress.
    if wait is not None and (silent or not job.progress):
        words, warning = ("Waiting for a worker…", NO_WORKER) if silent else (wait.words, "")
        return UploadProgress("working", words, job.progress / 100, warning)
    if upload.status == Upload.Status.READING:
        words = _NAMING if job.kind == "apply_pattern" else _READING
    else:
        words = _STORING
    note = _TAKEN_OVER if job.attempts > 1 else ""
    return UploadProgress(
        "working", f"{words} {job.progress}%", job.progress / 100, note, *_images_of(upload)
    )


def _images_of(upload: Upload) -> tuple[int, int]:
    """Return how many images of how many a running job has decoded or stored, to one percent; or 0, 0."""
    assert upload.job is not None  # busy
    low, high = DECODING if upload.status == Upload.Status.READING else (0, 100)
    images, progress = upload.job.data.get("images", 0), upload.job.progress
    if not images or not low <= progress < high:
        return 0, 0
    return images * (progress - low) // (high - low), images


def _drawing(displays: Displays) -> UploadProgress:
    if not displays.pending:
        return UploadProgress("stored")
    made = displays.total - displays.pending
    words = f"Display copies: {made:,} of {displays.total:,}"
    warning = NO_WORKER if worker_silent() else ""
    return UploadProgress("drawing", words, made / displays.total, warning, made, displays.total)


@form_page
def upload(request: HttpRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Show the progress of an upload, and run the lead's actions."""
    assert isinstance(request.user, User)  # signed in
    found = upload_of(request.user, slug, public_id)
    if request.method != "POST":
        return _page(request, found)
    act = ACTS.get(request.POST.get("action", ""))
    if act is None:
        return HttpResponseBadRequest("Unknown action. Reload the page.", content_type="text/plain")
    try:
        answer = act(request, found, request.user)
    except BadForm as bad:
        return HttpResponseBadRequest(str(bad), content_type="text/plain")
    except FormRefused as refused:
        return _page(request, found, form=refused.form, status=422)
    except PatternRefused as refused:
        return _page(request, found, pattern_error=refused, status=422)
    except (UploadRefused, JobRefused) as refused:
        found.refresh_from_db()
        return _page(request, found, errors=[refused], status=409)
    return answer or redirect("upload", slug, public_id)


def _page(
    request: HttpRequest,
    found: Upload,
    *,
    form: FileForm | None = None,
    errors: Sequence[Exception] = (),
    pattern_error: PatternRefused | None = None,
    status: int = 200,
) -> HttpResponse:
    displays = displays_of(found) if found.status == Upload.Status.STORED else None
    standing = progress_of(found, displays)
    context: Facts = {
        "project": found.project,
        "section": "images",
        "upload": found,
        "standing": standing,
        "step": standing.step,
        "errors": errors,
        "pattern_error": pattern_error,
        "displays": displays,
        "done": request.GET.get("done", ""),
        "query": request.GET.urlencode(),
        "key": uuid4(),
        **_body(standing.step, request, found, form),
    }
    return render(request, "annotator/uploads/upload.html", context, status=status)


def _body(step: str, request: HttpRequest, found: Upload, form: FileForm | None) -> Facts:
    if step == "receiving":
        return _receiving(found)
    if step == "working":
        return {"body": "annotator/uploads/upload_following.html", "heading": "Add images", "job": found.job}
    if step == "ready":
        return _ready(request, found, form)
    if step == "discarded":
        return {"body": "annotator/uploads/upload_discarded.html", "heading": "Upload discarded"}
    return _stored(request, found)


def _receiving(found: Upload) -> Facts:
    return {
        "body": "annotator/uploads/upload_receiving.html",
        "heading": "Add images",
        "received": received_of(found),
        "kept_until": kept_until(found),
    }


def _ready(request: HttpRequest, found: Upload, form: FileForm | None) -> Facts:
    job = found.job
    return {
        "body": "annotator/uploads/upload_ready.html",
        "heading": "Check file names",
        "failed": job.error if job is not None and job.status == Job.Status.FAILED else "",
        "stopped": job is not None and job.status == Job.Status.CANCELLED,
        "typed": request.POST.get("pattern", found.pattern),
        "defaults": found.choices.get("defaults", {}),
        "guesses": [each for each in found.choices.get("guesses", []) if each != found.pattern],
        "received": received_of(found),
        "no_generator": says_no_generator(found),
        "read": names_read(found),
        "typed_generator": request.POST.get("all_generator", ""),
        "typed_prompt": request.POST.get("all_prompt", ""),
        "megapixels": f"{settings.MAX_IMAGE_PIXELS / 1e6:g}",
        **table_of(request, found, form),
    }


def says_no_generator(upload: Upload) -> bool:
    """Tell whether neither the pattern nor a default names a generator."""
    pattern = parse_pattern(upload.pattern).fields if upload.pattern else frozenset()
    return "generator" not in pattern and not upload.choices.get("defaults", {}).get("generator")


def _stored(request: HttpRequest, found: Upload) -> Facts:
    return {
        "body": "annotator/uploads/upload_stored.html",
        "heading": "Images stored",
        "prompts": prompts_of(found.project).count(),
        "without_group": prompts_without_group(found.project),
        "people": sum(people_counts(found.project)),
        "guideline": published(found.project),
        **table_of(request, found),
    }
