"""Decorators of pages: each is for signed-in people, is never cached, and refuses other methods first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.auth.decorators import login_required
from django.http import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def _page(*methods: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        made: Any = require_http_methods(methods)(never_cache(login_required(view)))
        return made  # type: ignore[no-any-return]

    return decorate


safe_page = _page("GET", "HEAD")
form_page = _page("GET", "HEAD", "POST")
post_page = _page("POST")
