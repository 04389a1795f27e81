"""The Celery app, configured by the CELERY_ settings."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import beat_init, celeryd_init, setup_logging

from config import transport  # noqa: F401  registers the embedded queue's address

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("anatomark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
@beat_init.connect
def _starts(signal: Any, **_: Any) -> None:
    from config.operations.health import require_startable

    require_startable("Beat" if signal is beat_init else "The worker")


if os.environ.get("LOG_FORMAT") == "json":

    @setup_logging.connect
    def _django_has_set_it_up(**_: Any) -> None:
        """Keep Celery from replacing the logging handlers of the settings."""
