"""Publication bundles on the export page: request one and download it until it expires."""

from __future__ import annotations

from typing import Any, Final
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from analysis.bundles.bundle_jobs import MAKE, request_bundle
from analysis.bundles.source import LONGEST_LICENCE, LONGEST_REASON, BundleRequest, read_licence
from analysis.web.views.files import made_file, sent_or_gone
from annotator.models import Job, Project
from annotator.people.access import project_as_lead
from annotator.web.views.pages import SignedIn, post_page, safe_page
from annotator.work.jobs import JobRefused

LISTED: Final = 5


class BundleForm(forms.Form):
    """The content of a bundle."""

    PICTURES = (
        ("files", "Images", "The original files, visible to every recipient of the bundle."),
        ("hashes", "Hashes only", "For images that you may not share."),
    )
    pictures = forms.ChoiceField(choices=[(value, title) for value, title, _ in PICTURES], initial="files")
    pseudonyms = forms.BooleanField(required=False)
    licence = forms.CharField(required=False, max_length=LONGEST_LICENCE)
    faces = forms.BooleanField(required=False)
    with_faces = forms.CharField(required=False, max_length=LONGEST_REASON)
    request_key = forms.UUIDField(required=False)

    def clean(self) -> dict[str, Any]:
        """Require a reason for showing faces; without the tick, it has no effect."""
        data = super().clean() or self.cleaned_data
        if not data.get("faces"):
            data["with_faces"] = ""
        elif not data.get("with_faces"):
            raise forms.ValidationError("Say why it shows faces, or leave them blurred.")
        return data

    def clean_licence(self) -> str:
        """Return the licence as written into the bundle."""
        try:
            return read_licence(self.cleaned_data["licence"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error

    def bundle_request(self) -> BundleRequest:
        """Return the request of a valid form."""
        said = self.cleaned_data
        return BundleRequest(
            said["pictures"] == "files", said["pseudonyms"], said["licence"], with_faces=said["with_faces"]
        )


@post_page
def bundle(request: SignedIn, slug: str) -> HttpResponseBase:
    """Request a bundle and redirect to its progress; an invalid form redirects back with the errors."""
    project = project_as_lead(request.user, slug)
    form = BundleForm(request.POST)
    if not form.is_valid():
        for errors in form.errors.values():
            for text in errors:
                messages.error(request, f"The bundle was not requested. {text}")
        return redirect("exports", slug)
    key = form.cleaned_data["request_key"]
    try:
        job = request_bundle(
            project=project, request=form.bundle_request(), actor=request.user, request_key=key
        )
    except JobRefused as refused:
        messages.error(request, str(refused), refused.code)
        return redirect("exports", slug)
    return redirect("job", job.pk)


@safe_page
def bundle_file(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """Send a bundle to a lead of its project, until it expires."""
    project = project_as_lead(request.user, slug)
    job = get_object_or_404(project.jobs, pk=pk, kind=MAKE, status=Job.Status.DONE)
    shown = f"{slug}-bundle-{job.created_at:%Y-%m-%d}.zip"
    gone = "The bundle"
    return sent_or_gone(request, job, shown=shown, content_type="application/zip", gone=gone)


def bundle_context(project: Project) -> dict[str, Any]:
    """Return the context of the bundle card: the choices and the newest bundles."""
    jobs = project.jobs.filter(kind=MAKE).select_related("requested_by").order_by("-pk")[:LISTED]
    return {
        "bundle_pictures": BundleForm.PICTURES,
        "bundle_key": uuid4(),
        "bundles": [made_file(job) for job in jobs],
        "longest_licence": LONGEST_LICENCE,
        "longest_reason": LONGEST_REASON,
    }
