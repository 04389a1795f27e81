"""The common behaviour of the scripts' endpoints: JSON in, JSON out, also for errors.

They never redirect to the sign-in page or return HTML, which a script would take for a reply.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any, Final, NoReturn
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.request import UnreadablePostError
from django.shortcuts import resolve_url
from django.utils.http import urlencode

from annotator.annotations.saving import LARGEST_PAYLOAD
from annotator.annotations.versioned_changes import Conflict
from annotator.models import User
from scoring.protocol import InvalidPayload

LARGEST_BODY: Final = 2 * LARGEST_PAYLOAD
"""Bytes: the largest payload, with room for the other fields."""

Facts = dict[str, Any]
JsonView = Callable[..., Facts]

_LOG: Final = logging.getLogger(__name__)


class Malformed(Exception):
    """A malformed request; the message tells developers why."""


class BodyTooLarge(Exception):
    """The request body is too large to read."""


def json_endpoint(
    method: str, *, comes_back_to: str | None = None
) -> Callable[[JsonView], Callable[..., HttpResponse]]:
    """Turn a function from (request, user, ...) to facts into a JSON view.

    `comes_back_to` names the page to return to after signing in; it takes the address's own arguments.
    """
    allowed = ("GET", "HEAD") if method == "GET" else (method,)

    def decorate(view: JsonView) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            try:
                if request.method not in allowed:
                    return refusal(405, "method_not_allowed", headers={"Allow": ", ".join(allowed)})
                if not isinstance(request.user, User):
                    return refusal(401, "signed_out", login_url=_login_url(comes_back_to, *args, **kwargs))
                return _json(view(request, request.user, *args, **kwargs))
            except Malformed as error:
                return refusal(400, "malformed", message=str(error))
            except BodyTooLarge:
                return refusal(413, "too_large", largest=LARGEST_BODY)
            except PermissionDenied:
                return refusal(403, "forbidden")
            except Http404:
                return refusal(404, "not_found")
            except InvalidPayload as error:
                return refusal(422, "invalid", errors=error.errors)
            except Conflict as conflict:
                return _json({"error": conflict.code, **conflict.as_json()}, 409)
            except OperationalError:
                _LOG.exception("The database did not respond")
                return refusal(503, "unavailable", headers={"Retry-After": "5"})

        answer.answers_json = True  # type: ignore[attr-defined]
        return answer

    return decorate


def wants_json(request: HttpRequest) -> bool:
    """Tell whether the client expects JSON."""
    match = request.resolver_match
    return bool(match and getattr(match.func, "answers_json", False)) or sends_json(request)


def sends_json(request: HttpRequest) -> bool:
    """Tell whether the content type is JSON, which no HTML form can send."""
    return request.content_type == "application/json"


def refusal(status: int, error: str, headers: Mapping[str, str] | None = None, **facts: Any) -> JsonResponse:
    """Return a JSON error."""
    return _json({"error": error, **facts}, status, headers)


def body_of(request: HttpRequest, known: Collection[str]) -> Facts:
    """Return the JSON object in the body. Raises Malformed, also for unknown keys, and TooLarge."""
    if not sends_json(request):
        raise Malformed("The body must be application/json.")
    sent = _parsed(_read(request))
    if not isinstance(sent, dict):
        raise Malformed("The body must be an object.")
    if unknown := sorted(set(sent) - set(known)):
        raise Malformed(f"Unknown key {unknown[0][:40]!a}. Known: {', '.join(known)}.")
    return sent


def version_in(sent: Facts) -> int:
    """Return the version to replace. Raises Malformed."""
    version = sent.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version >= 0:
        return version
    raise Malformed("version must be a whole number from 0.")


def key_in(sent: Facts) -> UUID:
    """Return the request's idempotency key. Raises Malformed."""
    key = sent.get("request_key")
    try:
        if isinstance(key, str):
            return UUID(key)
    except ValueError:
        pass
    raise Malformed("request_key must be a UUID.")


def _json(facts: Facts, status: int = 200, headers: Mapping[str, str] | None = None) -> JsonResponse:
    response = JsonResponse(facts, status=status, headers=headers)
    response["Cache-Control"] = "no-store"
    return response


def _login_url(comes_back_to: str | None, *args: Any, **kwargs: Any) -> str:
    login = resolve_url(settings.LOGIN_URL)
    if comes_back_to is None:
        return login
    return f"{login}?{urlencode({'next': resolve_url(comes_back_to, *args, **kwargs)})}"


def _read(request: HttpRequest) -> bytes:
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_BODY:
        raise BodyTooLarge
    try:
        return request.body
    except RequestDataTooBig as error:
        raise BodyTooLarge from error
    except UnreadablePostError as error:
        raise Malformed("The body is incomplete.") from error


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body.decode(), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Malformed("The body is not JSON.") from error


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
