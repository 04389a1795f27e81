"""Errors raised outside the views: a page for users, JSON for scripts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import csrf, defaults

from annotator.inputs.storable import UnstorableText
from annotator.people.access import ProjectDeleted
from annotator.web.views.json_endpoint import refusal, wants_json
from annotator.web.views.lead.deleting import project_being_deleted


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Refuse a request that may have been forged."""
    if wants_json(request):
        return refusal(403, "csrf")
    return csrf.csrf_failure(request, reason=reason)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Refuse a request that Django could not read."""
    if wants_json(request):
        return refusal(400, "malformed", message="The request could not be read.")
    if isinstance(exception, UnstorableText):
        return render(request, "400.html", status=400)
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Report a missing page; show a project's own members that it is being deleted."""
    if wants_json(request):
        return refusal(404, "not_found")
    if isinstance(exception, ProjectDeleted):
        return project_being_deleted(request, exception.membership)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Report a server error."""
    if wants_json(request):
        return refusal(500, "server_error")
    return defaults.server_error(request)
