"""Shared parts of all operations: documented refusals and known parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Final, TypeVar

from django.http import HttpRequest
from ninja import Router

from analysis.api.paging import Parameters
from analysis.api.refusals import ConflictError, Error, Invalid

READING: Final[dict[Any, type[Error]]] = {frozenset({401, 404, 405, 422, 429, 500, 503}): Error}
"""Refusals of operations that read."""

WRITING: Final[dict[Any, type[Error]]] = {**READING, frozenset({400, 403, 413, 415}): Error}
"""Refusals of operations that write."""

CHANGING: Final[dict[Any, type[Error]]] = {**WRITING, 409: ConflictError}
"""Refusals of operations that name the version they replace."""


Operation = TypeVar("Operation", bound=Callable[..., Any])


class Routes(Router):
    """The operations of one tag, each with its path, response and URL name.

    Fields without a value, such as the name of the only protocol, are left out of responses.
    """

    def __init__(self, about: str) -> None:
        super().__init__(tags=[about], exclude_unset=True)

    def reading(self, path: str, told: Any, name: str) -> Callable[[Operation], Operation]:
        """Register an operation that reads."""
        return self.get(path, response={200: told, **READING}, url_name=name)

    def sending(
        self, path: str, name: str, words: str, kinds: Iterable[str], *refusals: int
    ) -> Callable[[Operation], Operation]:
        """Register an operation that sends a file, with its additional refusals."""
        content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
        more = {frozenset(refusals): Error} if refusals else {}
        return self.get(
            path,
            response={200: None, **more, **READING},
            url_name=name,
            openapi_extra={"responses": {200: {"description": words, "content": content}}},
        )

    def writing(self, path: str, told: Any, name: str, status: int = 200) -> Callable[[Operation], Operation]:
        """Register an operation that writes."""
        return self.post(path, response={status: told, **WRITING}, url_name=name)

    def changing(
        self, path: str, told: Any, name: str, status: int = 200
    ) -> Callable[[Operation], Operation]:
        """Register an operation that names the version it replaces."""
        return self.post(path, response={status: told, **CHANGING}, url_name=name)


def known_parameters(view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse unknown query parameters.

    A misspelt filter would otherwise match everything unnoticed.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        known = {name for given in kwargs.values() if isinstance(given, Parameters) for name in _names(given)}
        if unknown := sorted(set(request.GET) - known):
            takes = f"Known: {', '.join(sorted(known))}." if known else "This URL accepts none."
            raise Invalid({name[:80]: [f"Unknown parameter. {takes}"] for name in unknown[:20]})
        return view(request, *args, **kwargs)

    return checked


def _names(given: Parameters) -> list[str]:
    return [field.alias or name for name, field in type(given).model_fields.items()]
