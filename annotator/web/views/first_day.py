"""Whether somebody new has opened a guideline: their queue then leads on to labelling."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest

_READ: Final = "guideline_read"


def mark_read(request: HttpRequest) -> None:
    """Note in the session that a guideline was opened; written once."""
    if not has_read(request):
        request.session[_READ] = True


def has_read(request: HttpRequest) -> bool:
    """Tell whether a guideline was opened in this session."""
    return _READ in request.session
