"""What every operation has in common: which refusals are documented, and which parameters are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.http import HttpRequest

from analysis.api.paging import Parameters
from analysis.api.refusals import ConflictError, Error, Invalid

READING: Final[dict[Any, type[Error]]] = {frozenset({401, 404, 405, 422, 429, 500, 503}): Error}
"""What may come instead of an answer where something is read."""

WRITING: Final[dict[Any, type[Error]]] = {**READING, frozenset({400, 403, 413, 415}): Error}
"""The same where something is changed."""

CHANGING: Final[dict[Any, type[Error]]] = {**WRITING, 409: ConflictError}
"""The same where a change names the version it replaces."""


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
