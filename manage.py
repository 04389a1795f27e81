#!/usr/bin/env python
"""Django's command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit("Django is not installed here. Run `make install`, then use .venv/bin/python manage.py …")
    from django.core.exceptions import ImproperlyConfigured
    from django.db import OperationalError, ProgrammingError

    from config import env
    from config.service_account import run_as_owner

    var = env.folder("VAR_DIR", default=Path(__file__).resolve().parent / "var")
    run_as_owner(var, env.folder("MEDIA_ROOT", default=var))
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"{sys.argv[0]} does not start. {error}")
    except (OperationalError, ProgrammingError) as error:
        if not any(words in str(error) for words in ("no such table", "no such column", "does not exist")):
            sys.exit(f"The database cannot be used ({str(error).strip().splitlines()[0]}). See DATABASE_URL.")
        sys.exit(f"The database is not up to date ({str(error).splitlines()[0]}). Run: manage.py migrate")


if __name__ == "__main__":
    main()
