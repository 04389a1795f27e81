"""Processes that work on the test database."""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import connection


def database_url() -> str:
    """The address of the database this test run uses."""
    values: dict[str, Any] = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{values['NAME']}"
    login = quote(values["USER"]) + (f":{quote(values['PASSWORD'])}" if values["PASSWORD"] else "")
    return f"postgresql://{login}@{values['HOST']}:{values['PORT'] or 5432}/{values['NAME']}"


def child_environment(**more: str) -> dict[str, str]:
    """The environment of a process that works on the test database and the test run's folders."""
    return {
        **os.environ,
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "VAR_DIR": str(settings.VAR_DIR),
        "SECRET_KEY": settings.SECRET_KEY,
        **more,
    }
