"""The page of an upload: files received, names checked, images stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID, uuid4

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotator.models import Job, Upload, User
from annotator.projects.prompts import prompts_of, prompts_without_group
from annotator.uploads.names.naming import PatternRefused, parse_pattern
from annotator.uploads.receiving import kept_until
from annotator.uploads.refusals import UploadRefused
from annotator.web.forms.uploads import FileForm
from annotator.web.views.uploads.upload_actions import ACTS, BadForm, FormRefused
from annotator.web.views.uploads.upload_counts import displays_of, received_of
from annotator.web.views.uploads.upload_progress import progress_of
from annotator.web.views.uploads.upload_rows import State, table_of
from annotator.web.views.uploads.uploads import restores_bundles, upload_of
from annotator.work.jobs import JobRefused

Facts = dict[str, Any]


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
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
    return render(request, "annotator/upload.html", context, status=status)


def _body(step: str, request: HttpRequest, found: Upload, form: FileForm | None) -> Facts:
    if step == "receiving":
        return _receiving(found)
    if step == "working":
        bundle = found.kind == Upload.Kind.BUNDLE
        heading = "Publication bundle" if bundle else "Add images"
        return {"body": "annotator/upload_following.html", "heading": heading, "job": found.job}
    if step == "ready":
        bundle = found.kind == Upload.Kind.BUNDLE
        return _bundle(found) if bundle else _ready(request, found, form)
    if step == "discarded":
        return {"body": "annotator/upload_discarded.html", "heading": "Upload discarded"}
    return _stored(request, found)


def _receiving(found: Upload) -> Facts:
    return {
        "body": "annotator/upload_receiving.html",
        "heading": "Add images",
        "received": received_of(found),
        "kept_until": kept_until(found),
    }


def _ready(request: HttpRequest, found: Upload, form: FileForm | None) -> Facts:
    if found.kind == Upload.Kind.BUNDLE:
        return _bundle(found)
    job = found.job
    return {
        "body": "annotator/upload_ready.html",
        "heading": "Check file names",
        "failed": job.error if job is not None and job.status == Job.Status.FAILED else "",
        "stopped": job is not None and job.status == Job.Status.CANCELLED,
        "typed": request.POST.get("pattern", found.pattern),
        "defaults": found.choices.get("defaults", {}),
        "guesses": [each for each in found.choices.get("guesses", []) if each != found.pattern],
        "received": received_of(found),
        "no_generator": says_no_generator(found),
        "typed_generator": request.POST.get("all_generator", ""),
        "typed_prompt": request.POST.get("all_prompt", ""),
        "megapixels": f"{settings.MAX_IMAGE_PIXELS / 1e6:g}",
        **table_of(request, found, form),
    }


def says_no_generator(upload: Upload) -> bool:
    """Tell whether neither the pattern nor a default names a generator."""
    pattern = parse_pattern(upload.pattern).fields if upload.pattern else frozenset()
    return "generator" not in pattern and not upload.choices.get("defaults", {}).get("generator")


def _bundle(found: Upload) -> Facts:
    job = found.job
    return {
        "body": "annotator/upload_bundle.html",
        "heading": "Publication bundle",
        "step": "bundle",
        "restores": restores_bundles(),
        "failed": job.error if job is not None and job.status == Job.Status.FAILED else "",
        "stopped": job is not None and job.status == Job.Status.CANCELLED,
        "file": found.files.filter(archive=None).exclude(state=State.IGNORED).first(),
        "empty": not found.project.images.exists(),
    }


def _stored(request: HttpRequest, found: Upload) -> Facts:
    bundle = found.kind == Upload.Kind.BUNDLE
    return {
        "body": "annotator/upload_stored.html",
        "heading": "Bundle restored" if bundle else "Images stored",
        "prompts": prompts_of(found.project).count(),
        "without_group": prompts_without_group(found.project),
        **table_of(request, found),
    }
