"""What every operation has in common: which refusals are documented, and which parameters are known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, Final, TypeVar

from django.http import HttpRequest
from ninja import Router

from analysis.api.paging import Parameters
from analysis.api.refusals import ConflictError, Error, Invalid

READING: Final[dict[Any, type[Error]]] = {frozenset({401, 404, 405, 422, 429, 500, 503}): Error}
"""What may come instead of an answer where something is read."""

WRITING: Final[dict[Any, type[Error]]] = {**READING, frozenset({400, 403, 413, 415}): Error}
"""The same where something is changed."""

CHANGING: Final[dict[Any, type[Error]]] = {**WRITING, 409: ConflictError}
"""The same where a change names the version it replaces."""


Operation = TypeVar("Operation", bound=Callable[..., Any])


class Routes(Router):
    """Operations about one kind of thing, each with its path, what it tells, and the name of its address.

    What has no value for a project, such as the name of its only protocol, is left out of what is told.
    """

    def __init__(self, about: str) -> None:
        super().__init__(tags=[about], exclude_unset=True)

    def reading(self, path: str, told: Any, name: str) -> Callable[[Operation], Operation]:
        """Take an operation that reads."""
        return self.get(path, response={200: told, **READING}, url_name=name)

    def sending(
        self, path: str, name: str, words: str, kinds: Iterable[str], *refusals: int
    ) -> Callable[[Operation], Operation]:
        """Take one that sends a file of one of several kinds, or refuses it with more than others have."""
        content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in kinds}
        more = {frozenset(refusals): Error} if refusals else {}
        return self.get(
            path,
            response={200: None, **more, **READING},
            url_name=name,
            openapi_extra={"responses": {200: {"description": words, "content": content}}},
        )

    def writing(self, path: str, told: Any, name: str, status: int = 200) -> Callable[[Operation], Operation]:
        """Take one that changes something."""
        return self.post(path, response={status: told, **WRITING}, url_name=name)

    def changing(
        self, path: str, told: Any, name: str, status: int = 200
    ) -> Callable[[Operation], Operation]:
        """Take one that names the version it replaces."""
        return self.post(path, response={status: told, **CHANGING}, url_name=name)


def known_parameters(view: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse names behind the question mark that the operation does not know.

    A filter with a typing error would otherwise let everything through, unnoticed.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        known = {name for given in kwargs.values() if isinstance(given, Parameters) for name in _names(given)}
        if unknown := sorted(set(request.GET) - known):
            takes = f"Known: {', '.join(sorted(known))}." if known else "This address takes none."
            raise Invalid({name[:80]: [f"There is no such parameter. {takes}"] for name in unknown[:20]})
        return view(request, *args, **kwargs)

    return checked


def _names(given: Parameters) -> list[str]:
    return [field.alias or name for name, field in type(given).model_fields.items()]
