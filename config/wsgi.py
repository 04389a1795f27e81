"""WSGI entry point."""

from __future__ import annotations

import os
from typing import Any

from django.core.wsgi import get_wsgi_application

from config.middleware import is_utf8

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_django = get_wsgi_application()


def application(environ: dict[str, Any], start_response: Any) -> Any:
    """Pass a request to Django, which would decode the query with any codec before middleware runs.

    A foreign charset is only marked here; the middleware then refuses it.
    """
    if not is_utf8(environ.get("CONTENT_TYPE", "")):
        environ["CONTENT_TYPE"] = environ["CONTENT_TYPE"].partition(";")[0] + "; charset=foreign"
    return _django(environ, start_response)
