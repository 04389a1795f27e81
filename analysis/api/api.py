"""The API object: routes and their URLs, authentication and error responses."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.core.signals import got_request_exception
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from analysis.api import annotations as annotation_routes
from analysis.api import exports, images, projects, reports, suggestions
from analysis.api.refusals import ApiRefused, Invalid, refusal
from analysis.api.requests import Token, known_parameters
from analysis.exports.source import ExportRefused
from annotator.images.storage import NOT_TO_BE_HAD, StoreUnavailable
from scoring.service import UnknownProtocol, unknown_in_words

_LOG: Final = logging.getLogger(__name__)

DESCRIPTION: Final = """\
Read from notebooks and scripts what the pages show, and send suggestions and rating forms. A token has the
permissions of the person who created it.

- **Authentication.** Send `Authorization: Bearer anm_…` with every request. Create tokens at
  `/settings/tokens/`. Browser sessions are not accepted.
- **Lists** are paged (`page_size`, default 100, at most 500). `next` is the URL of the next page; it is null
  on the last page.
- **Errors** are always `{"error": {"code", "message", "fields"}}`. Missing and forbidden resources both
  return 404.
- **Times** are in UTC.
"""

api = NinjaAPI(title="Anatomark", version="1", description=DESCRIPTION, urls_namespace="api", auth=Token())
api.add_decorator(known_parameters)
for module in (projects, images, annotation_routes, reports, exports, suggestions):
    api.add_router("", module.router)


@api.exception_handler(ApiRefused)
def _refused(_: HttpRequest, error: ApiRefused) -> HttpResponse:
    return refusal(error.status, code=error.code, message=error.message, fields=error.fields)


@api.exception_handler(AuthenticationError)
def _unauthorized(_: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    # The same response for every reason, so that it does not reveal which tokens exist.
    return refusal(401, headers={"WWW-Authenticate": 'Bearer realm="anatomark"'})


@api.exception_handler(Http404)
@api.exception_handler(PermissionDenied)
@api.exception_handler(SuspiciousOperation)
def _refused_by_django(
    _: HttpRequest, error: Http404 | PermissionDenied | SuspiciousOperation
) -> HttpResponse:
    return refusal(404 if isinstance(error, Http404) else 403 if isinstance(error, PermissionDenied) else 400)


@api.exception_handler(HttpError)
def _unreadable(_: HttpRequest, error: HttpError) -> HttpResponse:
    return refusal(error.status_code)


@api.exception_handler(ValidationError)
def _not_as_described(request: HttpRequest, error: ValidationError) -> HttpResponse:
    fields: dict[str, list[str]] = {}
    for problem in error.errors:
        _, *place = problem["loc"]
        fields.setdefault(".".join(map(str, place))[:200], []).append(f"{problem['msg']}.")
    return _refused(request, Invalid(fields))


@api.exception_handler(ExportRefused)
def _not_possible(_: HttpRequest, error: ExportRefused) -> HttpResponse:
    return refusal(409, code="not_possible", message=str(error))


@api.exception_handler(OperationalError)
def _unavailable(_: HttpRequest, error: OperationalError) -> HttpResponse:
    _LOG.error("The database did not respond", exc_info=error)
    return refusal(503, headers={"Retry-After": "5"})


@api.exception_handler(StoreUnavailable)
def _store_unavailable(_: HttpRequest, error: StoreUnavailable) -> HttpResponse:
    _LOG.error("A file is unavailable: %s", error.strerror)
    return refusal(503, message=NOT_TO_BE_HAD, headers={"Retry-After": "10"})


@api.exception_handler(UnknownProtocol)
def _unknown_protocol(_: HttpRequest, error: UnknownProtocol) -> HttpResponse:
    _LOG.error("A row's protocol is unknown: %s", error)
    return refusal(503, message=unknown_in_words(error))


@api.exception_handler(Exception)
def _our_fault(request: HttpRequest, error: Exception) -> HttpResponse:
    got_request_exception.send(sender=None, request=request)
    _LOG.error("%s %s failed", request.method, request.path, exc_info=error)
    return refusal(500)


def _told(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Return the view with django-ninja's own refusal of a method in our shape."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code != 405:
            return response
        return refusal(405, headers={"Allow": response.headers.get("Allow", "GET")})

    return answer


urlpatterns = [route for route in api.urls[0] if isinstance(route, URLPattern)]
for route in urlpatterns:
    route.callback = _told(route.callback)
