"""The Celery app, configured by the CELERY_ settings."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from celery import Celery
from celery.signals import beat_init, celeryd_init, setup_logging, worker_init

from config import transport  # noqa: F401  registers the embedded queue's address

_SESSION: Final = Path("/proc/self/autogroup")


def give_way(steps: int) -> None:
    """Lower the priority of this process and its future children by this many steps (0 to 19).

    Linux weighs sessions before the processes in them, so the session's priority is lowered too. Containers
    and services have their own weights (`cpu_shares`, `CPUWeight`).
    """
    if steps <= 0:
        return
    os.nice(steps)
    with suppress(OSError):  # not on Linux, or not allowed for this session
        _SESSION.write_text(str(steps), encoding="ascii")


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("anatomark")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@celeryd_init.connect
def _worker_starts(**_: Any) -> None:
    from config.operations.health import require_startable

    require_startable("The worker")


@worker_init.connect
def _worker_gives_way(**_: Any) -> None:
    from django.conf import settings

    from config.celery import give_way

    give_way(settings.WORKER_NICE)


@beat_init.connect
def _beat_starts(**_: Any) -> None:
    from config.operations.health import require_startable

    require_startable("Beat")


if os.environ.get("LOG_FORMAT") == "json":

    @setup_logging.connect
    def _django_has_set_it_up(**_: Any) -> None:
        """Keep Celery from replacing the logging handlers of the settings."""
