"""Actions of a lead on an upload, one function for each button."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from annotator.inputs.refusal import as_form_error
from annotator.models import Upload, UploadedFile, User
from annotator.uploads.editing import MOST_AT_ONCE, EditRefused, edit_file, edit_folder, set_pattern
from annotator.uploads.names.file_states import placed
from annotator.uploads.receiving import discard_upload
from annotator.uploads.refusals import UploadRefused
from annotator.uploads.upload_jobs import request_reading, request_scaling, request_storing
from annotator.web.forms.uploads import FileForm, defaults_in
from annotator.web.views.idempotency import INCOMPLETE, key_of_form
from annotator.web.views.uploads.uploads import take_form
from annotator.work.jobs import cancel_job


class FormRefused(Exception):
    """The form of a row is invalid and is shown again with its errors."""

    def __init__(self, form: FileForm) -> None:
        super().__init__("The row could not be changed.")
        self.form = form


class BadForm(ValueError):
    """A form that no page of the application sends."""


def read(request: HttpRequest, upload: Upload, actor: User) -> None:
    """Request a job that checks every uploaded file."""
    request_reading(upload=upload, actor=actor, request_key=_key(request))


def scale(request: HttpRequest, upload: Upload, actor: User) -> None:
    """Request a job that scales down the images above the limit of pixels."""
    request_scaling(upload=upload, actor=actor, request_key=_key(request))


def one_generator(request: HttpRequest, upload: Upload, actor: User) -> HttpResponse | None:
    """Give all files one generator, and one prompt if one is entered."""
    generator, prompt = (request.POST.get(name, "").strip() for name in ("all_generator", "all_prompt"))
    if not generator:
        raise UploadRefused("Enter the generator that made these images.", "no-generator")
    if placed(upload).count() > MOST_AT_ONCE:
        chosen = upload.choices.get("defaults", {}) | {"generator": generator}
        defaults = chosen | ({"prompt": prompt} if prompt else {})
        key = _key(request)
        set_pattern(upload=upload, pattern=upload.pattern, actor=actor, defaults=defaults, request_key=key)
        return None
    changed = edit_folder(upload=upload, folder="", actor=actor, generator=generator, prompt=prompt or None)
    told = f"Generator set to {generator} for {changed:,} file{'' if changed == 1 else 's'}."
    messages.success(request, told, "one-generator")
    return redirect(_back(request, upload))


def store(request: HttpRequest, upload: Upload, actor: User) -> None:
    """Request a job that stores the files that are ready."""
    request_storing(upload=upload, actor=actor, request_key=_key(request))


def pattern(request: HttpRequest, upload: Upload, actor: User) -> None:
    """Request a job that reads all names by another pattern."""
    typed = request.POST.get("guess") or request.POST.get("pattern", "")
    set_pattern(
        upload=upload,
        pattern=typed,
        actor=actor,
        defaults=defaults_in(request.POST),
        request_key=_key(request),
    )


def edit(request: HttpRequest, upload: Upload, actor: User) -> HttpResponse:
    """Edit the generator, prompt, group or number of a file, or of all files in a folder."""
    file = _file_in(request, upload)
    form = FileForm(file, request.POST)
    if not form.is_valid():
        raise FormRefused(form)
    texts = form.changed_texts()
    try:
        if form.folder:
            changed = edit_folder(upload=upload, folder=form.folder, actor=actor, **texts)
            messages.success(request, f"Files changed in {form.folder}/: {changed:,}.")
        elif texts or form.cleaned_data["number"] != file.number:
            edit_file(file=file, actor=actor, number=form.cleaned_data["number"], **texts)
    except EditRefused as refused:
        form.add_error(refused.field if refused.field in form.fields else None, as_form_error(refused))
        raise FormRefused(form) from refused
    return redirect(_back(request, upload, done=str(file.public_id)))


def discard(request: HttpRequest, upload: Upload, actor: User) -> HttpResponse:
    """Discard the files that are not stored."""
    discard_upload(upload=upload, actor=actor)
    messages.success(request, "Upload discarded. Stored images are kept.")
    return redirect("uploads", upload.project.slug)


def stop(request: HttpRequest, upload: Upload, actor: User) -> None:
    """Stop the running job; completed work is kept."""
    if upload.job is None or not cancel_job(job=upload.job, actor=actor):
        messages.info(request, "The job had already ended.")


def bring(request: HttpRequest, upload: Upload, _actor: User) -> None:
    """Receive the files of a page without JavaScript."""
    for problem in take_form(request, upload):
        messages.error(request, problem)


Act = Callable[[HttpRequest, Upload, User], HttpResponse | None]
ACTS: Final[Mapping[str, Act]] = {
    "read": read,
    "scale": scale,
    "one-generator": one_generator,
    "store": store,
    "pattern": pattern,
    "edit": edit,
    "discard": discard,
    "stop": stop,
    "bring": bring,
}


def _back(request: HttpRequest, upload: Upload, **more: str) -> str:
    """Return the address of the page with the same rows shown."""
    query = request.GET.copy()
    query.pop("edit", None)
    for name, value in more.items():
        query[name] = value
    return f"{reverse('upload', args=[upload.project.slug, upload.public_id])}?{query.urlencode()}"


def _file_in(request: HttpRequest, upload: Upload) -> UploadedFile:
    try:
        wanted = UUID(request.POST.get("file", ""))
    except ValueError:
        raise BadForm("The form names no file.") from None
    file = upload.files.filter(public_id=wanted).first()
    if file is None:
        raise Http404("No such file in this upload.")
    file.upload = upload
    return file


def _key(request: HttpRequest) -> UUID:
    key = key_of_form(request)
    if key is None:
        raise BadForm(INCOMPLETE)
    return key
